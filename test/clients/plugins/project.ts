/** A user's project, with the packed client and a test runner installed. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { program } from '../../program.ts';
import { installClient } from '../typescript/package.ts';

const docs = join(import.meta.dir, '../../../clients/typescript/docs');

export interface RunnerProject extends Disposable {
  dir: string;
  write(files: Record<string, string>): void;
  /** Runs a program from its node_modules under Node. */
  run(bin: string, args: string[], env?: Record<string, string>): Promise<RunnerResult>;
}

export interface RunnerResult {
  exitCode: number;
  output: string;
}

/** Creates a project. `packages` is another node_modules folder that it uses. */
export async function createProject(packages: string): Promise<RunnerProject> {
  const { dir, [Symbol.dispose]: dispose } = await installClient();
  linkPackages(packages, join(dir, 'node_modules'));
  const bin = join(dir, 'postern');
  // scripts/test sets BUN_BE_BUN, with which the executable would be plain Bun.
  const words = program.map((word) => `'${word}'`).join(' ');
  writeFileSync(bin, `#!/bin/sh\nunset BUN_BE_BUN\nexec ${words} "$@"\n`);
  chmodSync(bin, 0o755);
  return {
    dir,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(dir, name)), { recursive: true });
        writeFileSync(join(dir, name), text);
      }
    },
    run: (name, args, env = {}) => runNode(dir, join(dir, 'node_modules', name), args, env),
    [Symbol.dispose]: dispose,
  };
}

async function runNode(
  dir: string,
  bin: string,
  args: string[],
  env: Record<string, string>,
): Promise<RunnerResult> {
  // Bun's runner sets the first, which other runners take for Jest.
  const outer = { ...process.env };
  for (const name of ['JEST_WORKER_ID', 'NODE_ENV', 'POSTERN_URL']) delete outer[name];
  const child = Bun.spawn(['node', bin, ...args], {
    cwd: dir,
    env: { ...outer, PATH: `${dir}:${process.env.PATH}`, NO_COLOR: '1', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 280_000,
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output: out + err };
}

function linkPackages(from: string, to: string): void {
  const names = readdirSync(from).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name],
  );
  for (const name of names.filter((name) => !name.startsWith('.') && name !== '@postern/client')) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
}

/** Returns the fenced blocks on a page of the client's docs, as printed. */
export function readBlocks(page: string, language: string): string[] {
  const text = readFileSync(join(docs, page), 'utf8');
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return Array.from(text.matchAll(fence), ([, block = '']) => block);
}

/** Returns free ports for programs that can't choose one themselves. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
