/** Measures how soon a waiting client has a mail: from the sender's 250 to the waiter's answer. */
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { mails } from './mails.ts';
import { benchParallelSuite } from './parallel-suite.ts';
import { readResidentKib } from './processes.ts';
import { makeDataDir, type Postern, removeDataDir, startPostern } from './targets.ts';
import { HttpConnection, type Watcher, watchByPolling, watchByWaiting } from './wait-clients.ts';

const POLL_MS = 500;
const SENDERS = 16;

interface Box {
  id: string;
  address: string;
}

/** Number of waiters, and of timed mails. */
interface Load {
  waiters: number;
  warmUp: number;
  mails: number;
}

export async function benchWaits(report: Report, smoke: boolean): Promise<void> {
  await benchParallelSuite(report, smoke);
  const many = smoke ? 50 : 2_000;
  const dataDir = makeDataDir();
  const settings = {
    POSTERN_WAIT_SLOTS: '10000',
    POSTERN_PLAN_BUSINESS_CONCURRENT_WAITS: '10000',
    POSTERN_PLAN_BUSINESS_INBOXES: '10000',
  };
  let target = await startPostern(dataDir, undefined, settings);
  try {
    const boxes = await makeBoxes(target, many);
    // Restarted, so that the cost of creating inboxes is not counted as a cost of waiting.
    const known = { apiKey: target.apiKey, inboxId: target.inboxId };
    await target[Symbol.asyncDispose]();
    target = await startPostern(dataDir, known, settings);
    await benchMemory(report, target, boxes);
    await benchWaking(report, target, boxes, smoke);
    await benchPolling(report, target, boxes, smoke);
  } finally {
    await target[Symbol.asyncDispose]();
    removeDataDir(dataDir);
  }
}

async function benchWaking(report: Report, target: Postern, boxes: Box[], smoke: boolean): Promise<void> {
  report.section('Waiting: from 250 received to the answer received, each mail wakes one');
  for (const waiters of [16, boxes.length]) {
    const load = { waiters, warmUp: 50, mails: smoke ? 20 : 1_000 };
    const watchers = await watchAll(target, boxes.slice(0, waiters));
    const timesMs = await sendOneByOne(target, boxes, watchers, load);
    for (const watcher of watchers) watcher.close();
    report.goal(`${load.waiters} waiting, p50`, quantile(timesMs, 0.5), 'ms', { under: 2 });
    report.goal(`${load.waiters} waiting, p99`, quantile(timesMs, 0.99), 'ms', { under: 10 });
    report.line(`${load.waiters} waiting, slowest`, `${shown(quantile(timesMs, 1))} ms`);
  }
  report.section(`Waiting: ${boxes.length} woken by as many mails at full speed (${SENDERS} connections)`);
  const allMs: number[] = [];
  for (let round = 0; round < (smoke ? 1 : 3); round++) {
    const watchers = await watchAll(target, boxes);
    allMs.push(...(await sendAllAtOnce(report, target, boxes, watchers)));
    for (const watcher of watchers) watcher.close();
  }
  report.line('p50', `${shown(quantile(allMs, 0.5))} ms`);
  report.goal('p99', quantile(allMs, 0.99), 'ms', { under: 50 });
}

async function benchPolling(report: Report, target: Postern, boxes: Box[], smoke: boolean): Promise<void> {
  report.section(`The same by polling for the newest message every ${POLL_MS} ms`);
  for (const waiters of [16, boxes.length]) {
    const watchers = await Promise.all(
      boxes.slice(0, waiters).map(({ id }) => watchByPolling(createWatched(target, id), POLL_MS)),
    );
    // Only new messages count, not existing ones.
    await Promise.all(watchers.map((watcher) => watcher.next()));
    const timesMs = await sendOneByOne(target, boxes, watchers, {
      waiters,
      warmUp: 0,
      mails: smoke ? 3 : 40,
    });
    for (const watcher of watchers) watcher.close();
    const figures = [0.5, 0.99].map((at) => `${shown(quantile(timesMs, at))} ms`);
    report.line(`${waiters} polling, p50 p99`, ...figures);
  }
}

/**
 * Measures the RSS of the server alone, because its parsers come and go. As many requests that are answered at once come
 * first, so that one-time costs (compiled code, heap growth) are not attributed to the waiters.
 */
