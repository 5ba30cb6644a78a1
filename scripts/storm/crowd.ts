/** Thousands of connections that say nothing, while mail goes on. */
import { connect, type Socket } from 'node:net';
import { type Outcome, type Part, round, Stage, slowest } from './stage.ts';

/** Of each kind. They are opened a few at a time, as a crowd would not; the kernel's queue is not what is tried. */
const CONNECTIONS = { full: 2_000, short: 300 };
const AT_ONCE = 50;
const HOLD_MS = { full: 20_000, short: 2_000 };
const ALLOWED_MB = 60;

export const crowd: Part = {
  meaning: '2,000 idle SMTP and 2,000 idle HTTP connections, while mail goes on',
  async run(is_short): Promise<Outcome> {
    const size = is_short ? 'short' : 'full';
    await using stage = await Stage.open({ POSTERN_SMTP_CONNECTIONS: '5000', POSTERN_SMTP_IDLE_S: '60' });
    await stage.sendUntil(() => stage.acknowledged.size >= 50);
    const before_mb = stage.memory_mb();
    const sockets = [
      ...(await open(stage.smtp_port, CONNECTIONS[size], '')),
      // One request, and then nothing: half of one would be cut off as a slow one.
      ...(await open(stage.http_port, CONNECTIONS[size], 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')),
    ];
    const over_ms = performance.now() + HOLD_MS[size];
    const took_ms = await stage.sendUntil(() => performance.now() > over_ms, 20);
    const crowded_mb = stage.memory_mb();
    const alive = sockets.filter((socket) => !socket.destroyed).length;
    for (const socket of sockets) socket.destroy();
    const memory_fault = await stage.memoryFault(before_mb, ALLOWED_MB, 60);
    const faults = [...(await stage.faults()), ...(memory_fault ? [memory_fault] : [])];
    if (alive < sockets.length * 0.99)
      faults.push(`${sockets.length - alive} connections were cut off early`);
    const figures = { connections: sockets.length, mails: took_ms.length, ...slowest(took_ms) };
    const memory = {
      before_mb: round(before_mb),
      crowded_mb: round(crowded_mb),
      after_mb: round(stage.memory_mb()),
    };
    return { figures: { ...figures, ...memory }, faults: [...faults, ...(await stage.end())] };
  },
};

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
