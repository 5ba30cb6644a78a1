/** The servers to measure: ours, and its peers in the same run. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, stop, waitForPort } from './processes.ts';

const root = resolve(import.meta.dir, '../..');
const executable = join(root, 'dist/postern');
const MAILDEV_VERSION = '2.2.1';

export interface Target extends AsyncDisposable {
  name: string;
  smtpPort: number;
  recipient: string;
  pid: number;
}

export interface Postern extends Target {
  http: string;
  api_key: string;
  inbox_id: string;
  data_dir: string;
  /** GETs a path under /api/v1 with the key; throws unless the answer is 200. */
  get(path: string): Promise<unknown>;
}

export function makeDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'postern-bench-'));
}

export interface Ready {
  http: string;
  smtp: string;
  pid: number;
}

/** Starts `postern serve` and waits for its ready line; `settings` as in the environment. */
export function serve(dataDir: string, settings: Record<string, string> = {}) {
  return run('serve', dataDir, settings);
}

/** The same with `postern capture`, whose store is thrown away. */
export function capture(dataDir: string) {
  return run('capture', dataDir, {});
}

async function run(command: 'serve' | 'capture', dataDir: string, settings: Record<string, string>) {
  if (!existsSync(executable)) throw new Error('dist/postern is missing: run scripts/build first');
  const child = Bun.spawn([executable, command, '--json'], {
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

/** The same with text on its standard input. */
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

/** The same without blocking what this process serves meanwhile. */
export async function runCommandAside(dataDir: string, ...args: string[]): Promise<Record<string, string>> {
  const options = { cwd: dataDir, env: makeEnvironment(dataDir), stdout: 'pipe', stderr: 'inherit' } as const;
  const child = Bun.spawn([executable, ...args, '--json'], options);
  const text = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`postern ${args.join(' ')} ended with ${child.exitCode}`);
  return JSON.parse(text);
}

/** A running appliance with one account and one inbox, reused if the folder has them. */
export async function startPostern(
  dataDir = makeDataDir(),
  known?: { api_key: string; inbox_id?: string },
  settings: Record<string, string> = {},
): Promise<Postern> {
  const apiKey =
    known?.api_key ?? runCommand(dataDir, 'account', 'create', '--email', 'bench@postern.test').api_key!;
  const { child, ready } = await serve(dataDir, settings);
  const call = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const answer = await fetch(`${ready.http}/api/v1${path}`, { method, headers });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { data: { id: string; address: string } };
  };
  const inbox = await (known?.inbox_id
    ? call('GET', `/inboxes/${known.inbox_id}`)
    : call('POST', '/inboxes'));
  return {
    name: 'postern',
    smtpPort: Number(ready.smtp.split(',')[0]?.split(':').at(-1)),
    recipient: inbox.data.address,
    pid: child.pid,
    http: ready.http,
    api_key: apiKey,
    inbox_id: inbox.data.id,
    data_dir: dataDir,
    get: (path) => call('GET', path),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

export function removeDataDir(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** MailDev on Node: keeps mail in memory and syncs nothing. */
export async function startMailDev(): Promise<Target> {
  const dir = join(root, '.tools', `maildev-${MAILDEV_VERSION}`);
  const program = join(dir, 'node_modules/maildev/bin/maildev');
  if (!existsSync(program)) {
    console.log(`installing MailDev ${MAILDEV_VERSION} …`);
    mkdirSync(dir, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    const done = Bun.spawnSync(['npm', 'install', ...flags, '--prefix', dir, `maildev@${MAILDEV_VERSION}`]);
    if (done.exitCode !== 0) throw new Error(`MailDev could not be installed: ${done.stderr}`);
  }
  const [smtpPort, webPort] = [await freePort(), await freePort()];
  const mailDir = makeDataDir();
  const listen = ['--smtp', String(smtpPort), '--web', String(webPort), '--ip', '127.0.0.1'];
  const child = Bun.spawn(['node', program, ...listen, '--mail-directory', mailDir, '--silent'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await waitForPort(smtpPort);
  const dispose = async () => {
    await stop(child);
    removeDataDir(mailDir);
  };
  return {
    name: 'MailDev',
    smtpPort,
    recipient: 'ann@postern.test',
    pid: child.pid,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Postfix's smtp-sink: accepts mail and discards it, which is as fast as the protocol allows. */
export async function startSmtpSink(): Promise<Target> {
  const program = Bun.which('smtp-sink', { PATH: `${process.env.PATH}:/usr/sbin` });
  if (!program) throw new Error("smtp-sink is missing: Debian's package postfix contains it");
  const smtpPort = await freePort();
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = Bun.spawn([program, ...asUser, `127.0.0.1:${smtpPort}`, '1000'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await waitForPort(smtpPort);
  return {
    name: 'smtp-sink',
    smtpPort,
    recipient: 'ann@postern.test',
    pid: child.pid,
    [Symbol.asyncDispose]: () => stop(child),
  };
}