async function benchMemory(report: Report, target: Postern, boxes: Box[]): Promise<void> {
  report.section(`Memory of ${boxes.length} idle waiters`);
  await send(target, boxes[0]!);
  const { httpPort, apiKey, inboxId } = createWatched(target, boxes[0]!.id);
  const connection = await HttpConnection.open(httpPort);
  const stored = `/api/v1/inboxes/${inboxId}/messages/wait?require=message&since=0`;
  for (let count = 0; count < boxes.length; count++) await connection.get(stored, apiKey);
  connection.close();
  await Bun.sleep(3_000);
  const beforeKib = readResidentKib(target.pid);
  const watchers = await watchAll(target, boxes);
  await Bun.sleep(3_000);
  const withKib = readResidentKib(target.pid);
  report.goal('each', (withKib - beforeKib) / boxes.length, 'KB', { under: 10 });
  report.line('RSS before, with them', ...[beforeKib, withKib].map((kib) => `${shown(kib / 1024)} MB`));
  for (const watcher of watchers) watcher.close();
}

async function makeBoxes({ http, apiKey }: Postern, count: number): Promise<Box[]> {
  const boxes: Box[] = [];
  const headers = { authorization: `Bearer ${apiKey}` };
  const make = async () => {
    const answer = await fetch(`${http}/api/v1/inboxes`, { method: 'POST', headers });
    if (answer.status !== 201) throw new Error(`no inbox: ${answer.status} ${await answer.text()}`);
    boxes.push(((await answer.json()) as { data: Box }).data);
  };
  while (boxes.length < count) {
    await Promise.all(Array.from({ length: Math.min(50, count - boxes.length) }, make));
  }
  return boxes;
}

function createWatched({ http, apiKey }: Postern, inboxId: string) {
  return { httpPort: Number(new URL(http).port), apiKey, inboxId };
}

/** Returns when each has sent its request and the server has had time to accept it. */
async function watchAll(target: Postern, boxes: readonly Box[]): Promise<Watcher[]> {
  const watchers: Watcher[] = [];
  for (let at = 0; at < boxes.length; at += 100) {
    const some = boxes.slice(at, at + 100).map(({ id }) => watchByWaiting(createWatched(target, id)));
    watchers.push(...(await Promise.all(some)));
    await target.get('/account');
  }
  await Bun.sleep(300);
  return watchers;
}

const mail = mails.small();

/** The server may be at its limit: thousands of polling clients leave little for mail. */
const REPLY_WITHIN_MS = 60_000;

function greet(target: Postern): Promise<SmtpClient> {
  return SmtpClient.greet({ port: target.smtpPort, timeoutMs: REPLY_WITHIN_MS });
}

/** Returns the time of the 250. */
async function sendOver(client: SmtpClient, address: string): Promise<number> {
  await client.sendEnvelope('bench@shop.example', address);
  client.data(mail);
  await client.expect(250);
  return performance.now();
}

async function send(target: Postern, box: Box): Promise<number> {
  using client = await greet(target);
  return await sendOver(client, box.address);
}

/** Sends mails one by one, and returns the milliseconds until each waiter's answer, which may come before the 250. */
async function sendOneByOne(
  target: Postern,
  boxes: Box[],
  watchers: Watcher[],
  load: Load,
): Promise<number[]> {
  using client = await greet(target);
  const timesMs: number[] = [];
  for (let count = 0; count < load.warmUp + load.mails; count++) {
    // Spread over all waiters.
    const at = (count * 7919) % load.waiters;
    const arrived = watchers[at]!.next();
    const sent = await sendOver(client, boxes[at]!.address);
    const tookMs = (await arrived) - sent;
    if (count >= load.warmUp) timesMs.push(tookMs);
  }
  return timesMs;
}

async function sendAllAtOnce(
  report: Report,
  target: Postern,
  boxes: Box[],
  watchers: Watcher[],
): Promise<number[]> {
  const timesMs: number[] = [];
  const began = performance.now();
  const share = async (first: number) => {
    using client = await greet(target);
    for (let at = first; at < boxes.length; at += SENDERS) {
      const arrived = watchers[at]!.next();
      const sent = await sendOver(client, boxes[at]!.address);
      answers.push(arrived.then((received) => void timesMs.push(received - sent)));
    }
  };
  const answers: Promise<void>[] = [];
  await Promise.all(Array.from({ length: SENDERS }, (_, first) => share(first)));
  await Promise.all(answers);
  const perS = boxes.length / ((performance.now() - began) / 1000);
  report.line('mails a second', shown(perS));
  return timesMs;
}
