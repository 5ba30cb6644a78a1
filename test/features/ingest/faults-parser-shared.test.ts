/** Parsers are shared: what one network sends, or one account views, delays no other. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KillBudget } from '../../../src/features/ingest/kill-budget.ts';
import { ParserPool } from '../../../src/features/ingest/parser-pool.ts';
import { type Clock, systemClock } from '../../../src/platform/core/clock.ts';
import { silentLog } from '../../../src/platform/core/log.ts';
import { type Meters, silentMeters } from '../../../src/platform/core/meters.ts';
import type { SafeHtml } from '../../../src/platform/mail/parsed.ts';
import { parsing } from '../../../src/rules/parsing.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { program } from '../../program.ts';
import { bombs } from './bombs.ts';

const odd = [process.execPath, join(import.meta.dir, 'odd-parser.ts')];
const real = [...program, '--role=parser'];

const ATTACKER = '192.0.2.66';
const NEIGHBOUR = '192.0.2.7';
const HONEST = '198.51.100.1';
const LARGE = 24_000_000;

/** A pool, its tasks, and the order of their answers. */
function open({
  command = odd,
  clock = systemClock,
  isCapture = false,
}: {
  command?: string[];
  clock?: Clock;
  isCapture?: boolean;
} = {}) {
  const folder = temporaryFolder();
  const kills: string[] = [];
  const meters: Meters = {
    ...silentMeters,
    count(name, labels) {
      if (name === 'parser_kills_total') kills.push(String(labels?.reason));
    },
  };
  const budget = isCapture ? null : new KillBudget(clock);
  const pool = new ParserPool(command, silentLog, meters, budget);
  const answered: string[] = [];
  const settle = async (name: string, what: Promise<{ summary: { status: string } } | SafeHtml | null>) => {
    const result = await what;
    const status = result && 'html' in result ? result.html : (result?.summary.status ?? 'nothing');
    answered.push(name);
    return status;
  };
  /** A mail larger than intake keeps in memory, so it is in a file. */
  const large = (
    name: string,
    clientAddress?: string,
    size = LARGE,
    raw = `Subject: ${name}\r\n\r\nx\r\n`,
  ) => {
    const file = join(folder.path, `${name}.eml`);
    writeFileSync(file, raw);
    return settle(name, pool.parse({ file }, { clientAddress, size }));
  };
  const small = (name: string, clientAddress: string) =>
    settle(name, pool.parse({ bytes: Buffer.from(`Subject: ${name}\r\n\r\nx\r\n`) }, { clientAddress }));
  const dispose = () => {
    pool.stop();
    folder[Symbol.dispose]();
  };
  return { pool, large, small, settle, answered, kills, [Symbol.dispose]: dispose };
}

test('a large message waits for one message of another network, not for its whole queue', async () => {
  using opened = open();
  const queue = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, nth) =>
    opened.large(name, nth % 2 ? ATTACKER : NEIGHBOUR),
  );
  await Promise.all([...queue, opened.large('honest', HONEST, 300_000)]);
  expect(opened.answered).toEqual(['a', 'honest', 'b', 'c', 'd', 'e', 'f']);
});

test('within one network, large messages take turns with the largest', async () => {
  using opened = open();
  const queue = ['a', 'b', 'c', 'd'].map((name) => opened.large(name, ATTACKER));
  await Promise.all([...queue, opened.large('medium', NEIGHBOUR, 300_000)]);
  expect(opened.answered).toEqual(['a', 'medium', 'b', 'c', 'd']);
});

test('small messages take turns too, and a process gets few large ones at a time', async () => {
  using opened = open();
  const body = 'x'.repeat(200_000);
  const bytes = (name: string) => ({ bytes: Buffer.from(`Subject: ${name}\r\n\r\n${body}\r\n`) });
  const parse = (name: string, clientAddress: string) =>
    opened.settle(name, opened.pool.parse(bytes(name), { clientAddress, size: 200_000 }));
  const queue = Array.from({ length: 30 }, (_, nth) => parse(`${nth}`, ATTACKER));
  await Promise.all([...queue, parse('honest', HONEST)]);
  expect(opened.answered.indexOf('honest')).toBeLessThan(10);
});

test('a large message that kills its parser affects no other: it is the only one in that process', async () => {
  using opened = open();
  const bad = opened.large('CRASH', ATTACKER);
  const others = ['a', 'b', 'c'].map((name) => opened.large(name, HONEST));
  expect(await Promise.all([bad, ...others])).toEqual(['failed', 'parsed', 'parsed', 'parsed']);
  // Once in the lane, once alone.
  expect(opened.kills).toHaveLength(2);
});

test('a view waits neither for mail nor for another account', async () => {
  using opened = open();
  const bad = opened.large('HANG', ATTACKER);
  const plain = { remoteImages: false, dark: false };
  const views = ['a', 'b', 'c'].map((name) =>
    opened.settle(name, opened.pool.safeHtml(`<p>${name}</p>`, plain, 1)),
  );
  const view = opened.settle('view', opened.pool.safeHtml('<p>x</p>', plain, 2));
  expect(await view).toBe('<p>x</p>');
  await Promise.all(views);
  expect(opened.answered).toEqual(['a', 'b', 'view', 'c']);
  opened.pool.stop();
  void bad;
}, 20_000);

test('after a kill, large messages of that network are parsed by their headers alone for a while', async () => {
  const clock = new FakeClock();
  using opened = open({ clock });
  expect(await opened.large('CRASH', ATTACKER)).toBe('failed');
  const { length } = opened.kills;
  expect(await opened.large('CRASH again', NEIGHBOUR)).toBe('failed');
  expect(await opened.large('honest beside it', NEIGHBOUR)).toBe('failed');
  expect(opened.kills).toHaveLength(length);
  expect(await opened.small('small', NEIGHBOUR)).toBe('parsed');
  expect(await opened.large('of another network', HONEST)).toBe('parsed');
  expect(await opened.large('which the operator imports')).toBe('parsed');
  await clock.advance((parsing.killWindowS + 1) * 1000);
  expect(await opened.large('later', NEIGHBOUR)).toBe('parsed');
});

test('large messages that wait while another of their network is retried do not cost a kill each', async () => {
  using opened = open({ clock: new FakeClock() });
  const bad = Array.from({ length: 8 }, (_, nth) => opened.large(`CRASH ${nth}`, ATTACKER));
  expect(await Promise.all(bad)).toEqual(bad.map(() => 'failed'));
  expect(opened.kills.length).toBeLessThan(8);
});

test('in capture mode a kill has no consequence for the next message', async () => {
  using opened = open({ isCapture: true });
  expect(await opened.large('CRASH', '127.0.0.1')).toBe('failed');
  expect(await opened.large('next', '127.0.0.1')).toBe('parsed');
});

test('24 MB of line ends in padded base64 are parsed, within the time and memory of a parser', async () => {
  using opened = open({ command: real });
  const bomb = bombs['line ends in padded base64, 24 MB']!();
  expect(await opened.large('bomb', ATTACKER, LARGE, bomb)).toBe('parsed');
  // On a slow machine it may use up the processor time of a first try.
  expect(opened.kills.filter((reason) => reason !== 'it took too long')).toEqual([]);
}, 30_000);
