/** A process that reads mail can do no harm outside of itself, whatever code runs in it. */
import { describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, closeSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Channel } from '../../../src/platform/process/channel.ts';
import { type Frame, readGreeting } from '../../../src/platform/process/frames.ts';
import * as systemCalls from '../../../src/platform/system/system-calls.ts';
import { environment } from '../../doors/operator/command-process.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { haveTool } from '../../peers/tools.ts';
import { program } from '../../program.ts';

interface Outcomes {
  attempts: [what: string, outcome: string][];
  duties: [what: string, outcome: string][];
}

/** Runs taken-over.ts in a folder with a file, beside a server. Returns what it could do, and what is in the folder afterwards. */
async function runTakenOver(allowed: 'internet' | 'nothing') {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'target'), 'secret', { mode: 0o600 });
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  const script = join(import.meta.dir, 'taken-over.ts');
  const command = [process.execPath, script, allowed, folder.path, String(port), String(process.pid)];
  const child = Bun.spawn(command, { env: { BUN_BE_BUN: '1' }, stdio: ['ignore', 'pipe', 'inherit'] });
  const { attempts, duties } = JSON.parse(await new Response(child.stdout).text()) as Outcomes;
  server.close();
  const done = (list: Outcomes['attempts']) => list.filter(([, how]) => how === 'done').map(([what]) => what);
  const files = readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name), 'utf8'));
  return { tried: attempts.length, done: done(attempts), duties: done(duties), files };
}

describe.skipIf(process.platform !== 'linux')('a process that was taken over', () => {
  test('reaches no file, no process and no network, and can do its work', async () => {
    const { tried, done, duties, files } = await runTakenOver('nothing');
    expect(tried).toBe(54);
    expect(done).toEqual([]);
    expect(duties).toEqual([
      'use a thread',
      'compress',
      'collect garbage',
      'stop its main thread, as musl does for that',
      'wait',
    ]);
    expect(files).toEqual(['secret']);
  });

  test('reaches only the internet if it needs that', async () => {
    const { done, files } = await runTakenOver('internet');
    expect(done).toEqual(['open an internet socket', 'connect to a server']);
    expect(files).toEqual(['secret']);
  });
});

test.skipIf(process.platform !== 'linux').each(['parser', 'checker'])(
  'a %s is confined with all its threads, and has no capabilities, before it reads a mail',
  async (role) => {
    const { promise: greeting, resolve, reject } = Promise.withResolvers<Frame>();
    const child = Bun.spawn([...program, `--role=${role}`], {
      env: environment({}),
      stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
    });
    const channel = new Channel(child.stdio[3] as number, {
      onFrames: ([frame]) => resolve(frame!),
      onEnd: reject,
    });
    try {
      expect(readGreeting(await greeting)).toEqual({ unconfined: null });
      const threads = readdirSync(`/proc/${child.pid}/task`);
      expect(threads.length).toBeGreaterThan(1);
      const readStatus = (path: string) => {
        const status = readFileSync(join(path, 'status'), 'utf8');
        return Object.fromEntries(status.split('\n').map((line) => line.split(/:\s+/)));
      };
      // In a container, this process has filters too.
      const ownFilters = Number(readStatus('/proc/self').Seccomp_filters);
      for (const thread of threads) {
        const { Seccomp_filters, CapPrm, CapEff, NoNewPrivs } = readStatus(
          `/proc/${child.pid}/task/${thread}`,
        );
        expect(Number(Seccomp_filters)).toBeGreaterThan(ownFilters);
        expect([BigInt(`0x${CapPrm}`), BigInt(`0x${CapEff}`), NoNewPrivs]).toEqual([0n, 0n, '1']);
      }
    } finally {
      channel.close();
      closeSync(child.stdio[4] as number);
      child.kill('SIGKILL');
      await child.exited;
    }
  },
);

test.skipIf(process.getuid?.() !== 0)(
  "root keeps its capabilities where it can't read the program without them",
  () => {
    using folder = temporaryFolder();
    const script = join(folder.path, 'script.ts');
    const capabilities = join(import.meta.dir, '../../../src/platform/system/capabilities.ts');
    const call = 'startWithoutCapabilities();\nconsole.log(hasCapabilities());';
    writeFileSync(
      script,
      `import { hasCapabilities, startWithoutCapabilities } from '${capabilities}';\n${call}`,
    );
    chownSync(folder.path, 65534, 65534);
    const run = (mode: number) => {
      chmodSync(folder.path, mode);
      const { stdout } = Bun.spawnSync([process.execPath, script], { env: { BUN_BE_BUN: '1' } });
      return stdout.toString().trim();
    };
    expect(run(0o755)).toBe('false');
    expect(run(0o700)).toBe('true');
  },
);

test.skipIf(!haveTool('scmp_sys_resolver'))('the numbers of system calls are those of both machines', () => {
  const resolve = (machine: string, name: string) => {
    const { stdout } = Bun.spawnSync(['scmp_sys_resolver', '-a', machine, name]);
    const number = Number(stdout.toString());
    return number < 0 ? null : number;
  };
  const { LATER_FROM, ...groups } = systemCalls;
  for (const [name, numbers] of Object.values(groups).flatMap((group) => Object.entries(group)))
    expect([name, resolve('x86_64', name), resolve('aarch64', name)]).toEqual([name, ...numbers]);
});
