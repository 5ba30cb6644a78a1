/** The matchers and the global set-up, in a small project each for Vitest and Jest that runs the tests on their pages. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installNpm } from '../../peers/installed.ts';
import { haveTool, runTool } from '../../peers/tools.ts';
import { createProject, type RunnerProject, readBlocks } from './project.ts';

const runners = await installNpm('test-runners', ['vitest@4.1.12', 'jest@30.5.2', '@types/jest@30.0.0']);
const canRun = runners !== null && haveTool('node') && haveTool('curl');
const compiler = join(import.meta.dir, '../../../node_modules/typescript/bin/tsc');
/** An older TypeScript, because version 7 lacks moduleResolution node10, which older projects have. */
const typescript5 = await installNpm('typescript-5', ['typescript@5.9.3']);
const TEST_MS_MAX = 120_000;

const [vitestConfig = '', vitestTest = '', jestConfig = '', jestTest = ''] = readBlocks(
  'vitest-jest.md',
  'js',
);

const signUp = `function signUp(address, subject = 'Sign in', text = 'Your code is 493817.') {
  const envelope = ['--mail-from', 'app@example.com', '--mail-rcpt', address];
  const input = 'From: app@example.com\\r\\nSubject: ' + subject + '\\r\\n\\r\\n' + text + '\\r\\n';
  execFileSync('curl', ['-sS', process.env.POSTERN_SMTP_URL, ...envelope, '-T', '-'], { input });
}`;

/** The messages of the matchers when they fail. */
const verdicts = `
  test('a code that was read counts, and an assertion claims nothing', async () => {
    const inbox = await postern.inboxes.create();
    signUp(inbox.address);
    await inbox.waitForCode();
    await expect(inbox).toReceiveCode();
    await expect(inbox).toReceiveMail({ subject: 'sign', from: 'app@' });
    await expect(inbox).not.toReceiveLink({ timeoutMs: 100 });
  });
  test('says what came instead', async () => {
    const inbox = await postern.inboxes.create();
    signUp(inbox.address, 'Hello', 'Nothing to see.');
    await expect(expect(inbox).toReceiveCode({ timeoutMs: 300 })).rejects.toThrow(
      inbox.address + ' to receive a code. No matching message came within 0.3 s.');
    await expect(expect(inbox).not.toReceiveMail()).rejects.toThrow('no mail, but "Hello" came from');
    await expect(expect('an address').toReceiveMail()).rejects.toThrow('needs an inbox');
  });`;

let project: RunnerProject;

beforeAll(async () => {
  if (canRun) project = await createProject(join(runners, 'node_modules'));
}, TEST_MS_MAX);
afterAll(() => project?.[Symbol.dispose]());

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { assertionResults: { title: string; failureMessages: string[] }[] }[];
}

async function runTests(bin: string, args: string[]): Promise<Report> {
  const report = join(project.dir, 'report.json');
  const { output } = await project.run(bin, [...args, `--outputFile=${report}`]);
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch {
    throw new Error(output);
  }
}

const listFaults = ({ testResults }: Report) =>
  testResults.flatMap(({ assertionResults }) => assertionResults.flatMap((result) => result.failureMessages));

