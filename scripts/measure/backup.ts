/** Measures what clients notice while a large store is backed up and mail arrives. */
import { join } from 'node:path';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { startSeededPostern } from './search.ts';
import { executable, type Postern, removeDataDir } from './targets.ts';

const GOAL_MS = 50;
const CONNECTIONS = 10;
const MAILS_PER_S = 500;
/** The interval between a reader's requests. */
const READ_EVERY_MS = 10;

interface Answers {
  mailMs: number[];
  readMs: number[];
}

export async function benchBackup(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 2_000 : 100_000;
  report.section(
    `A backup of ${messages.toLocaleString('en-US')} messages while ${MAILS_PER_S} mails/s arrive (the load shares the cores)`,
  );
  await using target = await startSeededPostern(report, messages);
  const calm = await runUnderLoad(target, () => Bun.sleep(smoke ? 500 : 5_000));
  reportAnswers(report, 'without a backup', calm.answers, calm.seconds);
  let printed = '';
  const during = await runUnderLoad(target, async () => {
    const file = join(target.dataDir, '..', `postern-bench-${process.pid}.db`);
    const child = Bun.spawn([executable, 'backup', file, '--data-dir', target.dataDir, '--json'], {
      stdout: 'pipe',
    });
    printed = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error('the backup failed');
    await Bun.file(file).delete();
  });
  const { size, messages: held } = JSON.parse(printed) as { size: number; messages: number };
  report.line('backup', `${shown(during.seconds)} s`, `${shown(size / 1e6)} MB`, `${held} messages`);
  reportAnswers(report, 'meanwhile', during.answers, during.seconds);
  report.goal('GET latest, slowest', quantile(during.answers.readMs, 1), 'ms', { under: GOAL_MS });
  report.goal('MAIL to 250, slowest', quantile(during.answers.mailMs, 1), 'ms', { under: GOAL_MS });
  await target[Symbol.asyncDispose]();
  removeDataDir(target.dataDir);
}

export function reportAnswers(
  report: Report,
  name: string,
  { mailMs, readMs }: Answers,
  seconds: number,
): void {
  const of = (values: number[]) =>
    `p99 ${shown(quantile(values, 0.99))}, max ${shown(quantile(values, 1))} ms`;
  report.line(name, `${shown(mailMs.length / seconds)} mails/s`, `250: ${of(mailMs)}`, `GET: ${of(readMs)}`);
}

/** Earlier answers are not counted: the first mail waits for the parser to start, which is a figure of its own. */
const WARM_UP_MS = 500;

/** Sends mail at a steady rate and reads it, while something else runs. */
export async function runUnderLoad(
  target: Postern,
  run: () => Promise<unknown>,
): Promise<{ answers: Answers; seconds: number }> {
  const answers: Answers = { mailMs: [], readMs: [] };
  let isOver = false;
  const countedFrom = performance.now() + WARM_UP_MS;
  const note = (tookMs: number[], began: number) => {
    if (began >= countedFrom) tookMs.push(performance.now() - began);
  };
  const load = [
    ...Array.from({ length: CONNECTIONS }, () =>
      send(
        target,
        () => isOver,
        (began) => note(answers.mailMs, began),
      ),
    ),
    read(
      target,
      () => isOver,
      (began) => note(answers.readMs, began),
    ),
  ];
  const began = performance.now();
  await run();
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  await Promise.all(load);
  return { answers, seconds };
}

async function send(target: Postern, isOver: () => boolean, note: (began: number) => void): Promise<void> {
  using client = await SmtpClient.greet({ port: target.smtpPort });
  const everyMs = (1000 * CONNECTIONS) / MAILS_PER_S;
  for (let due = performance.now(); !isOver(); due += everyMs) {
    await Bun.sleep(Math.max(0, due - performance.now()));
    const began = performance.now();
    await client.sendEnvelope('bench@shop.example', target.recipient);
    client.data('Subject: during a backup\r\n\r\nYour code is 482913\r\n');
    await client.expect(250);
    note(began);
  }
}

async function read(target: Postern, isOver: () => boolean, note: (began: number) => void): Promise<void> {
  while (!isOver()) {
    const began = performance.now();
    await target.get(`/inboxes/${target.inboxId}/messages/latest`);
    note(began);
    await Bun.sleep(READ_EVERY_MS);
  }
}
