/** Your own Postern for tests, as a child process. For Node, Bun and Deno: browsers have no processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { makeError } from './errors.js';
import { Postern } from './postern.js';

export interface StartOptions {
  /** Path of the executable. By default `POSTERN_BIN`, or else `postern` on the PATH. */
  bin?: string;
  /** Further arguments of `postern capture`, such as `--smtp-starttls on`. */
  args?: readonly string[];
  /** Further environment variables, such as the setting `POSTERN_CORS_ORIGINS`. */
  env?: Readonly<Record<string, string>>;
  /** How long its start may take, 20 seconds by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface RunningPostern extends AsyncDisposable {
  /** A client of it. */
  readonly client: Postern;
  /** The URL of the API and the dashboard. */
  readonly url: string;
  readonly apiKey: string;
  /** Where your app must send its mail. */
  readonly smtp: { readonly host: string; readonly port: number; readonly url: string };
  readonly pid: number;
  /** Resolves when the trap has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Stops the trap and removes its mail. `await using` does this too, and so does the end of this process in any way. */
  stop(): Promise<void>;
}

const START_MS_MAX = 20_000;
/** An orderly stop takes at most 10 seconds (docs/operations.md). */
const STOP_MS_MAX = 12_000;
/** How much of its output is kept for the error if it does not start. */
const OUTPUT_CHARS_MAX = 4_000;

/**
 * Starts a trap for test mail on free ports of this machine, with its mail in a folder that is removed at its end. It
 * ends with this process, even if that is killed, because it watches its standard input, whose other end is here.
 */
export async function startPostern(options: StartOptions = {}): Promise<RunningPostern> {
  options.signal?.throwIfAborted();
  const bin = findExecutable(options.bin);
  const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
  const child = spawn(
    bin,
    ['capture', '--json', '--exit-on-stdin-close', ...listen, ...(options.args ?? [])],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...options.env } },
  );
  // The child must not keep this process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    stream.on('error', () => {});
    (stream as { unref?: () => void }).unref?.();
  }
  const exited = new Promise<void>((done) => child.once('exit', () => done()).once('error', () => done()));
  const stop = () => stopChild(child, exited);
  try {
    return describe(JSON.parse(await readReadyLine(child, bin, options)), exited, stop);
  } catch (fault) {
    // A program that is not Postern may not watch its standard input.
    child.kill();
    await stop();
    throw fault;
  }
}

/** The line that it prints when it is ready (docs/testing.md, In CI). */
interface ReadyLine {
  http: string;
  smtp: string;
  pid: number;
  api_key: string;
}

function describe(ready: ReadyLine, exited: Promise<void>, stop: () => Promise<void>): RunningPostern {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(ready.smtp) ?? [];
  return {
    client: new Postern({ url: ready.http, apiKey: ready.api_key }),
    url: ready.http,
    apiKey: ready.api_key,
    smtp: { host, port: Number(port), url: `smtp://${ready.smtp}` },
    pid: ready.pid,
    exited,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function readReadyLine(child: ChildProcess, bin: string, options: StartOptions): Promise<string> {
  return new Promise((done, failed) => {
    let out = '';
    let printed = '';
    const keepEnd = (text: string) => {
      printed = (printed + text).slice(-OUTPUT_CHARS_MAX);
    };
    const fail = (what: string) => {
      const said = printed.trim();
      const text = said === '' ? `${bin} ${what}.` : `${bin} ${what}. It printed:\n${said}\n`;
      settle(() => failed(makeError({ code: 'start_failed', text })));
    };
    const onAbort = () => settle(() => failed(options.signal?.reason));
    const timeoutMs = options.timeoutMs ?? START_MS_MAX;
    // This also keeps the process alive until then.
    const timer = setTimeout(() => fail(`was not ready after ${timeoutMs / 1000} s`), timeoutMs);
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      finish();
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', (fault) => fail(`could not be started (${fault.message})`));
    child.once('close', (status, signal) => fail(`ended with ${signal ?? `status ${status}`}`));
    child.stderr?.setEncoding('utf8').on('data', keepEnd);
    // Read to the end, so that the child never waits for a reader.
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (out.includes('\n')) return;
      out += text;
      keepEnd(text);
      const line = out.split('\n')[0] ?? '';
      if (out.includes('\n')) line.startsWith('{') ? settle(() => done(line)) : fail('is not Postern');
    });
  });
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await exited;
  clearTimeout(timer);
}

function findExecutable(given: string | undefined): string {
  const named = given ?? process.env.POSTERN_BIN;
  if (named) {
    const path = resolve(named);
    if (isExecutable(path)) return path;
    throw makeError({ code: 'executable_not_found', text: `There is no executable ${path}.` });
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const found = folders.map((folder) => join(folder, 'postern')).find(isExecutable);
  if (found) return found;
  throw makeError({ code: 'executable_not_found', text: 'There is no postern on the PATH.' });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