describe.skipIf(!canRun)('the matchers and the global set-up', () => {
  test(
    'work in Vitest, as printed',
    async () => {
      project.write({
        'vitest.config.mjs': vitestConfig,
        'vitest/app.mjs': `import { execFileSync } from 'node:child_process';\nexport ${signUp}`,
        'vitest/printed.test.mjs': vitestTest,
        'vitest/verdicts.test.mjs': `${vitestTest.split('\n').slice(0, 3).join('\n')}${verdicts}`,
      });
      const report = await runTests('vitest/vitest.mjs', ['run', '--dir', 'vitest', '--reporter=json']);
      expect(listFaults(report)).toEqual([]);
      expect(report).toMatchObject({ numPassedTests: 3, numFailedTests: 0 });
    },
    TEST_MS_MAX,
  );

  test(
    'work in Jest, as printed, without a flag for ES modules',
    async () => {
      // A project of CommonJS.
      project.write({
        'package.json': '{"private":true}',
        'jest.config.js': jestConfig,
        'jest/app.js': `const { execFileSync } = require('node:child_process');\n${signUp}\nmodule.exports = { signUp };`,
        'jest/printed.test.js': jestTest,
        'jest/verdicts.test.js': `${jestTest.split('\n').slice(0, 2).join('\n')}${verdicts}`,
      });
      const report = await runTests('jest/bin/jest.js', ['jest/', '--json']);
      expect(listFaults(report)).toEqual([]);
      expect(report).toMatchObject({ numPassedTests: 3, numFailedTests: 0 });
    },
    TEST_MS_MAX,
  );

  test(
    'have types in both',
    async () => {
      const receive = (inbox: string) => `
        export async function check(): Promise<void> {
          const inbox = await postern.inboxes.create();
          await expect(inbox).toReceiveCode({ subject: 'Sign in', timeoutMs: 100 });
          await expect(inbox).not.toReceiveMail();
          // @ts-expect-error: no such option.
          await expect(${inbox}).toReceiveLink({ subjects: 'Sign in' });
        }`;
      project.write({
        'types/vitest.ts': `import { postern } from '@postern/client/vitest';\nimport { expect } from 'vitest';${receive('inbox')}`,
        'types/jest.ts': `import { postern } from '@postern/client/jest';${receive('inbox')}`,
        'types/tsconfig.json': JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            module: 'nodenext',
            target: 'es2022',
            skipLibCheck: true,
            types: ['jest'],
            lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.AsyncIterable'],
          },
          include: ['*.ts'],
        }),
      });
      const { output } = await runTool(
        [process.execPath, compiler, '-p', join(project.dir, 'types')],
        '',
        60_000,
      );
      expect(output).toBe('');
    },
    TEST_MS_MAX,
  );

  test.each([
    ['commonjs', 'commonjs', 'node10'],
    ['commonjs', 'node16', 'node16'],
    ['commonjs', 'nodenext', 'nodenext'],
    ['commonjs', 'preserve', 'bundler'],
    ['module', 'node16', 'node16'],
    ['module', 'nodenext', 'nodenext'],
    ['module', 'esnext', 'bundler'],
  ])(
    'have types for Jest in a project of type %s, with module %s and moduleResolution %s',
    async (type, module, moduleResolution) => {
      const folder = `kinds/${type}-${module}`;
      project.write({
        [`${folder}/package.json`]: JSON.stringify({ private: true, type }),
        [`${folder}/jest.ts`]: `
          import { matchers, type PosternMatchers, postern } from '@postern/client/jest';
          expect.extend(matchers);
          export async function check(): Promise<PosternMatchers | string> {
            const inbox = await postern.inboxes.create();
            await expect(inbox).toReceiveCode({ subject: 'Sign in' });
            // @ts-expect-error: no such method.
            postern.inboxes.invent();
            return (await inbox.waitForCode()).code;
          }`,
        [`${folder}/tsconfig.json`]: JSON.stringify({
          compilerOptions: {
            strict: true,
            noEmit: true,
            module,
            moduleResolution,
            target: 'es2022',
            types: ['jest'],
            lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.AsyncIterable'],
            // TypeScript's own libraries, which take most of the time; the client's types are checked.
            skipDefaultLibCheck: true,
          },
          include: ['*.ts'],
        }),
      });
      const old = typescript5 && join(typescript5, 'node_modules/typescript/bin/tsc');
      const tsc = moduleResolution === 'node10' ? old : compiler;
      if (tsc === null) return;
      const { output } = await runTool([process.execPath, tsc, '-p', join(project.dir, folder)], '', 60_000);
      expect(output).toBe('');
    },
    TEST_MS_MAX,
  );
});
