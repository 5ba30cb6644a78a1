/** The fixtures for Playwright, with its own runner and a real sign-up page in Chromium. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM, CHROMIUM_FLAGS, haveBrowser } from '../../peers/browser.ts';
import { startSignUp } from '../../peers/sign-up.ts';
import { haveTool, runTool } from '../../peers/tools.ts';
import { startAppliance } from '../../start.ts';
import { createProject, findFreePorts, type RunnerProject, readBlocks } from './project.ts';

const root = join(import.meta.dir, '../../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const canRun = haveBrowser() && haveTool('npm') && haveTool('node');
/** To run more by hand: PLAYWRIGHT_TESTS=50 PLAYWRIGHT_WORKERS=4. */
const TESTS = Number(process.env.PLAYWRIGHT_TESTS ?? 2);
const WORKERS = process.env.PLAYWRIGHT_WORKERS ?? '2';
const TEST_MS_MAX = 300_000;

const [config = ''] = readBlocks('playwright.md', 'ts');
const quickStart = readBlocks('playwright.md', 'ts')[1] ?? '';
const chromium = `{ executablePath: '${CHROMIUM}', args: ${JSON.stringify(CHROMIUM_FLAGS)} }`;

/** A test's attachments are in the report as base64. */
interface Report {
  /** Errors before any test. */
  errors: { message: string }[];
  stats: { expected: number; unexpected: number; flaky: number; duration: number };
  suites: Suite[];
}
interface Suite {
  suites?: Suite[];
  specs: { title: string; tests: { results: { attachments: Attachment[] }[] }[] }[];
}
interface Attachment {
  name: string;
  contentType: string;
  body: string;
}

let project: RunnerProject;

beforeAll(async () => {
  if (!canRun) return;
  project = await createProject(join(root, 'node_modules'));
}, TEST_MS_MAX);
afterAll(() => project?.[Symbol.dispose]());

