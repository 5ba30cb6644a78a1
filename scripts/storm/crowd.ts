/** Opens thousands of silent connections while mail arrives. */
import { connect, type Socket } from 'node:net';
import { findSlowest, type Outcome, type Part, round, Stage } from './stage.ts';

/** Connections of each kind. They are opened a few at a time, because this does not test the kernel's queue. */
const CONNECTIONS = { full: 2_000, short: 300 };
const AT_ONCE = 50;
const HOLD_MS = { full: 20_000, short: 2_000 };
const ALLOWED_MB = 60;

export const crowd: Part = {
  meaning: '2,000 idle SMTP and 2,000 idle HTTP connections, while mail arrives',
  async run(length): Promise<Outcome> {
    await using stage = await Stage.open({ POSTERN_SMTP_CONNECTIONS: '5000', POSTERN_SMTP_IDLE_S: '60' });
    await stage.sendUntil(() => stage.acknowledged.size >= 50);
    const beforeMb = stage.memoryMb();
    const sockets = [
      ...(await open(stage.smtpPort, CONNECTIONS[length], '')),
      ...(await open(stage.httpPort, CONNECTIONS[length], makeKnownRequest(stage.apiKey))),
    ];
    const overMs = performance.now() + HOLD_MS[length];
    const tookMs = await stage.sendUntil(() => performance.now() > overMs, 20);
    const crowdedMb = stage.memoryMb();
    const alive = sockets.filter((socket) => !socket.destroyed).length;
    for (const socket of sockets) socket.destroy();
    const faults = await stage.faultsWithMemory(beforeMb, ALLOWED_MB);
    if (alive < sockets.length * 0.99) faults.push(`${sockets.length - alive} connections were closed early`);
    const figures = { connections: sockets.length, mails: tookMs.length, ...findSlowest(tookMs) };
    const memory = {
      beforeMb: round(beforeMb),
      crowdedMb: round(crowdedMb),
      afterMb: round(stage.memoryMb()),
    };
    return { figures: { ...figures, ...memory }, faults: [...faults, ...(await stage.end())] };
  },
};

/** One request, then silence: half a request, or one without a key, would be closed after seconds. */
const makeKnownRequest = (apiKey: string) =>
  `GET /api/v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;

async function open(port: number, count: number, opening: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const more = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () =>
      openOne(port, opening),
    );
    sockets.push(...(await Promise.all(more)));
  }
  return sockets;
}

function openOne(port: number, opening: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      if (opening) socket.write(opening);
      socket.removeListener('error', reject);
      socket.on('error', () => socket.destroy()).resume();
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
