/** Runs the real program as a child process. */
import { program } from '../../program.ts';

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

type Env = Record<string, string>;

/** The environment of a started program, without BUN_BE_BUN: scripts/test sets it, and the executable would be plain Bun. */
export function environment(env: Env): Record<string, string | undefined> {
  // Settings in this environment must not apply.
  const own = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|BUN_BE_BUN$)/.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...env };
}

/** Runs a command until it ends. */
export async function postern(args: string[], env: Env = {}, stdin = ''): Promise<Ended> {
  const child = Bun.spawn([...program, ...args], {
    env: environment(env),
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { status, stdout, stderr };
}

/** Runs a command with --json, and returns the value that it printed. */
export async function posternJson<Output>(args: string[], env: Env = {}, stdin = ''): Promise<Output> {
  const { status, stdout, stderr } = await postern([...args, '--json'], env, stdin);
  if (status !== 0) throw new Error(`postern ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as Output;
}

export interface Ready {
  event: string;
  http: string;
  smtp: string;
  pid: number;
  api_key?: string;
}

export interface Serving extends AsyncDisposable {
  ready: Ready;
  /** Returns all standard output so far. */
  stdout(): string;
  /** Resolves with all standard error when the process has ended. */
  stderr: Promise<string>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number>;
}

/**
 * Starts `serve` or `capture` on free ports with --json, and waits for the ready line. With `endAfterMs`, kills it
 * after that time, ready or not.
 */
export async function startServing(args: string[], env: Env = {}, endAfterMs?: number): Promise<Serving> {
  const child = Bun.spawn(
    [...program, ...args, '--json', '--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'],
    {
      env: environment(env),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      ...(endAfterMs === undefined ? {} : { timeout: endAfterMs, killSignal: 'SIGKILL' }),
    },
  );
  const stderr = new Response(child.stderr).text();
  let stdout = '';
  const firstLine = Promise.withResolvers<string>();
  void (async () => {
    for await (const chunk of child.stdout) {
      stdout += Buffer.from(chunk).toString();
      if (stdout.includes('\n')) firstLine.resolve(stdout.split('\n')[0]!);
    }
    firstLine.reject(new Error(`the server ended before it was ready: ${await stderr}`));
  })();
  const line = await firstLine.promise;
  return {
    ready: JSON.parse(line) as Ready,
    stdout: () => stdout,
    stderr,
    kill: (signal) => child.kill(signal),
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

/** Sends a request with a key, and returns the status. */
export async function readStatus(url: string, apiKey: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status;
}

/** Starts a server as in a terminal, and returns its output up to the line about Ctrl-C. */
export function startShown(args: string[]): { banner: Promise<string>; end(): void } {
  const child = Bun.spawn([...program, ...args], {
    env: environment({}),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const banner = (async () => {
    let shown = '';
    for await (const chunk of child.stdout) {
      shown += Buffer.from(chunk).toString();
      if (shown.includes('Ctrl-C')) return shown;
    }
    throw new Error(`the server ended after: ${shown}`);
  })();
  return { banner, end: () => child.kill('SIGTERM') };
}

/** Returns what a shell command prints. As in zsh, a file pattern that matches no file is an error. */
export async function shell(line: string | undefined): Promise<string> {
  const command = ['bash', '-O', 'failglob', '-c', line ?? 'exit 1'];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  const [text, status] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (status !== 0) throw new Error(`ended with ${status}: ${line}`);
  return text;
}

/** Starts a web server that answers every request with the same page. */
export function serveHttp(status: number) {
  const headers = { 'content-type': 'text/html' };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<html>', { status, headers }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
