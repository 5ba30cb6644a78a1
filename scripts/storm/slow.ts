/** Runs clients that send a byte now and then, or never read what they requested, while mail arrives. */
import { connect, type Socket } from 'node:net';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { findSlowest, type Outcome, type Part, round, SENDER, Stage } from './stage.ts';

const CLIENTS = { full: 100, short: 10 };
const SECONDS = { full: 40, short: 6 };
const LARGE_BYTES = 8 * 1024 ** 2;
const ALLOWED_MB = 120;

export const slow: Part = {
  meaning: 'slow readers and writers over SMTP and HTTP, while mail arrives',
  async run(length): Promise<Outcome> {
    await using stage = await Stage.open({ POSTERN_SMTP_DATA_BYTES_PER_S: '500', POSTERN_SMTP_IDLE_S: '5' });
    await stage.sendUntil(() => stage.acknowledged.size >= 20);
    const large = await storeLargeMessage(stage);
    const beforeMb = stage.memoryMb();
    const sockets = await Promise.all(
      Array.from({ length: CLIENTS[length] }, (_, index) => openSlowClient(stage, index, large)),
    );
    const trickle = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed && socket.writable) socket.write('x');
    }, 1000);
    const overMs = performance.now() + SECONDS[length] * 1000;
    const tookMs = await stage.sendUntil(() => performance.now() > overMs, 20);
    clearInterval(trickle);
    const mostMb = stage.memoryMb();
    const left = sockets.filter((socket) => !socket.destroyed).length;
    for (const socket of sockets) socket.destroy();
    const faults = await stage.faultsWithMemory(beforeMb, ALLOWED_MB);
    return {
      figures: {
        clients: sockets.length,
        cutOff: sockets.length - left,
        mails: tookMs.length,
        ...findSlowest(tookMs),
        beforeMb: round(beforeMb),
        mostMb: round(mostMb),
        afterMb: round(stage.memoryMb()),
      },
      faults: [...faults, ...(await stage.end())],
    };
  },
};

/** Four kinds: slow in DATA, slow in a request's body, slow in its head, and one that reads nothing. */
async function openSlowClient(stage: Stage, index: number, large: string): Promise<Socket> {
  const key = `Authorization: Bearer ${stage.apiKey}\r\n`;
  const openings = [
    `EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<${stage.inbox.address}>\r\nDATA\r\nSubject: never whole\r\n`,
    `POST /api/v1/inboxes HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n`,
    'GET /api/v1/inboxes HTTP/1.1\r\nHost: ',
    `GET /api/v1/messages/${large}/raw HTTP/1.1\r\nHost: x\r\n${key}\r\n`,
  ];
  const kind = index % openings.length;
  const socket = connect({ port: kind === 0 ? stage.smtpPort : stage.httpPort, host: '127.0.0.1' });
  if (kind === 3) socket.pause();
  else socket.on('data', () => {});
  socket.on('error', () => socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(openings[kind]!);
  return socket;
}

async function storeLargeMessage(stage: Stage): Promise<string> {
  using client = await SmtpClient.greet({ port: stage.smtpPort, timeoutMs: 30_000 });
  await client.deliver(
    SENDER,
    stage.inbox.address,
    `Subject: large\r\n\r\n${'x'.repeat(76)}\r\n`.padEnd(LARGE_BYTES, 'y\r\n'),
  );
  const latest = await stage.get(`/inboxes/${stage.inbox.id}/messages/latest`);
  return ((await latest.json()) as { data: { id: string } }).data.id;
}
