import { describe, expect, test } from 'bun:test';
import type { DnsOutcome, Resolver } from '../../../src/platform/net/dns.ts';
import { makeCachedResolver } from '../../../src/platform/net/dns-cache.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

type Answer = DnsOutcome<string>;

/** A zone whose answers a test sets. With `held`, each look-up waits until it is released. */
function zone(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const state = { hold: false };
  const look = async (type: string, name: string) => {
    asked.push(`${type} ${name}`);
    if (state.hold) await new Promise<void>((done) => held.push(done));
    return answers[`${type} ${name.toLowerCase()}`] ?? { kind: 'nxdomain', ttlS: null };
  };
  const resolver = {
    a: (name) => look('A', name),
    aaaa: (name) => look('AAAA', name),
    mx: (name) => look('MX', name),
    txt: (name) => look('TXT', name),
    ptr: (name) => look('PTR', name),
  } as Resolver;
  return { resolver, asked, held, state };
}

const answer = (ttlS: number, records = 1): Answer => ({
  kind: 'answer',
  records: Array.from({ length: records }, (_, index) => `192.0.2.${index}`),
  ttlS,
});

describe('the cache of DNS answers', () => {
  test('keeps an answer for its TTL and no longer, separately for each type and name', async () => {
    const clock = new FakeClock();
    const { resolver, asked } = zone({ 'A a.test': answer(60), 'AAAA a.test': answer(10) });
    const cached = makeCachedResolver(resolver, clock);
    for (let count = 0; count < 3; count++) {
      expect(await cached.a('a.test')).toMatchObject({ records: ['192.0.2.0'] });
      await cached.aaaa('A.test');
    }
    expect(asked).toEqual(['A a.test', 'AAAA A.test']);
    await clock.advance(59_999);
    await Promise.all([cached.a('a.test'), cached.aaaa('a.test')]);
    expect(asked.slice(2)).toEqual(['AAAA a.test']);
    await clock.advance(1);
    await cached.a('a.test');
    expect(asked.slice(3)).toEqual(['A a.test']);
  });

  test('keeps a negative answer for as long as the zone says, at most five minutes', async () => {
    const clock = new FakeClock();
    const { resolver, asked } = zone({
      'MX short.test': { kind: 'nodata', ttlS: 30 },
      'MX long.test': { kind: 'nxdomain', ttlS: 86_400 },
      'MX silent.test': { kind: 'nxdomain', ttlS: null },
    });
    const cached = makeCachedResolver(resolver, clock);
    const all = () => Promise.all(['short.test', 'long.test', 'silent.test'].map((name) => cached.mx(name)));
    await all();
    await all();
    expect(asked.slice(3)).toEqual(['MX silent.test']);
    await clock.advance(30_000);
    await all();
    expect(asked.slice(4)).toEqual(['MX short.test', 'MX silent.test']);
    await clock.advance(270_000);
    await cached.mx('long.test');
    expect(asked.slice(6)).toEqual(['MX long.test']);
  });

  test('keeps no failure, nothing with a TTL of zero, and no answer with many records', async () => {
    const failures: Answer[] = [
      { kind: 'servfail', reason: 'x' },
      { kind: 'timeout', reason: 'x' },
      { kind: 'refused', reason: 'x' },
    ];
    for (const outcome of [...failures, answer(0), answer(60, 17)]) {
      const { resolver, asked } = zone({ 'A a.test': outcome });
      const cached = makeCachedResolver(resolver, new FakeClock());
      expect(await cached.a('a.test')).toEqual(outcome);
      await cached.a('a.test');
      expect(asked).toHaveLength(2);
    }
  });

  test('cuts a long TTL to an hour', async () => {
    const clock = new FakeClock();
    const { resolver, asked } = zone({ 'A a.test': answer(86_400) });
    const cached = makeCachedResolver(resolver, clock);
    await cached.a('a.test');
    await clock.advance(3_599_000);
    await cached.a('a.test');
    expect(asked).toHaveLength(1);
    await clock.advance(1_000);
    await cached.a('a.test');
    expect(asked).toHaveLength(2);
  });

  test('asks once for equal questions at the same time, even if that fails', async () => {
    for (const outcome of [answer(60), { kind: 'servfail', reason: 'x' } as Answer]) {
      const { resolver, asked, held, state } = zone({ 'A a.test': outcome });
      state.hold = true;
      const cached = makeCachedResolver(resolver, new FakeClock());
      const all = Promise.all(Array.from({ length: 50 }, () => cached.a('a.test')));
      await Promise.resolve();
      for (const release of held) release();
      expect(new Set(await all).size).toBe(1);
      expect(asked).toHaveLength(1);
    }
  });

  test('has at most 200 questions in flight, and the others wait', async () => {
    const { resolver, asked, held, state } = zone({});
    state.hold = true;
    const cached = makeCachedResolver(resolver, new FakeClock());
    const all = Array.from({ length: 500 }, (_, index) => cached.a(`${index}.test`));
    await new Promise((done) => setImmediate(done));
    expect(asked).toHaveLength(200);
    state.hold = false;
    for (const release of held) release();
    expect(await Promise.all(all)).toHaveLength(500);
    expect(asked).toHaveLength(500);
  });

  test('frees the slots of a bounded number of questions that take longer than half a second', async () => {
    const clock = new FakeClock();
    const { resolver, asked, held, state } = zone({ 'A good.test': answer(60) });
    state.hold = true;
    const cached = makeCachedResolver(resolver, clock);
    const silent = Array.from({ length: 2_000 }, (_, index) => cached.a(`${index}.test`));
    await clock.advance(0);
    await clock.advance(499);
    expect(asked).toHaveLength(200);
    const underWay: number[] = [];
    for (let round = 0; round < 5; round++) {
      await clock.advance(round === 0 ? 1 : 500);
      underWay.push(asked.length);
    }
    expect(underWay).toEqual([400, 600, 800, 800, 800]);
    // Those that end free as many slots, and none twice.
    for (const release of held.splice(0)) release();
    await clock.advance(0);
    expect(asked).toHaveLength(1_000);
    state.hold = false;
    for (const release of held.splice(0)) release();
    await Promise.all(silent);
    expect([asked.length, clock.timersSet]).toEqual([2_000, 0]);
    state.hold = true;
    const again = Array.from({ length: 300 }, (_, index) => cached.aaaa(`${index}.test`));
    await clock.advance(0);
    expect(asked).toHaveLength(2_200);
    state.hold = false;
    for (const release of held.splice(0)) release();
    await Promise.all(again);
  });

  test('reports a question for which no slot was free, and asks it again later', async () => {
    const clock = new FakeClock();
    const { resolver, asked, held, state } = zone({ 'A good.test': answer(60) });
    state.hold = true;
    const cached = makeCachedResolver(resolver, clock);
    const silent = Array.from({ length: 1_000 }, (_, index) => cached.a(`${index}.test`));
    const good = cached.a('good.test');
    await clock.advance(0);
    await clock.advance(10_000);
    expect((await good).kind).toBe('timeout');
    expect(asked).not.toContain('A good.test');
    state.hold = false;
    for (const release of held.splice(0)) release();
    await Promise.all(silent);
    expect(await cached.a('good.test')).toEqual(answer(60));
  });

  test('drops the least recently asked when it has ten thousand', async () => {
    const names = Array.from({ length: 10_001 }, (_, index) => `${index}.test`);
    const { resolver, asked } = zone(Object.fromEntries(names.map((name) => [`A ${name}`, answer(60)])));
    const cached = makeCachedResolver(resolver, new FakeClock());
    for (const name of names.slice(0, 10_000)) await cached.a(name);
    await cached.a('0.test');
    await cached.a('10000.test');
    const before = asked.length;
    await cached.a('0.test');
    expect(asked).toHaveLength(before);
    await cached.a('1.test');
    expect(asked).toHaveLength(before + 1);
  });
});
