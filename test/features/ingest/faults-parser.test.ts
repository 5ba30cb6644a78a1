/** Parser processes that hang, use too much memory, crash or are killed affect only the mail that caused it. */
import { expect, test } from 'bun:test';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KillBudget } from '../../../src/features/ingest/kill-budget.ts';
import { ParserPool } from '../../../src/features/ingest/parser-pool.ts';
import { systemClock } from '../../../src/platform/core/clock.ts';
import { silentLog } from '../../../src/platform/core/log.ts';
import { silentMeters } from '../../../src/platform/core/meters.ts';
import { bundleProgram } from '../../bundled.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';

const odd = [process.execPath, join(import.meta.dir, 'odd-parser.ts')];
const real = [...program, '--role=parser'];

const mail = (subject: string) => ({ bytes: Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`) });

/** A pool that is stopped at the end of the block, and its result for a mail. */
function open(command: string[]) {
  const pool = new ParserPool(command, silentLog, silentMeters, new KillBudget(systemClock));
  const parse = async (subject: string): Promise<string> => {
    const parsed = await pool.parse(mail(subject));
    return parsed ? `${parsed.summary.status} ${parsed.summary.subject}` : 'nothing';
  };
  return { pool, parse, [Symbol.dispose]: () => pool.stop() };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Settles when a process is gone. */
async function gone(pid: number): Promise<void> {
  await until(() => !isAlive(pid));
}

for (const [fault, run] of [
  ['CRASH', test],
  ['EAT', test],
  ['HANG', test.concurrent],
] as const) {
  run(
    `a mail that makes its parser ${fault} is read by its headers, and its neighbours are unaffected`,
    async () => {
      using opened = open(odd);
      const { parse } = opened;
      const before = ['a', 'b', 'c'].map(parse);
      const bad = parse(`bad ${fault}`);
      const began = performance.now();
      const after = Array.from({ length: 40 }, (_, index) => parse(`after ${index}`));
      expect(await Promise.all(before)).toEqual(['parsed a', 'parsed b', 'parsed c']);
      expect(await Promise.all(after)).toEqual(after.map((_, index) => `parsed after ${index}`));
      expect(performance.now() - began).toBeLessThan(40_000);
      expect(await bad).toBe(`failed bad ${fault}`);
    },
    60_000,
  );
}

/** Waits for six seconds, so it runs in parallel with the test before it. */
test.concurrent('a stuck parser is replaced, and the next one parses its message in full', async () => {
  using opened = open(real);
  const { pool, parse } = opened;
  expect(await parse('first')).toBe('parsed first');
  const [pid = 0] = pool.pids;
  process.kill(pid, 'SIGSTOP');
  expect(await parse('second')).toBe('parsed second');
  await gone(pid);
}, 60_000);

test('a machine that stands still for a while costs no parser', async () => {
  using opened = open(real);
  const { pool, parse } = opened;
  expect(await parse('first')).toBe('parsed first');
  const { pids } = pool;
  const second = parse('second');
  // Both processes stop, as in a container that is paused, for longer than a parser may be silent. The parser continues last.
  process.kill(pids[0]!, 'SIGSTOP');
  Bun.sleepSync(6_500);
  await Bun.sleep(300);
  process.kill(pids[0]!, 'SIGCONT');
  expect(await second).toBe('parsed second');
  expect(pool.pids).toEqual(pids);
}, 60_000);

test('nonsense from a parser that a mail took over affects no other mail, and that mail is kept', async () => {
  using bundled = await bundleProgram(join(import.meta.dir, 'nonsense-parser.ts'));
  using opened = open([process.execPath, bundled.path]);
  const { parse } = opened;
  const seeds = Array.from({ length: 27 }, (_, seed) => seed);
  const bad = seeds.map((seed) => parse(`nonsense ${seed}`));
  const good = await Promise.all(seeds.map((seed) => parse(`fine ${seed}`)));
  expect(good).toEqual(seeds.map((seed) => `parsed fine ${seed}`));
  for (const [seed, read] of (await Promise.all(bad)).entries()) {
    // One changed byte may be within a subject.
    const isOdd = seed % 9 === 3;
    if (!isOdd) expect([seed, read]).toEqual([seed, `parsed nonsense ${seed}`]);
  }
}, 60_000);

test.each(['head', 'full head', 'recipients', 'heartbeats', 'pulse', 'answers', 'bytes', 'stderr'])(
  'a parser that a mail took over, and that floods the server with %s, is ended and takes little of its time',
  async (flood) => {
    using bundled = await bundleProgram(join(import.meta.dir, 'flooding-parser.ts'));
    using opened = open([process.execPath, bundled.path]);
    const { parse } = opened;
    expect(await parse('first')).toBe('parsed first');
    const beganMs = cpuMs();
    const bad = parse(`FLOOD ${flood}`);
    const after = Array.from({ length: 8 }, (_, index) => parse(`after ${index}`));
    expect(await bad).toBe(`failed FLOOD ${flood}`);
    expect(await Promise.all(after)).toEqual(after.map((_, index) => `parsed after ${index}`));
    // Without bounds, a head alone took 3.7 s, and signs of life never ended.
    expect(cpuMs() - beganMs).toBeLessThan(600);
  },
  30_000,
);

test('a message of which nothing can be parsed returns nothing, and does not hold up the others', async () => {
  using opened = open(odd);
  const { parse } = opened;
  const results = await Promise.all([
    parse('NEVER one'),
    parse('fine'),
    parse('NEVER two'),
    parse('NEVER three'),
  ]);
  expect(results).toEqual(['nothing', 'parsed fine', 'nothing', 'nothing']);
}, 60_000);

test('a message that can’t be quoted returns nothing, and the one beside it is quoted', async () => {
  using crashing = open(odd);
  expect(await crashing.pool.quotable(Buffer.from('CRASH'), { pictures: false }, 1)).toBeNull();
  using opened = open(real);
  const { pool } = opened;
  const json = Buffer.from(JSON.stringify({ text: '', html: '<p onclick="x()">a</p>' }));
  expect(
    await Promise.all([
      pool.quotable(Buffer.from('no content'), { pictures: false }, 1),
      pool.quotable(json, { pictures: false }, 1),
    ]),
  ).toEqual([null, { text: 'a', html: '<p>a</p>' }]);
}, 20_000);

test('large mails that hang one after the other hold up no ordinary mail', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'large.eml');
  writeFileSync(file, 'Subject: HANG\r\n\r\nx\r\n');
  using opened = open(odd);
  const { pool, parse } = opened;
  for (let count = 0; count < 6; count++) void pool.parse({ file });
  const began = performance.now();
  for (let count = 0; count < 20; count++)
    expect(await parse(`ordinary ${count}`)).toBe(`parsed ordinary ${count}`);
  expect(performance.now() - began).toBeLessThan(5500);
}, 60_000);

test('parsers killed from outside in mid-work lose no message', async () => {
  using opened = open(real);
  const { pool, parse } = opened;
  const wanted = Array.from({ length: 400 }, (_, index) => parse(`mail ${index}`));
  const killed: number[] = [];
  for (const half of [wanted.slice(0, 100), wanted.slice(0, 250)]) {
    const victims = pool.pids.filter((pid) => !killed.includes(pid));
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    killed.push(...victims);
    await Promise.all(half);
  }
  expect(killed.length).toBeGreaterThan(0);
  expect(await Promise.all(wanted)).toEqual(wanted.map((_, index) => `parsed mail ${index}`));
}, 60_000);

test('stopping leaves no process, not even one that hangs while it retries a mail alone', async () => {
  using opened = open(odd);
  const { pool, parse } = opened;
  void parse('bad HANG');
  const first = pool.pids[0]!;
  process.kill(first, 'SIGKILL');
  await gone(first);
  // Now it hangs a process of its own.
  const others = () => pool.pids.filter((pid) => pid !== first);
  await until(() => others().length !== 0);
  const alone = others()[0]!;
  const began = performance.now();
  pool.stop();
  await gone(alone);
  // The watchdog was not needed; it takes 2.5 s.
  expect(performance.now() - began).toBeLessThan(2000);
}, 60_000);

test('what a parser would read is rejected while none can be started, and read once one can', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'parser');
  using opened = open([path, ...odd.slice(1)]);
  const { pool, parse } = opened;
  pool.prestart();
  const refused = Promise.allSettled([parse('a'), parse('b')]);
  for (const one of await refused)
    expect(String((one as { reason?: Error }).reason)).toContain('no process can be');
  symlinkSync(process.execPath, path);
  expect(await parse('c')).toBe('parsed c');
  // The running parser is killed while it works, and no other can be started.
  process.kill(pool.pids[0]!, 'SIGSTOP');
  const interrupted = Promise.allSettled([parse('d'), parse('e')]);
  rmSync(path);
  process.kill(pool.pids[0]!, 'SIGKILL');
  expect((await interrupted).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  symlinkSync(process.execPath, path);
  expect(await parse('f')).toBe('parsed f');
}, 20_000);

test('no mail is to blame for a parser that ends before it has begun', async () => {
  using opened = open(['false']);
  const fault = await opened.parse('a').catch(String);
  expect(fault).toContain('a parser process ended before it had begun');
  expect(opened.pool.pids).toEqual([]);
});
