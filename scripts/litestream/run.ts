/**
 * Litestream copies the store under load, and then both are killed at once, as if the machine were lost. The copy is
 * restored and served. Only mail that is younger than Litestream's intervals may be missing, and none may be incomplete or
 * duplicated.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { posternJson, type Serving, startServing } from '../../test/doors/operator/command-process.ts';
import { withoutTrace } from '../../test/doors/smtp/mailbox.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { type Inbox, listMessages, Stage } from '../storm/stage.ts';
import { findLitestream, readVersion } from './binary.ts';

/** Litestream's defaults: how often it checks the log, and how often it sends changes. */
const MONITOR_S = 1;
const SYNC_S = 1;
/** Allowance for a sync that was in progress at the kill, on a busy machine. */
const SLACK_S = 1;
const LOSS_S_MAX = MONITOR_S + SYNC_S + SLACK_S;
const SENDERS = 4;
const PAUSE_MS = 5;
const COMPARED_MAX = 500;

export const litestreamUsage = `  litestream Litestream (--binary FILE, or one that is built with Go into .tools/) copies the store under load for
             --seconds (45), to a folder or to --replica URL (s3://BUCKET/PATH?endpoint=…). Then both are killed, and the
             copy is restored and served. Exit 1 if a mail that was answered 250 more than ${LOSS_S_MAX} s before the kill is
             missing (its intervals: ${MONITOR_S} s + ${SYNC_S} s, and ${SLACK_S} s), or a mail is incomplete or duplicated. Skipped, with exit 0,
             if there is neither the binary nor Go.`;

export interface LitestreamOptions {
  seconds: number;
  binary: string | undefined;
  /** Where Litestream copies to; a temporary folder if unset. */
  replica: string | undefined;
}

