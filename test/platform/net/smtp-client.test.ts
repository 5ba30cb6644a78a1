/** Our SMTP client against servers that are slow, wrong, or malicious. */

import { expect, test } from 'bun:test';
import { toMailPieces } from '../../../src/platform/core/mail-pieces.ts';
import { openSession, type ServerOptions } from '../../../src/platform/net/smtp-client.ts';
import { makeCa, testCa } from '../../peers/https-receiver.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../peers/mail-server.ts';
import { until } from '../../until.ts';

const mail = Buffer.from('Subject: hi\r\n\r\n.one dot\r\nbare\nline\rand\r\n');
const envelope = { from: 'me@own.test', to: ['ann@far.test'] };

async function open(server: MailServer, more: Partial<ServerOptions> = {}) {
  return openSession({
    address: { address: server.host, family: server.host.includes(':') ? 6 : 4 },
    port: server.port,
    host: 'mx.far.test',
    ownName: 'mx.own.test',
    security: 'when_offered',
    extraCa: [],
    ...more,
  });
}

/** Connects, sends one message, and returns the outcome. */
async function send(options: MailServerOptions, more: Partial<ServerOptions> = {}, to = envelope.to) {
  await using server = await startMailServer(options);
  const opened = await open(server, more);
  if (opened.kind === 'failed') return { failed: opened, server };
  const handed = await opened.session.send({ ...envelope, to }, toMailPieces(mail));
  const isOpen = opened.session.isOpen;
  opened.session.close();
  return { handed, isOpen, server, isSecure: opened.session.isSecure };
}

const quick = { connectMs: 300, setupMs: 300, envelopeMs: 300, dataMs: 300 };

test('a message arrives byte for byte, with dots and bare line ends harmless, over IPv6 too', async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const { handed, server } = await send({ host });
    expect(handed!.replies.get('ann@far.test')).toEqual({ code: 250, text: '2.0.0 taken' });
    expect(server.mails[0]).toMatchObject({ from: envelope.from, to: envelope.to, helo: 'mx.own.test' });
    expect(server.mails[0]!.data).toBe('Subject: hi\r\n\r\n.one dot\r\nbare\r\nline\r\nand\r\n');
  }
});

test('without PIPELINING each recipient has its own reply too', async () => {
  for (const extensions of [['PIPELINING'], []]) {
    const { handed, isOpen, server } = await send(
      { extensions, onRcpt: (to) => (to.startsWith('no') ? '550-5.1.1 no\r\n550 5.1.1 such user' : null) },
      {},
      ['no@far.test', 'ann@far.test', 'none@far.test'],
    );
    expect([...handed!.replies].map(([to, { code, text }]) => `${to} ${code} ${text}`).sort()).toEqual([
      'ann@far.test 250 2.0.0 taken',
      'no@far.test 550 5.1.1 no such user',
      'none@far.test 550 5.1.1 no such user',
    ]);
    expect(handed!.at.get('no@far.test')).toBe('RCPT');
    expect([isOpen, server.mails.length]).toEqual([true, 1]);
  }
});

test('a refused recipient keeps that reply when the message itself is refused afterwards', async () => {
  const { handed } = await send(
    { onRcpt: (to) => (to.startsWith('no') ? '550 5.1.1 no' : null), onMessage: () => '451 4.3.0 later' },
    {},
    ['no@far.test', 'ann@far.test'],
  );
  expect(handed!.replies.get('no@far.test')).toEqual({ code: 550, text: '5.1.1 no' });
  expect(handed!.replies.get('ann@far.test')).toEqual({ code: 451, text: '4.3.0 later' });
});

