/**
 * Mails that are begun and not ended: what they cost in memory, and whether an honest small mail gets through beside
 * them.
 */
import { connect, type Socket } from 'node:net';
import { type Report, shown } from '../figures.ts';
import { flood, memoryOf } from '../processes.ts';
import { type Postern, removeDataDir, startPostern } from '../targets.ts';

interface HalfFinished {
  connections: number;
  /** Bytes that the server took of each mail before it stopped reading, on average. */
  taken_mb: number;
  /** Of all processes: before, at the peak, and once the clients are gone. */
  before_mb: number;
  peak_mb: number;
  after_mb: number;
  /** An honest mail of 5 KB beside them, one after another. */
  honest_mails: number;
  honest_refused: number;
  honest_p50_ms: number;
  honest_max_ms: number;
}

const SIZES = {
  full: { connections: 480, bytes: 5 * 1024 * 1024, hold_s: 20 },
  smoke: { connections: 40, bytes: 1024 * 1024, hold_s: 2 },
};
const LOOK_EVERY_MS = 100;
const SETTLE_MS = 5_000;

export async function benchHalfFinished(report: Report, smoke: boolean): Promise<void> {
  const found = await measureHalfFinished(smoke);
  report.line('mails begun', String(found.connections), `${shown(found.taken_mb)} MB of each`);
  report.line('PSS before, after', `${shown(found.before_mb)} MB`, `${shown(found.after_mb)} MB`);
  report.goal('PSS beside them, most', found.peak_mb, 'MB', { under: 350 });
  report.line(
    '5 KB mail beside them',
    `p50 ${shown(found.honest_p50_ms)} ms`,
    `max ${shown(found.honest_max_ms)} ms`,
  );
  report.line('of them stored, refused', String(found.honest_mails), String(found.honest_refused));
}

async function measureHalfFinished(smoke: boolean): Promise<HalfFinished> {
  const { connections, bytes, hold_s } = SIZES[smoke ? 'smoke' : 'full'];
  await using target = await startPostern();
  const before_mb = memoryOf(target.pid).pss_mb;
  let peak_mb = before_mb;
  const watch = setInterval(() => {
    peak_mb = Math.max(peak_mb, memoryOf(target.pid).pss_mb);
  }, LOOK_EVERY_MS);
  const honest = flood({
    ...{ port: target.smtp_port, recipient: target.recipient, mail: 'plain5k', connections: 1 },
    ...{ reuse: true, pipelining: true, messages: 1_000_000, seconds: hold_s, warm_up_s: 0 },
  });
  const bulk = body(bytes);
  const sockets = await Promise.all(Array.from({ length: connections }, () => begin(target, bulk)));
  const { accepted, refused, p50_ms, max_ms } = await honest;
  const taken = sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
  clearInterval(watch);
  for (const socket of sockets) socket.destroy();
  await Bun.sleep(SETTLE_MS);
  const after_mb = memoryOf(target.pid).pss_mb;
  await target[Symbol.asyncDispose]();
  removeDataDir(target.data_dir);
  return {
    ...{ connections, taken_mb: taken / connections / 1024 ** 2, before_mb, peak_mb, after_mb },
    ...{ honest_mails: accepted, honest_refused: refused, honest_p50_ms: p50_ms, honest_max_ms: max_ms },
  };
}

/** Lines of text, and no end. */
function body(bytes: number): Buffer {
  return Buffer.concat([
    Buffer.from('Subject: half\r\n\r\n'),
    Buffer.alloc(bytes, `${'half a mail '.repeat(6).trim()}\r\n`),
  ]);
}

/** One that says all of an envelope, then what it has of the mail; resolves when it has been granted DATA. */
function begin(target: Postern, bulk: Buffer): Promise<Socket> {
  const envelope = `EHLO half.example\r\nMAIL FROM:<a@half.example>\r\nRCPT TO:<${target.recipient}>\r\nDATA\r\n`;
  return new Promise((resolve) => {
    const socket = connect({ port: target.smtp_port, host: '127.0.0.1' });
    let said = '';
    socket.on('data', (chunk) => {
      const was = said;
      said += chunk.toString('latin1');
      if (!/^220 /m.test(was) && /^220 /m.test(said)) socket.write(envelope);
      if (/^354 /m.test(was) || !/^354 /m.test(said)) return;
      socket.write(bulk);
      resolve(socket);
    });
    // One that is turned away is a socket that nothing was taken of.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(socket));
  });
}
