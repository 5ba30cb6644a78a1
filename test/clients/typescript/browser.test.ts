/** The TypeScript client in a browser, on a page of another origin. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { haveBrowser, openBrowser } from '../../peers/browser.ts';
import { startAppliance } from '../../start.ts';
import { sendMail } from './runner/smtp-mail.ts';

declare const window: { read: (url: string, address: string) => Promise<string[]> };

const html = `<!doctype html><title>App</title><link rel="icon" href="data:,"><script type="module">
  import { Postern } from '/index.js';
  window.read = async (url, address) => {
    const inbox = new Postern({ url, apiKey: 'secret' }).inbox(address);
    const stream = inbox.stream({ since: '0' });
    const { value } = await stream.next();
    await stream.return();
    const missing = await inbox.waitForLink({ timeoutMs: 0 }).catch((error) => error.name);
    const { code } = await inbox.waitForCode();
    return [value.subject, missing, code];
  };
</script>`;

async function readIn(page: Page, url: string, address: string): Promise<string[]> {
  await page.waitForFunction(() => 'read' in window);
  return page.evaluate(([at, to]) => window.read(at!, to!), [url, address]);
}

test.skipIf(!haveBrowser())(
  'a page can wait and stream across origins',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'postern-browser-'));
    const build = join(import.meta.dir, '../../../scripts/build-clients.ts');
    const env = { ...process.env, BUN_BE_BUN: '1' };
    const client = join(dir, 'client');
    await Bun.spawn([process.execPath, build, client], { env }).exited;
    using app = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        const { pathname } = new URL(url);
        if (pathname === '/') return new Response(html, { headers: { 'content-type': 'text/html' } });
        return new Response(Bun.file(join(client, 'dist', pathname)));
      },
    });
    const origin = `http://127.0.0.1:${app.port}`;
    await using trap = await startAppliance({
      capture: { apiKey: 'secret' },
      settings: { cors_origins: origin },
    });
    const browser = await openBrowser();
    try {
      const mail = { to: 'a@example.com', subject: 'Sign in', text: 'Your code is 493817.' };
      await sendMail(`127.0.0.1:${trap.smtpPort}`, mail);
      const { page } = await browser.open(origin);
      expect(await readIn(page, trap.url, 'a@example.com')).toEqual([
        'Sign in',
        'WaitTimeoutError',
        '493817',
      ]);
    } finally {
      await browser.close();
      rmSync(dir, { recursive: true, force: true });
    }
  },
  60_000,
);
