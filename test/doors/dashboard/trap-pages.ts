/** A server that captures mail, and a browser that opens its pages, for the tests of one file. */
import { afterAll, beforeAll, expect } from 'bun:test';
import {
  haveBrowser,
  type Looks,
  type OpenPage,
  openBrowser,
  type TestBrowser,
} from '../../peers/browser.ts';
import { keepPage } from '../../peers/kept-page.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

interface PageLooks extends Looks {
  size?: { width: number; height: number };
}

export interface TrapPages {
  readonly trap: RunningAppliance;
  /** Sends a mail by SMTP, as a program under test does. */
  mail(to: string | string[], subject: string, text: string, from?: string): Promise<void>;
  /** Opens a page. Closes it at the end, and fails if anything failed on it. */
  onPage(path: string, run: (open: OpenPage) => Promise<void>, looks?: PageLooks): Promise<void>;
}

/** Starts both before the tests of the file that calls it, and stops them afterwards. Needs `haveBrowser()`. */
export function useTrapPages(): TrapPages {
  let trap: RunningAppliance;
  let browser: TestBrowser;
  const openKept = keepPage(() => browser);
  beforeAll(async () => {
    if (!haveBrowser()) return;
    [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await trap?.[Symbol.asyncDispose]();
  });
  return {
    get trap() {
      return trap;
    },
    async mail(to, subject, text, from = 'Ann Sender <ann@example.org>') {
      const all = [to].flat();
      const raw = `From: ${from}\r\nTo: ${all.join(', ')}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
      const { data } = await sendMail({ port: trap.smtpPort, from: 'ann@example.org', to: all, raw });
      expect(data?.code).toBe(250);
    },
    async onPage(path, run, { size, ...looks } = {}) {
      const isUsual = Object.keys(looks).length === 0 && !size;
      const open = await (isUsual ? openKept(trap.url + path) : browser.open(trap.url + path, looks));
      if (size) await open.page.setViewportSize(size);
      await run(open);
      expect(open.faults).toEqual([]);
      await open.close();
    },
  };
}
