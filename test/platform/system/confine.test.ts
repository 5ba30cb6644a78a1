/** A process that reads mail can do no harm outside of itself, whatever code runs in it. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { KillBudget } from '../../../src/features/ingest/kill-budget.ts';
import { ParserPool } from '../../../src/features/ingest/parser-pool.ts';
import { systemClock } from '../../../src/platform/core/clock.ts';
import { silentLog } from '../../../src/platform/core/log.ts';
import { silentMeters } from '../../../src/platform/core/meters.ts';
import * as systemCalls from '../../../src/platform/system/system-calls.ts';
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
    expect(tried).toBe(38);
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

test.skipIf(process.platform !== 'linux')(
  'a parser is confined with all its threads before it reads a mail',
  async () => {
    const pool = new ParserPool(
      [...program, '--role=parser'],
      silentLog,
      silentMeters,
      new KillBudget(systemClock),
    );
    try {
      const mail = await pool.parse({ bytes: Buffer.from('Subject: a\r\n\r\nx\r\n') });
      expect(mail?.summary.subject).toBe('a');
      const threads = readdirSync(`/proc/${pool.pids[0]}/task`);
      expect(threads.length).toBeGreaterThan(1);
      // In a container, this process has filters too.
      const countFilters = (path: string) =>
        Number(/^Seccomp_filters:\t(\d+)$/m.exec(readFileSync(join(path, 'status'), 'utf8'))?.[1]);
      const own = countFilters('/proc/self');
      for (const thread of threads)
        expect(countFilters(`/proc/${pool.pids[0]}/task/${thread}`)).toBeGreaterThan(own);
    } finally {
      pool.stop();
    }
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
