/** Fixtures for Playwright Test. */
import { test as base, type PlaywrightTestConfig } from '@playwright/test';
import type { Inbox } from './inbox.js';
import { reportMail } from './plugins/report.js';
import { openPostern, type RunPostern, TRAP_PORTS } from './plugins/run.js';
import type { Postern } from './postern.js';
import type { NewInbox } from './wire.js';

export { expect } from '@playwright/test';

export interface PosternFixtures {
  /** An inbox for this test alone. Deleted when the test passes; when it fails, its mail is in the report. */
  inbox: Inbox;
  /** An option: fields of the inbox, such as `{ domain: 'example.com' }`. */
  inboxOptions: NewInbox;
}

export interface PosternWorkerFixtures {
  /** A client of the Postern in use: the one at `POSTERN_URL`, or one that the worker starts. */
  postern: Postern;
  /** Where the app under test must send its mail, such as `smtp://127.0.0.1:1025`. */
  smtpUrl: string;
  /** @internal */
  runPostern: RunPostern;
}

/** Bound of the API (docs/api-v1.md, Inboxes). */
const LABEL_CHARS_MAX = 120;

/** Playwright's `test`, with an `inbox` for each test. */
export const test = base.extend<PosternFixtures, PosternWorkerFixtures>({
  runPostern: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needs of a fixture from the pattern.
    async ({}, use) => {
      const running = await openPostern();
      await use(running);
      await running.stop();
    },
    { scope: 'worker', box: true },
  ],
  postern: [({ runPostern }, use) => use(runPostern.client), { scope: 'worker' }],
  smtpUrl: [({ runPostern }, use) => use(runPostern.smtpUrl), { scope: 'worker' }],
  inboxOptions: [{}, { option: true }],
  inbox: async ({ postern, inboxOptions }, use, testInfo) => {
    const label = testInfo.title.slice(0, LABEL_CHARS_MAX);
    const inbox = await postern.inboxes.create({ label, ...inboxOptions });
    await use(inbox);
    if (testInfo.status === testInfo.expectedStatus) {
      // The test has passed, whatever becomes of its inbox.
      await inbox.delete().catch(() => {});
      return;
    }
    for (const { name, ...part } of await reportMail(postern, inbox)) await testInfo.attach(name, part);
  },
});

type WebServer = Exclude<NonNullable<PlaywrightTestConfig['webServer']>, readonly unknown[]>;

/**
 * Returns an entry for `webServer` in the configuration: one Postern for the whole run, on fixed ports, so that the app
 * under test can be another entry. A Postern that already runs there or at `POSTERN_URL` is used.
 */
export function posternServer({ httpPort = TRAP_PORTS.http, smtpPort = TRAP_PORTS.smtp } = {}): WebServer {
  const http = `127.0.0.1:${httpPort}`;
  const smtp = `127.0.0.1:${smtpPort}`;
  // In the environment, because workers read the configuration too and each test needs them.
  process.env.POSTERN_URL ||= `http://${http}`;
  process.env.POSTERN_SMTP_URL ||= `smtp://${smtp}`;
  const bin = `'${(process.env.POSTERN_BIN ?? 'postern').replaceAll("'", "'\\''")}'`;
  return {
    name: 'Postern',
    command: `exec ${bin} capture --http-listen ${http} --smtp-listen ${smtp}`,
    url: `${process.env.POSTERN_URL.replace(/\/$/, '')}/healthz`,
    reuseExistingServer: true,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
  };
}
