/** Measures how much memory unfinished mails take, and whether a well-formed small mail is accepted beside them. */
import { connect, type Socket } from 'node:net';
import { type Report, shown } from '../figures.ts';
import { flood, measureMemory } from '../processes.ts';
import { type Postern, removeDataDir, startPostern } from '../targets.ts';

interface HalfFinished {
  connections: number;
  /** Megabytes read of each mail before the server stopped reading, on average. */
  takenMb: number;
  /** Memory of all processes: before, at the peak, and after the clients have left. */
  beforeMb: number;
  peakMb: number;
  afterMb: number;
  /** Well-formed mails of 5 KB that are sent meanwhile, one after another. */
  honestMails: number;
  honestRefused: number;
  honestP50Ms: number;
  honestMaxMs: number;
}

const SIZES = {
  full: { connections: 480, bytes: 5 * 1024 * 1024, holdS: 20 },
  smoke: { connections: 40, bytes: 1024 * 1024, holdS: 2 },
};
const LOOK_EVERY_MS = 100;
const SETTLE_MS = 5_000;

export async function benchHalfFinished(report: Report, smoke: boolean): Promise<void> {
  const found = await measureHalfFinished(smoke);
  report.line('mails begun', String(found.connections), `${shown(found.takenMb)} MB of each`);
  report.line('PSS before, after', `${shown(found.beforeMb)} MB`, `${shown(found.afterMb)} MB`);
  report.goal('PSS beside them, most', found.peakMb, 'MB', { under: 350 });
  report.line(
    '5 KB mail beside them',
    `p50 ${shown(found.honestP50Ms)} ms`,
    `max ${shown(found.honestMaxMs)} ms`,
  );
  report.line('of them stored, refused', String(found.honestMails), String(found.honestRefused));
}

async function measureHalfFinished(smoke: boolean): Promise<HalfFinished> {
  const { connections, bytes, holdS } = SIZES[smoke ? 'smoke' : 'full'];
  await using target = await startPostern();
  const beforeMb = measureMemory(target.pid).pssMb;
  let peakMb = beforeMb;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, measureMemory(target.pid).pssMb);
  }, LOOK_EVERY_MS);
  const honest = flood({
    port: target.smtpPort,
    recipient: target.recipient,
    mail: 'plain5k',
    connections: 1,
    reuse: true,
    pipelining: true,
    messages: 1_000_000,
    seconds: holdS,
    warmUpS: 0,
  });
  const bulk = makeBody(bytes);
  const sockets = await Promise.all(Array.from({ length: connections }, () => begin(target, bulk)));
  const { accepted, refused, p50Ms, maxMs } = await honest;
  const taken = sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  await Bun.sleep(SETTLE_MS);
  const afterMb = measureMemory(target.pid).pssMb;
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
  return {
    connections,
    takenMb: taken / connections / 1024 ** 2,
    beforeMb,
    peakMb,
    afterMb,
    honestMails: accepted,
    honestRefused: refused,
    honestP50Ms: p50Ms,
    honestMaxMs: maxMs,
  };
}

/** Endless lines of text. */
function makeBody(bytes: number): Buffer {
  return Buffer.concat([
    Buffer.from('Subject: half\r\n\r\n'),
    Buffer.alloc(bytes, `${'half a mail '.repeat(6).trim()}\r\n`),
  ]);
}

/** Sends an envelope, then part of a mail; resolves once DATA was accepted. */
function begin(target: Postern, bulk: Buffer): Promise<Socket> {
  const envelope = `EHLO half.example\r\nMAIL FROM:<a@half.example>\r\nRCPT TO:<${target.recipient}>\r\nDATA\r\n`;
  return new Promise((resolve) => {
    const socket = connect({ port: target.smtpPort, host: '127.0.0.1' });
    let said = '';
    socket.on('data', (chunk) => {
      const was = said;
      said += chunk.toString('latin1');
      if (!/^220 /m.test(was) && /^220 /m.test(said)) socket.write(envelope);
      if (/^354 /m.test(was) || !/^354 /m.test(said)) return;
      socket.write(bulk);
      resolve(socket);
    });
    // A refused client counts as one from which nothing was read.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(socket));
  });
}
