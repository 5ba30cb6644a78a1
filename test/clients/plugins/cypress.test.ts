/**
 * The commands and tasks for Cypress. Cypress itself is not installed, because no registry has its program: a stand-in
 * registers the commands and runs the tasks, with arguments and results copied as JSON. The types are those of Cypress.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addPostern } from '../../../clients/typescript/src/cypress-tasks.ts';
import { installNpm } from '../../peers/installed.ts';
import { type SignUpApp, startSignUp } from '../../peers/sign-up.ts';
import { haveTool, runTool } from '../../peers/tools.ts';
import { startAppliance } from '../../start.ts';
import { createProject, readBlocks } from './project.ts';

const cypress = await installNpm('cypress-types', ['cypress@15.3.0']);
const canInstall = cypress !== null && haveTool('npm');
const compiler = join(import.meta.dir, '../../../node_modules/typescript/bin/tsc');

type Run = (...given: unknown[]) => Promise<unknown>;
const commands: Record<string, Run> = {};
const tasks: Record<string, Run> = {};
/** How long Cypress would wait for the last task. */
let taskTimeoutMs: number | undefined;
const before = { url: process.env.POSTERN_URL, key: process.env.POSTERN_API_KEY };

let trap: Awaited<ReturnType<typeof startAppliance>>;
let app: SignUpApp;

const copy = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));

async function runTask(name: string, argument?: unknown, options?: { timeout: number }): Promise<unknown> {
  taskTimeoutMs = options?.timeout;
  const result = await tasks[name]!(copy(argument));
  if (result === undefined) throw new Error(`The task ${name} returned undefined, which Cypress refuses.`);
  return copy(result);
}

beforeAll(async () => {
  trap = await startAppliance({ capture: { apiKey: 'secret' } });
  app = await startSignUp({ smtp: { port: trap.smtpPort } });
  Object.assign(process.env, { POSTERN_URL: trap.url, POSTERN_API_KEY: 'secret' });
  await addPostern((_event, added) => Object.assign(tasks, added));
  const add = (name: string, command: Run) => {
    commands[name] = command;
  };
  Object.assign(globalThis, { Cypress: { Commands: { add } }, cy: { task: runTask } });
  await import('../../../clients/typescript/src/cypress.ts');
}, 60_000);

afterAll(async () => {
  for (const name of ['Cypress', 'cy']) Reflect.deleteProperty(globalThis, name);
  for (const [name, value] of Object.entries({ POSTERN_URL: before.url, POSTERN_API_KEY: before.key })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await app?.[Symbol.asyncDispose]();
  await trap?.[Symbol.asyncDispose]();
});

/** Signs up as the form on the page does. */
async function signUp(email: string, by: 'code' | 'link'): Promise<string> {
  const response = await fetch(`${app.url}invite`, {
    method: 'POST',
    body: new URLSearchParams({ email, by }),
    redirect: 'manual',
  });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function createInbox(): Promise<{ address: string }> {
  return (await commands.createInbox!()) as { address: string };
}

describe('the commands for Cypress', () => {
  test('create an inbox and yield the code that signs its address in', async () => {
    const inbox = await createInbox();
    const cookie = await signUp(inbox.address, 'code');
    const code = (await commands.waitForCode!(inbox)) as string;
    const body = new URLSearchParams({ code });
    const page = await fetch(`${app.url}code`, { method: 'POST', body, headers: { cookie } });
    expect(await page.text()).toContain('Welcome');
    expect(taskTimeoutMs).toBe(25_000);
  });

  test('yield the link, for an address instead of an inbox, too', async () => {
    const { address } = await createInbox();
    await signUp(address, 'link');
    const link = (await commands.waitForLink!(address, { subject: 'confirm' })) as string;
    expect(await (await fetch(link)).text()).toContain('Welcome');
  });

  test('fail with a message that says that no message matched', async () => {
    const { address } = await createInbox();
    await signUp(address, 'link');
    const wait = commands.waitForCode!(address, { timeoutMs: 300 });
    await expect(wait).rejects.toThrow('No matching message came within 0.3 s.');
  });

  test.skipIf(!canInstall)(
    'have types with which the code in docs/cypress.md compiles',
    async () => {
      using project = await createProject(join(cypress!, 'node_modules'));
      const [config = '', support = '', spec = ''] = readBlocks('cypress.md', 'js');
      const options = {
        strict: true,
        noEmit: true,
        module: 'nodenext',
        target: 'es2022',
        skipLibCheck: true,
      };
      project.write({
        'cypress.config.ts': config,
        'e2e.ts': support,
        'sign-in.cy.ts': `${spec}// @ts-expect-error: no such option.\ncy.waitForCode('a', { timeout: 1 });`,
        'tsconfig.json': JSON.stringify({
          compilerOptions: { ...options, types: ['cypress'], lib: ['ES2023', 'ESNext.Disposable', 'DOM'] },
          include: ['*.ts'],
        }),
      });
      const { output } = await runTool([process.execPath, compiler, '-p', project.dir], '', 60_000);
      expect(output).toBe('');
    },
    60_000,
  );
});
