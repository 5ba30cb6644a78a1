/** Batches (docs/verification.md): rows and their order, budgets, the deadline, and the number of DNS queries. */
import { describe, expect, test } from 'bun:test';
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { findMailHost } from '../../../src/features/verification/mail-host.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { until } from '../../until.ts';
import { startVerifying, type Verifying } from './verifying.ts';

// biome-ignore lint/suspicious/noExplicitAny: results as the wire has them.
const emails = (reply: { json: any }) => reply.json.data.results.map(({ email }: { email: string }) => email);

const many = (count: number, domain = 'good.test') =>
  Array.from({ length: count }, (_, index) => `a${index}@${domain}`);

async function usage({ appliance, holder }: Verifying): Promise<number> {
  const reply = await appliance.request('GET', '/api/v1/account', { key: holder.key });
  return reply.json.data.usage.verifications;
}

describe('a batch', () => {
  test('returns a result for each address, in order, and a summary', async () => {
    await using here = await startVerifying();
    here.domain('good.test');
    here.dns.set('sick.test', 'MX', { code: 2 });
    const asked = [
      'ann@good.test',
      'email',
      'info@good.test',
      'x@unknown.test',
      'x@sick.test',
      'a@[192.0.2.1]',
    ];
    const reply = await here.batch({ emails: asked });
    expect([reply.status, Object.keys(reply.json.data)]).toEqual([200, ['mode', 'results', 'summary']]);
    expect(reply.json.data).toMatchObject({
      mode: 'safe',
      summary: { total: 6, deliverable: 1, risky: 1, undeliverable: 3, unknown: 1 },
    });
    expect(reply.json.data.results[0]).toEqual(await here.result('ann@good.test'));
    expect(
      reply.json.data.results.map((result: Record<string, string>) => [result.email, result.reason]),
    ).toEqual([
      ['ann@good.test', 'ok'],
      ['email', 'invalid_syntax'],
      ['info@good.test', 'role_account'],
      ['x@unknown.test', 'domain_not_found'],
      ['x@sick.test', 'dns_error'],
      ['a@[192.0.2.1]', 'no_mail_server'],
    ]);
    expect(reply.json.data.results[1]).toMatchObject({
      domain: null,
      syntax_valid: false,
      deliverable: 'undeliverable',
    });
  });

  test('accepts a list, a pasted text or a file', async () => {
    await using here = await startVerifying();
    here.domain('good.test');
    const text =
      '\ufeffemail\r\n"ann@good.test", bob@good.test;cleo@good.test\t ann@good.test\n\n\'dan@good.test\'';
    const wanted = ['email', 'ann@good.test', 'bob@good.test', 'cleo@good.test', 'dan@good.test'];
    for (const reply of [
      await here.batch({ text }),
      await here.upload(new File([text], 'list.csv')),
      await here.upload(new File([text], 'LIST.TXT', { type: 'application/pdf' }), { mode: 'safe' }),
      await here.batch({
        emails: ['email', ' "ann@good.test"', ...wanted.slice(2), 'ann@good.test ', '', '""', ' '],
      }),
    ]) {
      expect([reply.status, emails(reply)]).toEqual([200, wanted]);
    }
    // A list is not split, and only identical entries are duplicates.
    expect(
      emails(await here.batch({ emails: ['a@good.test,b@good.test', 'A@good.test', 'a@good.test'] })),
    ).toHaveLength(3);
    expect(await usage(here)).toBe(4 * 5 + 3);
  });

  test('cuts a token at 320 characters', async () => {
    await using here = await startVerifying();
    const long = `${'a'.repeat(400)}@good.test`;
    const reply = await here.batch({
      emails: [long, `${long}x`, `${'😀'.repeat(200)}`, `x${'😀'.repeat(200)}`],
    });
    expect(emails(reply)).toEqual(['a'.repeat(320), '😀'.repeat(160), `x${'😀'.repeat(159)}`]);
    expect(reply.json.data.summary.undeliverable).toBe(3);
  });

  test('has at most 100 rows, 25 in full mode, counted without duplicates and before any work', async () => {
    await using here = await startVerifying({ settings: { limits: 'off' } });
    here.domain('good.test');
    const doubled = [...many(100), ...many(100)];
    expect((await here.batch({ emails: doubled })).json.data.summary.total).toBe(100);
    expect((await here.batch({ text: doubled.join('\n') })).json.data.summary.total).toBe(100);
    expect((await here.batch({ emails: many(25), mode: 'full' })).json.data.mode).toBe('full');
    const before = here.dns.asked.length;
    for (const [body, field, most] of [
      [{ emails: many(101, 'new.test') }, 'emails', 100],
      [{ text: many(101, 'new.test').join(' ') }, 'text', 100],
      [{ emails: many(26, 'new.test'), mode: 'full' }, 'emails', 25],
    ] as const) {
      const reply = await here.batch(body);
      expect([reply.status, reply.json.error.code]).toEqual([422, 'batch_too_large']);
      expect(reply.json.error.fields[field]).toEqual([
        expect.stringContaining(`at most ${most} are accepted`),
      ]);
    }
    const file = await here.upload(new File([many(26).join('\n')], 'x.txt'), { mode: 'full' });
    expect([file.status, file.json.error.code]).toEqual([422, 'batch_too_large']);
    expect(here.dns.asked).toHaveLength(before);
  });

  test('must have exactly one of a list, a text and a file', async () => {
    await using here = await startVerifying();
    for (const [body, fields] of [
      [{}, ['emails', 'text']],
      [{ mode: 'safe' }, ['emails', 'text']],
      [{ emails: ['a@b.c'], text: 'a@b.c' }, ['emails', 'text']],
      [{ emails: [], text: '' }, ['emails', 'text']],
      [{ emails: [] }, ['emails']],
      [{ emails: ['', '""'] }, ['emails']],
      [{ text: ' ;,\n' }, ['text']],
      [{ emails: 'a@b.c' }, ['emails']],
      [{ emails: [1] }, ['emails']],
      [{ emails: null }, ['emails']],
      [{ text: ['a@b.c'] }, ['text']],
      [{ text: 'a@b.c', mode: 'x' }, ['mode']],
      [{ file: 'a@b.c' }, ['file', 'emails', 'text']],
    ] as const) {
      const reply = await here.batch(body);
      expect([JSON.stringify(body), reply.status, reply.json.error?.code]).toEqual([
        JSON.stringify(body),
        422,
        'validation_error',
      ]);
      expect(Object.keys(reply.json.error.fields)).toEqual([...fields]);
    }
    expect(await usage(here)).toBe(0);
  });

  test('of one domain asks the DNS once, even where nothing may be cached', async () => {
    await using here = await startVerifying();
    here.dns.set('one.test', 'MX', {
      records: [{ type: 'MX', data: '10 mx.one.test', ttlS: 0 }],
      delay_ms: 20,
    });
    here.dns.set('two.test', 'MX', { delay_ms: 20 });
    here.dns.set('two.test', 'A', { records: [{ type: 'A', data: '192.0.2.1', ttlS: 0 }] });
    here.dns.set('two.test', 'AAAA', {});
    here.dns.set('sick.test', 'MX', { code: 2 });
    const domains = ['one.test', 'two.test', 'sick.test'];
    await here.batch({ emails: domains.flatMap((domain) => many(30, domain)) });
    expect([...here.dns.asked].sort()).toEqual([
      ...['A two.test udp', 'AAAA two.test udp', 'MX one.test udp', 'MX sick.test udp', 'MX two.test udp'],
    ]);
  });

  test('in full mode has at most two sessions with a domain at a time, and ten in total', async () => {
    await using here = await startVerifying({ plan: { rcpt: () => '250 Ok', ehlo: 'silence' } });
    for (const name of ['one.test', 'two.test']) here.domain(name);
    const hungUp = new AbortController();
    const ask = (asked: string[]) =>
      fetch(`${here.appliance.url}/api/v1/verify/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${here.holder.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ emails: asked, mode: 'full' }),
        signal: hungUp.signal,
      }).catch(() => 'gone');
    const first = ask([...many(10, 'one.test'), ...many(10, 'two.test')]);
    await until(() => here.exchange.open === 4);
    const names = Array.from({ length: 12 }, (_, index) => here.domain(`d${index}.test`));
    const second = ask(names.map((name) => `ann@${name}`));
    await until(() => here.exchange.open === 14);
    hungUp.abort();
    expect(await Promise.all([first, second])).toEqual(['gone', 'gone']);
    await until(() => here.exchange.open === 0);
    expect(here.exchange.peak).toBe(14);
  });
});

describe('the deadline of a batch', () => {
  test('is 60 seconds: addresses without a turn are unknown, in their place, and charged', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, plan: { ehlo: 'silence' } });
    const domains = Array.from({ length: 4 }, (_, index) => here.domain(`d${index}.test`));
    const asked = [...domains.flatMap((domain) => many(5, domain)), 'a..b@x.test', 'x@unknown.test'];
    const answer = here.batch({ emails: asked, mode: 'full' });
    const countGreeted = () => here.exchange.sessions.filter((said) => said.length === 1).length;
    await until(() => countGreeted() === 8);
    await clock.leap(60_000);
    const { status, json } = await answer;
    expect([status, json.data.results.map(({ email }: { email: string }) => email)]).toEqual([200, asked]);
    const reasons = json.data.results.map(({ reason }: { reason: string }) => reason);
    expect(reasons.slice(-2)).toEqual(['invalid_syntax', 'domain_not_found']);
    const late = json.data.results.filter(
      (one: { reason: string }) => one.reason === 'batch_budget_exhausted',
    );
    expect(late.length).toBe(12);
    for (const result of late) {
      expect(result).toMatchObject({ deliverable: 'unknown', checked: 'syntax', syntax_valid: true });
      expect(result.smtp).toEqual({ probe: 'skipped', rcpt_code: null, catch_all: null, reason: 'deadline' });
    }
    expect(json.data.summary).toEqual({ total: 22, deliverable: 8, risky: 0, undeliverable: 2, unknown: 12 });
    expect(await usage(here)).toBe(22);
    expect(here.exchange.sessions).toHaveLength(8);
  });

  test('also ends pending DNS look-ups', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock });
    here.domain('good.test');
    here.dns.set('slow.test', 'MX', { silent: 'both' });
    const answer = here.batch({ emails: ['ann@good.test', 'ann@slow.test', 'a..b@slow.test'] });
    await until(() => here.dns.asked.length >= 2);
    // The fast row is done as soon as its result is known.
    await here.result('ann@good.test');
    await clock.advance(60_000);
    const { json } = await answer;
    expect(json.data.results.map(({ reason }: { reason: string }) => reason)).toEqual([
      ...['ok', 'batch_budget_exhausted', 'invalid_syntax'],
    ]);
  });

  test('is moved to now when the appliance stops, which answers with what it knows', async () => {
    const here = await startVerifying({ plan: { ehlo: 'silence' } });
    here.domain('one.test');
    const answer = here.batch({ emails: many(5, 'one.test'), mode: 'full' });
    await until(() => here.exchange.open === 2);
    await here[Symbol.asyncDispose]();
    expect((await answer).json.data.summary).toMatchObject({ total: 5, deliverable: 2, unknown: 3 });
  });
});

describe('the budgets', () => {
  const settings = { limit_verify_key_per_hour: '10', limit_verify_account_per_hour: '15' };

  test('are charged by single requests and batches, a batch completely or not at all', async () => {
    const clock = new FakeClock();
    await using here = await startVerifying({ clock, settings });
    here.domain('good.test');
    const left = (reply: { headers: Headers }) => reply.headers.get('x-ratelimit-remaining');
    expect(left(await here.batch({ emails: many(7) }))).toBe('3');
    const refused = await here.batch({ emails: many(4) });
    expect([refused.status, refused.json.error.code, left(refused)]).toEqual([429, 'rate_limited', '3']);
    expect(refused.headers.get('retry-after')).toBe('3600');
    expect(refused.headers.get('x-ratelimit-limit')).toBe('10');
    for (const remaining of ['2', '1', '0']) {
      const reply = await here.verify({ email: 'ann@good.test' });
      expect([reply.status, left(reply)]).toEqual([200, remaining]);
    }
    await clock.advance(600_000);
    // An empty budget refuses before the body is read. The account's other key has its own.
    const empty = await here.verify({ nonsense: 1 });
    expect([empty.status, empty.headers.get('retry-after')]).toEqual([429, '3000']);
    expect((await here.batch({ emails: ['a@good.test'] })).status).toBe(429);
    const second = await createKey(here.appliance.services, here.holder.account, {});
    expect((await here.batch({ emails: many(6) }, second.api_key)).status).toBe(429);
    const rest = await here.batch({ emails: many(5) }, second.api_key);
    expect([rest.status, left(rest), rest.headers.get('x-ratelimit-limit')]).toEqual([200, '0', '15']);
    expect((await here.verify({ email: 'ann@good.test' }, second.api_key)).status).toBe(429);
    const other = await here.appliance.holder();
    expect((await here.batch({ emails: many(10) }, other.key)).status).toBe(200);
    expect(await usage(here)).toBe(15);
    await clock.advance(3_000_000);
    expect((await here.batch({ emails: many(10) })).status).toBe(200);
  });

  test('are not charged for refused requests', async () => {
    await using here = await startVerifying({ settings: { ...settings, verify_full: 'off' } });
    for (const body of [{}, { email: 'x' }, { email: 'a@b.c', mode: 'full' }, { email: 'a@b.c', x: 1 }]) {
      await here.verify(body);
    }
    await here.batch({ emails: many(101) });
    await here.upload(new File(['\u0000'], 'x.csv'));
    const reply = await here.batch({ emails: many(10, 'x.invalid') });
    expect([reply.status, reply.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
  });

  test('are never overdrawn by simultaneous batches', async () => {
    await using here = await startVerifying({ settings });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => here.batch({ emails: many(4, 'x.invalid') })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
    expect(await usage(here)).toBe(8);
  });

  test('are 300 an hour for a key and 1,000 for an account, and lifted with all limits', async () => {
    await using here = await startVerifying();
    const reply = async (verifying: Verifying) => verifying.batch({ emails: many(100, 'x.invalid') });
    const statuses = [await reply(here), await reply(here), await reply(here), await reply(here)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(here.appliance.services.limits.verify_account_per_hour.max).toBe(1000);
    await using free = await startVerifying({ settings: { ...settings, limits: 'off' } });
    for (let count = 0; count < 4; count++) expect((await reply(free)).status).toBe(200);
    expect(await usage(free)).toBe(400);
  });
});

test('a failed look-up of one step does not affect another', async () => {
  const nothing = { kind: 'nodata', ttlS: null } as const;
  const timeout = { kind: 'timeout', reason: 'x' } as const;
  const resolver = { mx: async () => nothing, a: async () => timeout, aaaa: async () => nothing };
  expect(await findMailHost(resolver, 'x.test')).toEqual({ kind: 'unknown' });
  expect(await findMailHost({ ...resolver, mx: async () => timeout }, 'x.test')).toEqual({ kind: 'unknown' });
  expect(await findMailHost({ ...resolver, a: async () => nothing }, 'x.test')).toEqual({
    kind: 'none',
    reason: 'no_mail_server',
  });
});

test('at most the best twenty hosts of a zone are considered', async () => {
  const records = Array.from({ length: 200 }, (_, at) => ({ exchange: `m${at}.x.test`, priority: 200 - at }));
  const mx = async () => ({ kind: 'answer', records, ttlS: 0 }) as const;
  const nothing = async () => ({ kind: 'nodata', ttlS: null }) as const;
  expect(await findMailHost({ mx, a: nothing, aaaa: nothing }, 'x.test')).toEqual({
    kind: 'mx',
    exchanges: Array.from({ length: 20 }, (_, at) => `m${199 - at}.x.test`),
  });
});
