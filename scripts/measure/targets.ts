/** The servers to measure: ours, and its peers in the same run. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stop } from './processes.ts';

const root = resolve(import.meta.dir, '../..');
/** The one that is measured. */
export const executable = process.env.BUILT_POSTERN ?? join(root, 'dist/postern');

export interface Target extends AsyncDisposable {
  name: string;
  smtpPort: number;
  recipient: string;
  pid: number;
  /** The URL of its web pages, if they are measured. */
  web?: string;
}

export interface Postern extends Target {
  http: string;
  apiKey: string;
  inboxId: string;
  dataDir: string;
  /** GETs a path under /api/v1 with the key; throws unless the answer is 200. */
  get(path: string): Promise<unknown>;
}

export function isPostern(target: Target): target is Postern {
  return 'dataDir' in target;
}

export function makeDataDir(parent = tmpdir()): string {
  return mkdtempSync(join(parent, 'postern-bench-'));
}

export interface Ready {
  http: string;
  smtp: string;
  pid: number;
}

/** Starts `postern serve` and waits for its ready line. `settings` are variables, as in the environment. */
export function serve(dataDir: string, settings: Record<string, string> = {}) {
  return run('serve', dataDir, settings);
}

/** Starts `postern capture`, whose store is temporary, and waits for its ready line. */
export function capture(dataDir: string, program = executable) {
  return run('capture', dataDir, {}, program);
}

async function run(
  command: 'serve' | 'capture',
  dataDir: string,
  settings: Record<string, string>,
  program = executable,
) {
  if (!existsSync(program)) throw new Error(`${program} is missing: run scripts/build first`);
  const child = Bun.spawn([program, command, '--json'], {
    cwd: dataDir,
    env: { ...makeEnvironment(dataDir), ...settings },
    stdout: 'pipe',
    stderr: process.env.BENCH_LOG ? 'inherit' : 'ignore',
  });
  const ready = JSON.parse(await readFirstLine(child.stdout)) as Ready;
  return { child, ready };
}

function makeEnvironment(dataDir: string): Record<string, string> {
  return {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_HTTP_LISTEN: '127.0.0.1:0',
    POSTERN_SMTP_LISTEN: '127.0.0.1:0',
    POSTERN_LIMITS: 'off',
    POSTERN_LOG_LEVEL: 'warn',
  };
}

async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('postern ended before it was ready (BENCH_LOG=1 shows its log)');
}

export function runCommand(dataDir: string, ...args: string[]): Record<string, string> {
  return runCommandWithInput(dataDir, '', ...args);
}

/** Runs a command with text on its standard input. */
export function runCommandWithInput(
  dataDir: string,
  input: string,
  ...args: string[]
): Record<string, string> {
  const options = { cwd: dataDir, env: makeEnvironment(dataDir), stdin: Buffer.from(input) };
  const done = Bun.spawnSync([executable, ...args, '--json'], options);
  if (done.exitCode !== 0) throw new Error(`postern ${args.join(' ')}: ${done.stderr}`);
  return JSON.parse(done.stdout.toString());
}

/** Runs a command without blocking what this process serves meanwhile. */
export async function runCommandAside(dataDir: string, ...args: string[]): Promise<Record<string, string>> {
  const options = { cwd: dataDir, env: makeEnvironment(dataDir), stdout: 'pipe', stderr: 'inherit' } as const;
  const child = Bun.spawn([executable, ...args, '--json'], options);
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`postern ${args.join(' ')} ended with ${child.exitCode}`);
  return JSON.parse(text);
}

/** Starts an appliance with one account and one inbox, which are reused if the folder has them. */
export async function startPostern(
  dataDir = makeDataDir(),
  known?: { apiKey: string; inboxId?: string },
  settings: Record<string, string> = {},
): Promise<Postern> {
  const apiKey =
    known?.apiKey ?? runCommand(dataDir, 'account', 'create', '--email', 'bench@postern.test').api_key!;
  const { child, ready } = await serve(dataDir, settings);
  const call = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${ready.http}/api/v1${path}`, { method, headers });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { data: { id: string; address: string } };
  };
  const inbox = await (known?.inboxId ? call('GET', `/inboxes/${known.inboxId}`) : call('POST', '/inboxes'));
  return {
    name: 'postern',
    smtpPort: Number(ready.smtp.split(',')[0]?.split(':').at(-1)),
    recipient: inbox.data.address,
    pid: child.pid,
    http: ready.http,
    apiKey,
    inboxId: inbox.data.id,
    dataDir,
    get: (path) => call('GET', path),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** A capture whose store is thrown away: like the peers, it flushes nothing to the disk. `program`: another build. */
export async function startCapture(program?: string): Promise<Target> {
  const dir = makeDataDir();
  const { child, ready } = await capture(dir, program);
  const dispose = async () => {
    await stop(child);
    removeDataDir(dir);
  };
  return {
    name: 'capture',
    smtpPort: Number(ready.smtp.split(':').at(-1)),
    recipient: 'ann@postern.test',
    pid: child.pid,
    web: ready.http,
    [Symbol.asyncDispose]: dispose,
  };
}

export function removeDataDir(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}