async function runPlaywright(args: string[], env: Record<string, string> = {}): Promise<Report> {
  const report = join(project.dir, 'report.json');
  const given = { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  const { output } = await project.run(
    '@playwright/test/cli.js',
    ['test', '--reporter=json', ...args],
    given,
  );
  if (!existsSync(report)) throw new Error(output);
  const parsed = JSON.parse(readFileSync(report, 'utf8')) as Report;
  rmSync(report);
  expect(parsed.errors).toEqual([]);
  return parsed;
}

function findAttachments(suites: Suite[], title: string): Attachment[] {
  return suites.flatMap(({ suites: inner = [], specs }) => [
    ...specs
      .filter((spec) => spec.title === title)
      .flatMap(({ tests }) => tests.flatMap(({ results }) => results.flatMap((result) => result.attachments)))
      .map((part) => ({ ...part, body: Buffer.from(part.body ?? '', 'base64').toString() })),
    ...findAttachments(inner, title),
  ]);
}

describe.skipIf(!canRun)('the fixtures for Playwright', () => {
  test(
    'run docs/playwright.md as printed, with the app and Postern started by its configuration',
    async () => {
      const [http = 0, smtp = 0, app = 0] = await findFreePorts(3);
      const printed = config
        .replace('posternServer()', `posternServer({ httpPort: ${http}, smtpPort: ${smtp} })`)
        .replaceAll(':3000', `:${app}`)
        .replaceAll(':1025', `:${smtp}`);
      const server = join(import.meta.dir, 'sign-up-server.ts');
      project.write({
        'package.json': JSON.stringify({
          scripts: { start: `PORT=${app} exec '${process.execPath}' '${server}'` },
        }),
        'printed.config.ts': printed,
        'playwright.config.ts': `import { defineConfig } from '@playwright/test';
          import printed from './printed.config';
          export default defineConfig(printed, { testDir: 'printed', use: { launchOptions: ${chromium} } });`,
        'printed/sign-in.spec.ts': quickStart,
      });
      const { stats } = await runPlaywright([], { BUN_BE_BUN: '1' });
      expect(stats).toMatchObject({ expected: 1, unexpected: 0, flaky: 0 });
      const types = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        '--ignoreConfig',
        '--module',
        'preserve',
        '--target',
        'esnext',
      ];
      const checked = ['printed.config.ts', 'printed/sign-in.spec.ts'].map((name) => join(project.dir, name));
      const { output } = await runTool([process.execPath, compiler, ...types, ...checked], '', 60_000);
      expect(output).toBe('');
      expect(quickStart.trim().split('\n').filter(Boolean)).toHaveLength(10);
    },
    TEST_MS_MAX,
  );

  test(
    'sign up side by side, and show the mail of a test that fails',
    async () => {
      await using trap = await startAppliance({ capture: { apiKey: 'secret' } });
      await using app = await startSignUp({ smtp: { port: trap.smtpPort } });
      const signUp = quickStart.split('\n').slice(3, -2).join('\n');
      const begin = signUp.split('\n').slice(0, 3).join('\n');
      project.write({
        'package.json': '{"type":"module"}',
        'side.config.ts': `import { defineConfig } from '@playwright/test';
          export default defineConfig({ testDir: 'side', fullyParallel: true,
            use: { baseURL: '${app.url}', launchOptions: ${chromium} } });`,
        'side/sign-in.spec.ts': `import { expect, test } from '@postern/client/playwright';
          for (let n = 0; n < ${TESTS}; n++) test('user ' + n, async ({ page, inbox }) => {${signUp}});`,
        'side/fails.spec.ts': `import { expect, test } from '@postern/client/playwright';
          test('wrong code', async ({ page, inbox }) => {${begin}
            await inbox.waitForCode();
            expect(inbox.address).toBe('another');
          });
          test('no mail', ({ inbox }) => expect(inbox.label).toBe('another'));
          test.fail('fails as expected', ({ inbox }) => expect(inbox.label).toBe('another'));`,
      });
      const started = performance.now();
      const { stats, suites } = await runPlaywright(['-c', 'side.config.ts', `--workers=${WORKERS}`], {
        POSTERN_URL: trap.url,
        POSTERN_API_KEY: 'secret',
      });
      console.log(`${TESTS} sign-ups, ${WORKERS} workers: ${Math.round(performance.now() - started)} ms`);
      expect(stats).toMatchObject({ expected: TESTS + 1, unexpected: 2, flaky: 0 });
      expect(new Set(app.signedIn).size).toBe(TESTS);

      const [text, html] = findAttachments(suites, 'wrong code');
      expect(text?.name).toBe('mail 1: Your Harbour verification code');
      expect(text?.body).toMatch(/^Found: code \d{6}$/m);
      expect(text?.body).toContain('Your verification code is:');
      expect(html).toMatchObject({ contentType: 'text/html' });
      expect(html?.body).toContain("default-src 'none'");
      expect(findAttachments(suites, 'no mail')).toContainEqual(
        expect.objectContaining({ name: 'mail: none' }),
      );
      // Mails of tests that passed are deleted, even if a failure was expected.
      const { json } = await trap.request('GET', '/api/v1/inboxes', { key: 'secret' });
      expect(json.data.map(({ label }: { label: string }) => label).sort()).toEqual([
        'no mail',
        'wrong code',
      ]);
    },
    TEST_MS_MAX,
  );

  test.skipIf(!haveTool('curl'))(
    'start a Postern for each worker if none is configured',
    async () => {
      project.write({
        'worker.config.ts': `export default { testDir: 'worker' };`,
        'worker/code.spec.ts': `import { execFileSync } from 'node:child_process';
          import { expect, test } from '@postern/client/playwright';
          test('a code comes to smtpUrl', async ({ inbox, smtpUrl }) => {
            const envelope = ['--mail-from', 'app@example.com', '--mail-rcpt', inbox.address];
            const mail = 'Subject: Sign in\\r\\n\\r\\nYour code is 493817.\\r\\n';
            execFileSync('curl', ['-sS', smtpUrl, ...envelope, '-T', '-'], { input: mail });
            expect((await inbox.waitForCode()).code).toBe('493817');
          });`,
      });
      const { stats } = await runPlaywright(['-c', 'worker.config.ts']);
      expect(stats).toMatchObject({ expected: 1, unexpected: 0 });
    },
    TEST_MS_MAX,
  );
});
