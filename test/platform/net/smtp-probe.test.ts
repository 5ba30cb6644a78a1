import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { probeRecipients } from '../../../src/platform/net/smtp-probe.ts';
import { ReplyReader } from '../../../src/platform/net/smtp-reply.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type ExchangePlan, startMailExchange, unknownUser } from '../../peers/mail-exchange.ts';
import { until } from '../../until.ts';

const there = (address: string) => (address === 'ann@one.test' ? '250 2.1.5 Ok' : undefined);

async function probing(plan: ExchangePlan = {}) {
  const exchange = await startMailExchange({ rcpt: there, ...plan });
  const clock = new FakeClock();
  const hungUp = new AbortController();
  const probe = (
    recipients = ['nobody@one.test', 'ann@one.test'],
    isInternational = false,
    port = exchange.port,
  ) =>
    probeRecipients(
      clock,
      {
        address: { address: exchange.host, family: 4 },
        port,
        helo: 'mx.postern.test',
        recipients,
        isInternational,
      },
      hungUp.signal,
    );
  return { exchange, clock, hungUp, probe, [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose]() };
}

describe('a probe', () => {
  test('sends EHLO, the null sender, each recipient and QUIT, and never DATA', async () => {
    await using peer = await probing();
    const outcome = await peer.probe();
    expect(outcome).toMatchObject({
      kind: 'asked',
      replies: [{ code: 550 }, { code: 250, lines: ['2.1.5 Ok'] }],
    });
    await until(() => peer.exchange.open === 0 && peer.clock.timersSet === 0);
    expect(peer.exchange.sessions).toEqual([
      ['EHLO mx.postern.test', 'MAIL FROM:<>', 'RCPT TO:<nobody@one.test>', 'RCPT TO:<ann@one.test>', 'QUIT'],
    ]);
  });

  test('reads multi-line greetings and replies, in any pieces', async () => {
    await using peer = await probing({
      greeting: '220-one\n220-\n220 three',
      rcpt: () => '550-5.1.1 The account\n550-5.1.1 does not\n550 5.1.1 exist',
    });
    expect(await peer.probe()).toMatchObject({
      replies: [{ code: 550, lines: ['5.1.1 The account', '5.1.1 does not', '5.1.1 exist'] }, { code: 550 }],
    });
  });

  const refusals: [ExchangePlan, string, string][] = [
    [{ greeting: '554 5.7.1 Blocked' }, 'greeting', 'refused'],
    [{ greeting: '421 Later' }, 'greeting', 'refused'],
    [{ greeting: 'hang up' }, 'greeting', 'closed'],
    [{ greeting: 'HTTP/1.1 400 Bad Request' }, 'greeting', 'not_smtp'],
    [{ greeting: '220 x'.padEnd(5_000, 'x') }, 'greeting', 'not_smtp'],
    [{ greeting: '220-x\n'.repeat(20_000) }, 'greeting', 'not_smtp'],
    [{ ehlo: '502 No' }, 'hello', 'refused'],
    [{ ehlo: '999 What' }, 'hello', 'not_smtp'],
    [{ mail: '550 5.7.1 No null sender' }, 'sender', 'refused'],
    [{ mail: 'hang up' }, 'sender', 'closed'],
    [{ rcpt: () => '421 4.7.0 Too much' }, 'recipient', 'refused'],
    [{ rcpt: () => 'hang up' }, 'recipient', 'closed'],
  ];
  for (const [plan, at, why] of refusals) {
    test(`fails at the ${at}: ${why} (${JSON.stringify(plan).slice(0, 50)})`, async () => {
      await using peer = await probing(plan);
      expect(await peer.probe()).toMatchObject({ kind: 'failed', at, why });
      await until(() => peer.exchange.open === 0 && peer.clock.timersSet === 0);
    });
  }

  test('keeps the answers that came before the server hung up', async () => {
    await using peer = await probing({
      rcpt: (address) => (address.startsWith('n') ? unknownUser : 'hang up'),
    });
    expect(await peer.probe()).toMatchObject({ kind: 'failed', why: 'closed', replies: [{ code: 550 }] });
  });

  for (const step of ['greeting', 'ehlo', 'mail', 'rcpt'] as const) {
    test(`waits ten seconds for an answer, at ${step}`, async () => {
      await using peer = await probing({ [step]: step === 'rcpt' ? () => 'silence' : 'silence' });
      const outcome = peer.probe();
      const commands = ['greeting', 'ehlo', 'mail', 'rcpt'].indexOf(step);
      await until(() => peer.exchange.sessions[0]?.length === commands && peer.clock.timersSet === 2);
      await peer.clock.advance(9_999);
      await peer.clock.advance(1);
      expect(await outcome).toMatchObject({ kind: 'failed', why: 'timeout' });
      expect(peer.clock.timersSet).toBe(0);
    });
  }

  test('takes at most twenty seconds, however slowly the server drips', async () => {
    await using peer = await probing({ mail: 'silence' });
    const outcome = peer.probe();
    await until(() => peer.exchange.sessions[0]?.length === 2);
    await peer.clock.leap(20_000);
    expect(await outcome).toMatchObject({ kind: 'failed', at: 'sender', why: 'timeout' });
  });

  test('ends at once when it is cancelled', async () => {
    await using peer = await probing({ mail: 'silence' });
    const outcome = peer.probe();
    await until(() => peer.exchange.sessions[0]?.length === 2);
    peer.hungUp.abort();
    expect(await outcome).toMatchObject({ kind: 'failed', why: 'aborted' });
    await until(() => peer.exchange.open === 0);
    expect(await peer.probe()).toMatchObject({ kind: 'failed', at: 'connect', why: 'aborted' });
    expect(peer.exchange.sessions).toHaveLength(1);
  });

  test('does not wait for a reply to QUIT', async () => {
    await using peer = await probing({ quit: 'silence' });
    expect(await peer.probe()).toMatchObject({ kind: 'asked' });
  });

  test('hangs up at once on a server that floods it after QUIT', async () => {
    const flood = Buffer.alloc(100_000, 'x');
    await using peer = await probing();
    const gone = Promise.withResolvers<void>();
    await using server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.write('220 a\r\n250 b\r\n250 c\r\n250 d\r\n250 e\r\n');
      socket.on('data', (said) => said.includes('QUIT') && socket.write(flood));
      socket.on('error', () => {});
      socket.on('close', () => gone.resolve());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    expect(await peer.probe(undefined, false, port)).toMatchObject({ kind: 'asked' });
    // No time passes on the probe's clock: it does not wait the two seconds that QUIT may take.
    await gone.promise;
    await until(() => peer.clock.timersSet === 0);
  });

  test('reports a port where nobody listens', async () => {
    const peer = await probing();
    await peer.exchange[Symbol.asyncDispose]();
    expect(await peer.probe()).toMatchObject({ kind: 'failed', at: 'connect', why: 'closed' });
  });

  test('asks about non-ASCII mailboxes only where the server has SMTPUTF8', async () => {
    await using peer = await probing({ rcpt: () => '250 Ok' });
    expect(await peer.probe(['jörg@one.test'], true)).toMatchObject({ kind: 'asked' });
    expect(peer.exchange.sessions[0]).toContain('MAIL FROM:<> SMTPUTF8');
    expect(peer.exchange.sessions[0]).toContain('RCPT TO:<jörg@one.test>');
    peer.exchange.plan = { ehlo: '250-mx.test\n250 8BITMIME' };
    expect(await peer.probe(['jörg@one.test'], true)).toMatchObject({ at: 'hello', why: 'no_smtputf8' });
    expect(peer.exchange.sessions[1]?.some((line) => line.startsWith('MAIL'))).toBe(false);
  });
});

describe('a reader of replies', () => {
  test('reads the same from any pieces', () => {
    const text = '220-one\r\n220 zwölf\r\n250\r\n550 5.1.1 no\n';
    fc.assert(
      fc.property(fc.array(fc.nat(text.length + 1), { maxLength: 8 }), (cuts) => {
        const reader = new ReplyReader();
        const bytes = Buffer.from(text);
        const edges = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const taken = edges.slice(1).map((edge, index) => reader.take(bytes.subarray(edges[index], edge)));
        expect(taken).not.toContain(false);
        expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([
          { code: 220, lines: ['one', 'zwölf'] },
          { code: 250, lines: [''] },
          { code: 550, lines: ['5.1.1 no'] },
          undefined,
        ]);
      }),
    );
  });

  test('never throws, and ends at its bound', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        new ReplyReader().take(bytes);
      }),
    );
    const reader = new ReplyReader();
    const line = Buffer.from(`220-${'x'.repeat(1_000)}\n`);
    let lines = 0;
    while (reader.take(line)) lines += 1;
    expect(lines).toBe(65);
  });
});
