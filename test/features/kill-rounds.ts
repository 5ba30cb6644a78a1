/**
 * A real server, repeatedly killed with SIGKILL at a random moment under load and restarted on the same folder. After
 * each start, mail answered 250 is in each inbox exactly once, byte for byte. Other mail is complete or absent. The
 * database is sound, and nothing half-stored is left.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, type Serving, startServing } from '../doors/operator/command-process.ts';
import { withoutTrace } from '../doors/smtp/mailbox.ts';
import { SmtpClient } from '../peers/smtp-client.ts';
import { findUnsound } from '../store-file.ts';

export interface KillFigures {
  rounds: number;
  /** Mails answered 250, and those in transit when the server was killed. */
  acknowledged: number;
  unanswered: number;
  /** Mails in transit that were nevertheless stored completely. */
  unansweredStored: number;
  /** Copies: a mail to two inboxes has two. */
  lost: number;
  doubled: number;
  damaged: number;
  unsound: string[];
  restartMsMax: number;
}

interface Sent {
  hash: string;
  inboxes: number[];
  acknowledged: boolean;
}

interface Inbox {
  id: string;
  address: string;
}

const CONNECTIONS = 6;
/** The minimum and maximum time under load before the kill. */
const LOAD_MS = [60, 700] as const;

/** Kills `rounds` times. With `mails`, at least that many are answered 250 in total; otherwise a short load's worth. */
export async function killRounds(
  rounds: number,
  mails = 0,
  onRound: (round: number, figures: KillFigures) => void = () => {},
): Promise<KillFigures> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-kill-'));
  const env = { POSTERN_DATA_DIR: dir, POSTERN_DISK_FLOOR: '0', POSTERN_LIMITS: 'off' };
  const figures: KillFigures = {
    rounds: 0,
    acknowledged: 0,
    unanswered: 0,
    unansweredStored: 0,
    lost: 0,
    doubled: 0,
    damaged: 0,
    unsound: [],
    restartMsMax: 0,
  };
  const email = 'kill@example.org';
  const { api_key } = await posternJson<{ api_key: string }>(['account', 'create', '--email', email], env);
  let server = await startServing(['serve'], env);
  try {
    for (let round = 1; round <= rounds; round++) {
      const inboxes = await Promise.all([1, 2].map(() => makeInbox(server, api_key)));
      const left = Math.max(0, mails - figures.acknowledged);
      // A random share, of the right size on average. The last round sends the rest.
      const part = round === rounds ? left : Math.ceil((Math.random() * 2 * left) / (rounds - round + 1));
      const sent = await loadAndKill(server, inboxes, mails > 0 ? part : null);
      const began = performance.now();
      server = await startServing(['serve'], env);
      figures.restartMsMax = Math.max(figures.restartMsMax, Math.round(performance.now() - began));
      await check(server, api_key, inboxes, sent, figures);
      figures.unsound.push(...findUnsound(join(dir, 'postern.db')));
      figures.rounds = round;
      onRound(round, figures);
    }
    return figures;
  } finally {
    await server[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Several connections send without a pause until the server is killed, after some answers or a random time. */
async function loadAndKill(
  server: Serving,
  inboxes: Inbox[],
  answers: number | null,
): Promise<Map<number, Sent>> {
  const sent = new Map<number, Sent>();
  const port = Number(server.ready.smtp.split(':').at(-1));
  let open = CONNECTIONS;
  const loads = Array.from({ length: CONNECTIONS }, (_, index) =>
    sendUntilCut(port, inboxes, index, sent).finally(() => open--),
  );
  const [least, most] = LOAD_MS;
  // Counts from the first 250 on: a kill before any mail would show nothing.
  const answered = () => [...sent.values()].filter(({ acknowledged }) => acknowledged).length;
  while (answered() < Math.max(1, answers ?? 0) && open > 0) await Bun.sleep(5);
  if (answers === null) await Bun.sleep(least + Math.random() * (most - least));
  server.kill('SIGKILL');
  await Promise.all([server.exited, ...loads]);
  return sent;
}

async function sendUntilCut(
  port: number,
  inboxes: Inbox[],
  connection: number,
  sent: Map<number, Sent>,
): Promise<void> {
  try {
    using client = await SmtpClient.greet({ port });
    for (let turn = 0; ; turn++) {
      const number = turn * CONNECTIONS + connection;
      const raw = makeMail(number);
      const to = number % 5 === 0 ? [0, 1] : [number % 2];
      const record = { hash: computeHash(raw), inboxes: to, acknowledged: false };
      await client.say('MAIL FROM:<load@example.org>', 250);
      for (const index of to) await client.say(`RCPT TO:<${inboxes[index]!.address}>`, 250);
      await client.say('DATA', 354);
      sent.set(number, record);
      client.data(raw);
      await client.expect(250);
      record.acknowledged = true;
    }
  } catch (fault) {
    // A broken connection is expected here; an error reply is not.
    if (/^expected \d+, was answered/.test((fault as Error).message)) throw fault;
  }
}

/** Mostly small; one in eight is stored in several pieces (over 256 KiB). */
function makeMail(number: number): Buffer {
  const length = number % 8 === 7 ? 300_000 + (number % 5) * 300_000 : (number % 7) ** 3 * 100 + 200;
  const line = `${number} .. code 482913 ${createHash('sha256').update(`${number}`).digest('base64')}\r\n.dot\r\n`;
  const head = `Subject: ${number}\r\nFrom: load@example.org\r\n\r\n`;
  return Buffer.from(`${head}${line.repeat(Math.ceil(length / line.length))}`);
}

function computeHash(raw: Uint8Array): string {
  return createHash('sha256').update(raw).digest('hex');
}

async function check(
  server: Serving,
  apiKey: string,
  inboxes: Inbox[],
  sent: Map<number, Sent>,
  figures: KillFigures,
): Promise<void> {
  const found = await Promise.all(inboxes.map(({ id }) => readInbox(server, apiKey, id)));
  for (const [number, { hash, inboxes: to, acknowledged }] of sent) {
    const copies = to.map((index) => found[index]!.get(number) ?? []);
    figures[acknowledged ? 'acknowledged' : 'unanswered'] += 1;
    if (!acknowledged && copies.some(({ length }) => length > 0)) {
      figures.unansweredStored += 1;
      // One commit covers all recipients: all of them have it, or none.
      if (copies.some(({ length }) => length === 0)) figures.lost += 1;
    }
    if (acknowledged) figures.lost += copies.filter(({ length }) => length === 0).length;
    figures.doubled += copies.filter(({ length }) => length > 1).length;
    figures.damaged += copies.flat().filter((one) => one !== hash).length;
  }
}

/** The hashes of an inbox's mails, by number. */
async function readInbox(server: Serving, apiKey: string, id: string): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  let cursor: string | null = null;
  do {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page = await (await get(server, apiKey, `/inboxes/${id}/messages?limit=100${query}`)).json();
    const { data, pagination } = page as {
      data: { id: string; subject: string }[];
      pagination: { next_cursor: string | null };
    };
    await Promise.all(
      data.map(async (message) => {
        const raw = await (await get(server, apiKey, `/messages/${message.id}/raw`)).arrayBuffer();
        const number = Number(message.subject);
        found.set(number, [...(found.get(number) ?? []), computeHash(withoutTrace(Buffer.from(raw)))]);
      }),
    );
    cursor = pagination.next_cursor;
  } while (cursor);
  return found;
}

async function get(server: Serving, apiKey: string, path: string): Promise<Response> {
  const answer = await fetch(`${server.ready.http}/api/v1${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function makeInbox(server: Serving, apiKey: string): Promise<Inbox> {
  const answer = await fetch(`${server.ready.http}/api/v1/inboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (answer.status !== 201) throw new Error(`no inbox was made: ${await answer.text()}`);
  return ((await answer.json()) as { data: Inbox }).data;
}