test('STARTTLS is used when offered, with any certificate, and verified only with a valid one', async () => {
  const [ours, others] = await Promise.all([testCa(), makeCa()]);
  const [good, wrongName, stranger] = await Promise.all([
    ours.issue(['mx.far.test']),
    ours.issue(['other.test']),
    others.issue(['mx.far.test']),
  ]);
  const extraCa = [ours.pem];
  for (const tls of [good, wrongName, stranger]) {
    expect(await send({ tls }, { extraCa })).toMatchObject({ isSecure: true });
  }
  expect(await send({ tls: good }, { extraCa, security: 'verified' })).toMatchObject({ isSecure: true });
  for (const options of [{ tls: wrongName }, { tls: stranger }, {}]) {
    const { failed, server } = await send(options, { extraCa, security: 'verified' });
    expect(failed).toMatchObject({ kind: 'failed' });
    expect(server.said.filter((line) => line.startsWith('MAIL'))).toEqual([]);
  }
  const implicit = { isImplicit: true, tls: good };
  expect(await send(implicit, { extraCa, security: 'from_the_start' })).toMatchObject({ isSecure: true });
  expect(
    (await send({ ...implicit, tls: stranger }, { extraCa, security: 'from_the_start' })).failed,
  ).toBeDefined();
  expect(await send({ tls: good }, { security: 'off' })).toMatchObject({ isSecure: false });
});

test('text injected behind the reply to STARTTLS is ignored', async () => {
  const tls = await (await testCa()).issue(['mx.far.test']);
  const injected = '250-far.test\r\n250 AUTH PLAIN\r\n250 2.1.0 ok\r\n';
  const { failed, server } = await send({ tls, injected }, { login: { user: 'me', pass: 'secret' } });
  // Either the handshake fails because of it, or it is discarded. Nothing is sent in between.
  expect(server.said.filter((line) => /^(AUTH|MAIL)/.test(line) && !server.mails[0]?.isSecure)).toEqual([]);
  if (failed) expect(failed.isTls).toBe(true);
});

test('a refused STARTTLS or a broken handshake is reported as a TLS failure', async () => {
  const tls = await (await testCa()).issue(['mx.far.test']);
  expect(await send({ tls, onStartTls: () => '454 4.7.0 not now' })).toMatchObject({ isSecure: false });
  const { failed } = await send({ tls: { key: '', cert: '' } });
  expect(failed).toMatchObject({ isTls: true });
});

test.concurrent.each<[string, boolean, MailServerOptions]>([
  ['is silent', false, { greeting: () => 'silence' }],
  ['is silent after EHLO', false, { onEhlo: () => 'silence' }],
  ['greets with a refusal about TLS', false, { greeting: () => '554 5.7.1 no TLS certificate' }],
  ['is silent after STARTTLS', true, { tls: { key: '', cert: '' }, onStartTls: () => 'silence' }],
])('a server that %s is worth a try without TLS: %p', async (_, isTls, far) => {
  const { failed } = await send(far, { times: quick });
  expect(failed).toMatchObject({ kind: 'failed', isTls });
});

