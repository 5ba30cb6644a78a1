/** The API of SMTP faults: which rules it accepts, what it refuses, and who may ask. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { RULES_MAX } from '../../../src/features/faults/rules.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startAppliance } from '../../start.ts';
import { startTrap, type Trap } from './trap.ts';

const clock = new FakeClock();
let trap: Trap;
beforeAll(async () => {
  trap = await startTrap(clock);
});
afterEach(() => trap.ask('DELETE'));
afterAll(() => trap[Symbol.asyncDispose]());

test('a rule is returned with all its fields, and null for those left out', async () => {
  const asked = { stage: 'rcpt', recipient: '*@x.test', reply: '450 4.2.1 later', expires_in_s: 60 };
  const created = await trap.add(asked);
  expect(created).toEqual({
    id: expect.stringMatching(/^fault_[0-9a-f]{32}$/),
    stage: 'rcpt',
    recipient: '*@x.test',
    sender: null,
    reply: '450 4.2.1 later',
    drop: false,
    delay_ms: 0,
    skip: 0,
    times: null,
    probability: null,
    seed: 1,
    hits: 0,
    created_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
  });
  expect(Date.parse(created.expires_at!) - Date.parse(created.created_at)).toBe(60_000);
  expect(await trap.list()).toEqual([created]);
  await clock.advance(60_000);
  expect(await trap.list()).toEqual([]);
});

test('a code without text gets a default text', async () => {
  expect((await trap.add({ stage: 'mail', reply: '450' })).reply).toBe('450 4.0.0 Try again later');
  expect((await trap.add({ stage: 'mail', reply: '550 ' })).reply).toBe('550 5.0.0 Refused');
});

test('a repeat with the same Idempotency-Key gets the first rule until that is gone; another body is refused', async () => {
  const { appliance } = trap;
  const post = (stage: string, once = 'once') =>
    appliance.request('POST', '/api/v1/smtp_faults', {
      key: appliance.apiKey ?? '',
      body: { stage, drop: true, expires_in_s: 60 },
      headers: { 'idempotency-key': once },
    });
  const [first, repeat] = [await post('mail'), await post('mail')];
  expect([repeat.status, repeat.json]).toEqual([201, first.json]);
  expect(await trap.list()).toEqual([first.json.data]);
  const other = await post('rcpt');
  expect([other.status, other.json.error.code]).toEqual([409, 'conflict']);
  expect((await post('rcpt', 'x'.repeat(256))).status).toBe(422);
  await clock.advance(60_000);
  expect((await post('rcpt')).status).toBe(201);
});

test('rules are listed oldest first, and deleted one by one or all at once', async () => {
  const [first, second, third] = [
    await trap.add({ stage: 'ehlo', drop: true }),
    await trap.add({ stage: 'auth', drop: true }),
    await trap.add({ stage: 'data', delay_ms: 1 }),
  ];
  const listed = (await trap.ask('GET')).json;
  expect(listed).toEqual({
    data: [first, second, third],
    pagination: { next_cursor: null, has_more: false },
  });
  expect((await trap.ask('DELETE', `/${second.id}`)).status).toBe(204);
  expect((await trap.ask('DELETE', `/${second.id}`)).json.error.code).toBe('not_found');
  expect(await trap.list()).toEqual([first, third]);
  expect((await trap.ask('DELETE')).status).toBe(204);
  expect((await trap.ask('DELETE')).status).toBe(204);
  expect(await trap.list()).toEqual([]);
});

test('a rule beyond the cap of an account gets 409, and changes nothing', async () => {
  for (let created = 0; created < RULES_MAX; created++) await trap.add({ stage: 'dot', drop: true });
  const { status, json } = await trap.ask('POST', '', { stage: 'dot', drop: true });
  expect([status, json.error.code]).toEqual([409, 'conflict']);
  expect(json.error.message).toContain(String(RULES_MAX));
  expect((await trap.list()).length).toBe(RULES_MAX);
});

const reply = '450 4.2.1 later';

describe('a request is refused with 422 and the name of the field', () => {
  const long = 'x'.repeat(401);
  const cases: [string, Record<string, unknown>][] = [
    ['stage', { reply }],
    ['stage', { stage: 'quit', reply }],
    ['stage', { stage: 'RCPT', reply }],
    ['stage', { stage: 7, reply }],
    ...['250 ok', '354 go', '399 x', '600 x', '45', '4500', 'later', '', ' 450 x', '450-x', '450x'].map(
      (bad): [string, Record<string, unknown>] => ['reply', { stage: 'rcpt', reply: bad }],
    ),
    ['reply', { stage: 'rcpt', reply: '450 a\r\n250 b' }],
    ['reply', { stage: 'rcpt', reply: '450 später' }],
    ['reply', { stage: 'rcpt', reply: `450 ${long}` }],
    ['reply', { stage: 'rcpt', reply: 450 }],
    ['reply', { stage: 'rcpt', reply: null }],
    ['reply', { stage: 'rcpt' }],
    ['reply', { stage: 'rcpt', drop: false, delay_ms: 0 }],
    ['drop', { stage: 'rcpt', drop: true, reply }],
    ['drop', { stage: 'rcpt', drop: 'yes' }],
    ...['connect', 'ehlo', 'auth'].map((stage): [string, Record<string, unknown>] => [
      'sender',
      { stage, sender: '*', reply },
    ]),
    ...['connect', 'ehlo', 'auth', 'mail'].map((stage): [string, Record<string, unknown>] => [
      'recipient',
      { stage, recipient: '*', reply },
    ]),
    ['recipient', { stage: 'rcpt', recipient: '', reply }],
    ['recipient', { stage: 'rcpt', recipient: 'ann', reply }],
    ['recipient', { stage: 'rcpt', recipient: '@x.test', reply }],
    ['recipient', { stage: 'rcpt', recipient: 'ann@', reply }],
    ['recipient', { stage: 'rcpt', recipient: '*\n', reply }],
    ['recipient', { stage: 'rcpt', recipient: `*${'a'.repeat(320)}`, reply }],
    ['recipient', { stage: 'rcpt', recipient: ['a@x'], reply }],
    ['sender', { stage: 'mail', sender: 'ann', reply }],
    ['delay_ms', { stage: 'mail', delay_ms: -1 }],
    ['delay_ms', { stage: 'mail', delay_ms: 1.5 }],
    ['delay_ms', { stage: 'mail', delay_ms: 300_001 }],
    ['delay_ms', { stage: 'mail', delay_ms: '5' }],
    ['skip', { stage: 'mail', skip: -1, reply }],
    ['skip', { stage: 'mail', skip: 1e300, reply }],
    ['times', { stage: 'mail', times: 0, reply }],
    ['times', { stage: 'mail', times: null, reply }],
    ['expires_in_s', { stage: 'mail', expires_in_s: 0, reply }],
    ['expires_in_s', { stage: 'mail', expires_in_s: 604_801, reply }],
    ['probability', { stage: 'mail', probability: 1.1, reply }],
    ['probability', { stage: 'mail', probability: -0.1, reply }],
    ['seed', { stage: 'mail', seed: 2 ** 32, reply }],
    ['surprise', { stage: 'mail', surprise: 1, reply }],
  ];
  test.each(cases)('when its %s is wrong: %j', async (field, body) => {
    const { status, json } = await trap.ask('POST', '', body);
    expect([status, json.error.code, Object.keys(json.error.fields)]).toEqual([
      422,
      'validation_error',
      [field],
    ]);
    expect(await trap.list()).toEqual([]);
  });
});

test.each([
  { stage: 'rcpt', recipient: 'POSTMASTER', reply },
  { stage: 'rcpt', recipient: '*', reply },
  { stage: 'dot', recipient: 'a*@x.test', sender: '', reply },
  { stage: 'mail', sender: '"a b"@x.test', reply: '599 x' },
  { stage: 'connect', drop: true, delay_ms: 300_000, skip: 1_000_000, times: 1_000_000 },
  { stage: 'auth', delay_ms: 1, probability: 0, seed: 0 },
])('%j is accepted as a rule', (rule) => trap.add(rule).then(() => {}));

test('an account that is not a trap is refused, without learning whether an id exists', async () => {
  await using server = await startAppliance();
  const { key } = await server.holder();
  const ask = (method: string, path = '', body?: unknown) =>
    server.request(method, `/api/v1/smtp_faults${path}`, { key, body });
  for (const refused of [
    await ask('POST', '', { stage: 'rcpt', reply }),
    await ask('POST', '', { stage: 'nowhere' }),
    await ask('GET'),
    await ask('DELETE'),
  ]) {
    expect([refused.status, refused.json.error.code]).toEqual([403, 'not_a_trap']);
  }
  expect((await ask('DELETE', '/fault_x')).status).toBe(404);
});
