/** Servers that offer STARTTLS and then fail: the mail is worth a try without TLS (RFC 7435). */
import { expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { openSession, type Security } from '../../../src/platform/net/smtp-client.ts';
import { testCa } from '../../peers/https-receiver.ts';

/** A fatal alert: handshake_failure (RFC 8446 6). */
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);

const pair = await (await testCa()).issue(['mx.far.test']);

/** Completes the handshake, then does something else than answer EHLO. */
const afterTls = (act: (secure: TLSSocket) => void) => (socket: Socket) => {
  const secure = new TLSSocket(socket, { isServer: true, ...pair });
  secure.on('error', () => {});
  secure.on('data', () => {});
  secure.on('secure', () => act(secure));
};

/** What a server does with its connection after it has accepted STARTTLS. */
const failures: Record<string, (socket: Socket) => void> = {
  'sends text': (socket) => socket.write('250 ok\r\n'),
  'sends garbage': (socket) => socket.write(Buffer.alloc(300, 0xa5)),
  'sends an alert at once': (socket) => socket.write(ALERT),
  'sends an alert after ClientHello': (socket) => socket.once('data', () => socket.write(ALERT)),
  'closes at once': (socket) => socket.end(),
  'closes after ClientHello': (socket) => socket.once('data', () => socket.end()),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'resets after ClientHello': (socket) => socket.once('data', () => socket.resetAndDestroy()),
  'is silent': () => {},
  'stops in the middle of a record': (socket) =>
    socket.once('data', () => socket.write(Buffer.from([0x16, 3, 3, 0x20, 0]))),
  'closes after the handshake': afterTls((secure) => secure.end()),
  'is silent after the handshake': afterTls(() => {}),
};

async function startBroken(fail: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('220 far.test\r\n');
    const onCommand = (bytes: Buffer) => {
      const isStart = /^STARTTLS/i.test(bytes.toString());
      socket.write(isStart ? '220 go ahead\r\n' : '250-far.test\r\n250 STARTTLS\r\n');
      if (!isStart) return;
      socket.off('data', onCommand);
      fail(socket);
    };
    socket.on('data', onCommand);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

for (const [what, fail] of Object.entries(failures)) {
  test.concurrent(`a server that ${what} after STARTTLS is worth a try without TLS`, async () => {
    using far = await startBroken(fail);
    const open = (security: Security) =>
      openSession({
        address: { address: '127.0.0.1', family: 4 },
        port: far.port,
        host: 'mx.far.test',
        ownName: 'mx.own.test',
        security,
        extraCa: [],
        times: { connectMs: 1_000, setupMs: 1_000 },
      });
    expect(await open('when_offered')).toMatchObject({ kind: 'failed', isTls: true, reply: { code: null } });
    const plain = await open('off');
    expect(plain.kind).toBe('open');
    if (plain.kind === 'open') plain.session.close();
  });
}