export function readLitestreamArguments(args: string[]): LitestreamOptions | null {
  const options = {
    seconds: { type: 'string', default: '45' },
    binary: { type: 'string' },
    replica: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const seconds = Number(values.seconds);
  return seconds > 0 ? { seconds, binary: values.binary, replica: values.replica } : null;
}

export async function litestream({ seconds, binary, replica }: LitestreamOptions): Promise<boolean> {
  const found = findLitestream(binary);
  if ('reason' in found) {
    console.log(`SKIPPED: Litestream is not available: ${found.reason}`);
    return true;
  }
  const place = mkdtempSync(join(tmpdir(), 'postern-litestream-'));
  try {
    await using stage = await Stage.open({ POSTERN_CHECKPOINTS: 'litestream' }, place);
    const target = replica ?? `file://${join(place, 'replica')}`;
    const config = join(place, 'litestream.yml');
    writeFileSync(config, formatConfig(join(stage.env.POSTERN_DATA_DIR!, 'postern.db'), target));
    const { load, killedMs, walMbMax } = await loadAndKill(stage, found.path, config, seconds);
    const copy = join(place, 'copy.db');
    restoreCopy(found.path, target, copy);
    const figures = { litestream: readVersion(found.path), accepted: load.accepted.size, walMbMax };
    return await checkRestored(stage, copy, place, load, killedMs, figures);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The accepted mails: the time of each 250, by the mail's number. */
interface Load {
  accepted: Map<number, number>;
  slowestMs: number;
}

async function loadAndKill(stage: Stage, binary: string, config: string, seconds: number) {
  const store = join(stage.env.POSTERN_DATA_DIR!, 'postern.db');
  const replicating = Bun.spawn([binary, 'replicate', '-config', config], {
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const load: Load = { accepted: new Map(), slowestMs: 0 };
  let next = 0;
  let isOver = false;
  let walMbMax = 0;
  const watching = setInterval(() => {
    const { size } = statSync(`${store}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
    walMbMax = Math.max(walMbMax, Math.round(size / 1024 ** 2));
  }, 250);
  const senders = Array.from({ length: SENDERS }, () =>
    sendUntil(
      stage,
      load,
      () => next++,
      () => isOver,
    ),
  );
  try {
    await Bun.sleep(seconds * 1000);
    if (replicating.exitCode !== null) throw new Error(`Litestream ended with ${replicating.exitCode}`);
  } finally {
    replicating.kill('SIGKILL');
    stage.server.kill('SIGKILL');
    isOver = true;
    clearInterval(watching);
  }
  const killedMs = Date.now();
  await Promise.all([...senders, replicating.exited, stage.server.exited]);
  return { load, killedMs, walMbMax };
}

function formatConfig(store: string, replica: string): string {
  return [
    'dbs:',
    `  - path: ${store}`,
    `    monitor-interval: ${MONITOR_S}s`,
    '    replica:',
    `      url: ${replica}`,
    `      sync-interval: ${SYNC_S}s`,
    '',
  ].join('\n');
}

async function sendUntil(
  stage: Stage,
  load: Load,
  takeNumber: () => number,
  isOver: () => boolean,
): Promise<void> {
  try {
    using client = await SmtpClient.greet({ port: stage.smtpPort, timeoutMs: 30_000 });
    while (!isOver()) {
      const number = takeNumber();
      const beganMs = performance.now();
      await client.deliver('load@example.org', stage.inbox.address, composeMail(number));
      load.accepted.set(number, Date.now());
      load.slowestMs = Math.max(load.slowestMs, performance.now() - beganMs);
      await Bun.sleep(PAUSE_MS);
    }
  } catch (fault) {
    // The kill breaks connections.
    if (!isOver()) throw fault;
  }
}

function restoreCopy(binary: string, replica: string, copy: string): void {
  const { exitCode, stderr } = Bun.spawnSync([binary, 'restore', '-o', copy, replica], { stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`litestream restore ended with ${exitCode}: ${stderr}`);
}

async function checkRestored(
  stage: Stage,
  copy: string,
  place: string,
  { accepted, slowestMs }: Load,
  killedMs: number,
  figures: object,
): Promise<boolean> {
  const dataDir = join(place, 'restored');
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(join(stage.env.POSTERN_DATA_DIR!, 'server.key'), join(dataDir, 'server.key'));
  const env = { ...stage.env, POSTERN_DATA_DIR: dataDir, POSTERN_CHECKPOINTS: 'own' };
  await posternJson(['restore', copy], env);
  await using server = await startServing(['serve'], env);
  const found = await listIds(server, stage.apiKey, stage.inbox);
  const lost = [...accepted].filter(([number]) => !found.has(number));
  const oldestLostS = Math.max(0, ...lost.map(([, atMs]) => (killedMs - atMs) / 1000));
  const doubled = [...found.values()].filter((ids) => ids.length > 1).length;
  const damaged = await countDamaged(server, stage.apiKey, found);
  const isTaken = await acceptsMail(server, stage.inbox);
  const { checks } = await posternJson<{ checks: { name: string; ok: boolean; detail: string }[] }>(
    ['doctor'],
    env,
  );
  const unsound = checks.filter(
    ({ name, ok }) => !ok && ['store', 'server_key', 'round_trip'].includes(name),
  );
  const faults = [
    oldestLostS > LOSS_S_MAX && `lost a mail that was answered ${oldestLostS.toFixed(1)} s before the kill`,
    found.size === 0 && 'nothing was restored',
    doubled > 0 && `${doubled} mails are duplicated`,
    damaged > 0 && `${damaged} mails differ from what was sent`,
    !isTaken && 'the restored server accepts no mail',
    ...unsound.map(({ name, detail }) => `doctor, ${name}: ${detail}`),
  ].filter((fault) => fault !== false);
  console.log(
    JSON.stringify({
      ...figures,
      slowest250Ms: Math.round(slowestMs),
      restored: found.size,
      lost: lost.length,
      oldestLostS: Math.round(oldestLostS * 100) / 100,
      lossSMax: LOSS_S_MAX,
      doubled,
      damaged,
      faults,
    }),
  );
  return faults.length === 0;
}

/** Returns the ids of each mail's messages, by the mail's number. */
async function listIds(server: Serving, apiKey: string, inbox: Inbox): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for await (const { id, subject } of listMessages(server, apiKey, inbox.id)) {
    const number = Number(/^number-(\d+)\.$/.exec(subject)?.[1] ?? Number.NaN);
    found.set(number, [...(found.get(number) ?? []), id]);
  }
  return found;
}

/** Counts the damaged mails among the newest ones, which were copied last, and a sample of the others. */
async function countDamaged(server: Serving, apiKey: string, found: Map<number, string[]>): Promise<number> {
  const numbers = [...found.keys()].sort((one, other) => other - one);
  const step = Math.max(1, Math.floor(numbers.length / COMPARED_MAX));
  let damaged = 0;
  for (const [index, number] of numbers.entries()) {
    if (index > 100 && index % step !== 0) continue;
    const answer = await get(server, apiKey, `/messages/${found.get(number)![0]}/raw`);
    const raw = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 200 || withoutTrace(raw).toString() !== composeMail(number)) damaged++;
  }
  return damaged;
}

async function acceptsMail(server: Serving, inbox: Inbox): Promise<boolean> {
  using client = await SmtpClient.greet({ port: Number(server.ready.smtp.split(':').at(-1)) });
  await client.say('MAIL FROM:<load@example.org>', 250);
  await client.say(`RCPT TO:<${inbox.address}>`, 250);
  await client.say('DATA', 354);
  client.data('Subject: after\r\n\r\nYour code is 482913\r\n');
  return (await client.reply()).code === 250;
}

function get(server: Serving, apiKey: string, path: string): Promise<Response> {
  return fetch(`${server.ready.http}/api/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
}

/** Composes the mail with this number, always with the same bytes. Sizes differ much; one mail in 60 is spooled to a file. */
function composeMail(number: number): string {
  const lines = number % 60 === 7 ? 5_000 : number % 10 === 3 ? 400 : 4;
  const line = `${number} `.repeat(12).slice(0, 70);
  return `From: app@example.org\r\nSubject: number-${number}.\r\n\r\nYour code is ${100_000 + ((number * 7919) % 900_000)}\r\n${`${line}\r\n`.repeat(lines)}`;
}