const says: Record<string, [MailServerOptions, string]> = {
  'says nothing': [{ greeting: () => 'silence' }, 'no greeting in time'],
  'hangs up': [{ greeting: () => 'hang up' }, 'closed'],
  'greets without end': [{ greeting: () => `220-${'x'.repeat(100_000)}` }, 'exceeds'],
  'greets line after line': [{ greeting: () => `${'220-hello\r\n'.repeat(5_000)}220-more` }, 'exceeds'],
  'greets with blank lines': [{ greeting: () => '\n'.repeat(100_000) }, 'exceeds'],
  'answers EHLO with blank lines': [{ onEhlo: () => '\r\n'.repeat(100_000) }, 'exceeds'],
  'says nothing to EHLO': [{ onEhlo: () => 'silence' }, 'no greeting in time, or EHLO'],
  'says no at once': [{ greeting: () => '554 5.7.1 go away' }, '5.7.1 go away'],
  'is busy': [{ greeting: () => '421 4.7.0 too many' }, '4.7.0 too many'],
  'is no SMTP server': [{ greeting: () => 'HTTP/1.1 400 Bad Request' }, ''],
};
for (const [name, [options, text]] of Object.entries(says)) {
  test.concurrent(`a server that ${name} is given up on in time`, async () => {
    const began = performance.now();
    const { failed } = await send(options, { times: quick });
    expect(failed?.reply.text).toContain(text);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
}

test.concurrent('a greeting that trickles in is given up on in time', async () => {
  await using server = await startMailServer({ greeting: () => 'silence' });
  const trickle = setInterval(() => server.write('2'), 20);
  const opened = await open(server, { times: quick });
  clearInterval(trickle);
  expect(opened).toMatchObject({ kind: 'failed', reply: { code: null } });
});

test.concurrent.each(['onMail', 'onRcpt', 'onData', 'onMessage'] as const)(
  'silence at %s ends in time, with an unknown outcome',
  async (at) => {
    const { handed, isOpen } = await send({ [at]: () => 'silence' }, { times: quick });
    expect(handed!.replies.get('ann@far.test')?.code).toBeNull();
    expect(handed!.isBegun).toBe(at === 'onMessage');
    expect(isOpen).toBe(false);
  },
);

test('an endless reply in the middle of a message is cut off', async () => {
  const { handed, isOpen } = await send({ onMail: () => `250-${'y'.repeat(1_000_000)}` }, { times: quick });
  expect(handed!.replies.get('ann@far.test')?.code).toBeNull();
  expect(isOpen).toBe(false);
});

test('the connection to a server that sends blank lines while it is idle is closed', async () => {
  await using server = await startMailServer();
  const opened = await open(server);
  if (opened.kind === 'failed') throw new Error(opened.reply.text);
  const { session } = opened;
  expect((await session.send(envelope, toMailPieces(mail))).replies.get('ann@far.test')?.code).toBe(250);
  expect(session.isOpen).toBe(true);
  server.write('\r\n'.repeat(100_000));
  await until(() => !session.isOpen);
  await until(() => server.open === 0);
});

test('a kept reply is short and has no control characters', async () => {
  const { handed } = await send({
    onRcpt: () => `550 5.1.1 a\x1b[2Jb\x00c\u202ed\u2028e ${'z'.repeat(5_000)}`,
  });
  const { text } = handed!.replies.get('ann@far.test')!;
  expect(text.length).toBeLessThanOrEqual(500);
  expect(text).toStartWith('5.1.1 a [2Jb c d e zzz');
});

test('a message over the server’s SIZE is refused permanently without being sent', async () => {
  const { handed, server } = await send({ extensions: ['SIZE 10'] });
  expect(handed!.replies.get('ann@far.test')).toMatchObject({ code: 552 });
  expect(server.said.some((line) => line.startsWith('MAIL'))).toBe(false);
});

test('a refused login sends no message, and the password is sent only over the required TLS', async () => {
  const tls = await (await testCa()).issue(['mx.far.test']);
  const extraCa = [(await testCa()).pem];
  const login = { user: 'me', pass: 'pässword' };
  const extensions = ['AUTH PLAIN'];
  const right = await send({ tls, extensions }, { extraCa, login, security: 'verified' });
  expect(right.server.mails[0]?.login).toBe('me:pässword');
  const { failed } = await send(
    { tls, extensions, onAuth: () => '535 5.7.8 wrong' },
    { extraCa, login, security: 'verified' },
  );
  expect(failed?.reply).toEqual({ code: 535, text: '5.7.8 wrong' });
  const bare = await send({ extensions }, { extraCa, login, security: 'verified' });
  expect(bare.server.said.some((line) => line.startsWith('AUTH'))).toBe(false);
});

test('a stop ends a running attempt', async () => {
  await using server = await startMailServer({ onMessage: () => 'silence' });
  const stop = new AbortController();
  const opened = await open(server, { signal: stop.signal });
  if (opened.kind !== 'open') throw new Error('it did not open');
  const sending = opened.session.send(envelope, toMailPieces(mail));
  setTimeout(() => stop.abort(), 50);
  expect((await sending).replies.get('ann@far.test')).toEqual({ code: null, text: 'stopped' });
  expect(await open(server, { signal: stop.signal })).toMatchObject({ kind: 'failed' });
});

test('a port where nobody listens is reported', async () => {
  const server = await startMailServer();
  await server[Symbol.asyncDispose]();
  expect(await open(server)).toMatchObject({
    kind: 'failed',
    reply: { code: null, text: 'connection refused' },
  });
});
