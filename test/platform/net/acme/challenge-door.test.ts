/** Port 80 is open to everyone: it answers challenges, redirects browsers, and refuses everything else. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { ChallengeDoor } from '../../../../src/platform/net/acme/challenge-door.ts';
import { acme as rules } from '../../../../src/rules/acme.ts';
import { FakeClock } from '../../../peers/fake-clock.ts';
import { until } from '../../../until.ts';

async function openDoor(redirectTo: string | null = 'https://mail.acme.test') {
  const clock = new FakeClock();
  const names = ['mail.acme.test', 'mx.acme.test'];
  const door = new ChallengeDoor({ listen: { host: '127.0.0.1', port: 0 }, names, redirectTo, clock });
  await door.open();
  return { door, clock, [Symbol.asyncDispose]: () => door.close() };
}

/** Sends these bytes, and returns everything that comes back until the other side closes. */
function say(door: ChallengeDoor, bytes: string | Uint8Array, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const where = { host: '127.0.0.1', port: door.port ?? 0, localAddress: from };
    const socket = connect(where, () => socket.write(bytes));
    socket.on('data', (data) => (text += data));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

const get = (path: string, host = 'mail.acme.test', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: test\r\n\r\n`;
const status = async (door: ChallengeDoor, bytes: string) => Number((await say(door, bytes)).slice(9, 12));

test('a pending token is answered for its own name, until the challenge is over', async () => {
  await using at = await openDoor();
  const end = at.door.answer('mail.acme.test', 'tok', 'tok.print');
  const path = '/.well-known/acme-challenge/tok';
  expect(await say(at.door, get(path))).toEndWith('\r\n\r\ntok.print');
  expect(await say(at.door, get(path, 'MAIL.acme.test.:80'))).toEndWith('\r\n\r\ntok.print');
  expect(await say(at.door, get(path, 'mail.acme.test', 'HEAD'))).toEndWith('connection: close\r\n\r\n');
  expect(await status(at.door, get(path, 'mx.acme.test'))).toBe(404);
  expect(await status(at.door, get(`${path}/../tok`))).toBe(404);
  end();
  expect(await status(at.door, get(path))).toBe(404);
});

test('browsers are redirected to the base URL if it is https', async () => {
  await using at = await openDoor();
  expect(await say(at.door, get('/a?b=c'))).toContain('\r\nlocation: https://mail.acme.test/a?b=c\r\n');
  expect(await say(at.door, get('//evil.example/'))).toContain(
    'location: https://mail.acme.test//evil.example/\r\n',
  );
  await using plain = await openDoor(null);
  expect(await status(plain.door, get('/'))).toBe(404);
});

test.each([
  ['another Host', get('/', 'evil.example'), 421],
  ['an address as Host', get('/', '127.0.0.1'), 421],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: mail.acme.test\r\nHost: x\r\n\r\n', 400],
  ['an absolute target', get('http://evil.example/'), 400],
  ['a bare line feed in the target', get('/a\nlocation: x'), 400],
  ['another protocol', 'EHLO me\r\n\r\n', 400],
  ['a POST with a key', get('/api/v1/inboxes', 'mail.acme.test', 'POST'), 405],
  ['an endless head', `GET / HTTP/1.1\r\nX: ${'x'.repeat(rules.headBytesMax)}`, 431],
])('%s is refused', async (_what, bytes, code) => {
  await using at = await openDoor();
  expect(await status(at.door, bytes)).toBe(code);
});

test('connections are bounded in number and time', async () => {
  await using at = await openDoor();
  const held = Array.from({ length: rules.connectionsMax }, () => say(at.door, 'GET / HT'));
  await until(() => at.clock.timersSet >= rules.connectionsMax);
  expect(await say(at.door, get('/'))).toBe('');
  await at.clock.advance(rules.connectionS * 1000);
  expect(await Promise.all(held)).toEqual(held.map(() => ''));
  await until(() => at.clock.timersSet === 0);
  expect(await status(at.door, get('/'))).toBe(308);
});

test('a stranger who holds every connection does not keep the CA out', async () => {
  await using at = await openDoor();
  const end = at.door.answer('mail.acme.test', 'tok', 'tok.print');
  const held = Array.from({ length: rules.connectionsMax }, () => say(at.door, 'GET / HT'));
  await until(() => at.clock.timersSet >= rules.connectionsMax);
  // Each /24 is a network, as clients are counted.
  for (const from of ['127.0.1.1', '127.0.2.1', '127.0.3.1'])
    expect(await say(at.door, get('/.well-known/acme-challenge/tok'), from)).toEndWith('tok.print');
  expect(await Promise.race(held)).toBe('');
  end();
  await at.clock.advance(rules.connectionS * 1000);
  await Promise.all(held);
});
