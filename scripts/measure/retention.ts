/** Measures what clients notice while a large store erases old messages and returns disk space, and mail arrives. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openWriter } from '../../src/platform/store/database.ts';
import { reportAnswers, runUnderLoad } from './backup.ts';
import { quantile, type Report, shown } from './figures.ts';
import { startSeededPostern } from './search.ts';
import { type Postern, removeDataDir, startPostern } from './targets.ts';

const GOAL_MS = 50;
/** The size of the store that remains. */
const leftMib = (smoke: boolean) => (smoke ? 20 : 48);
const GIVE_UP_S = 300;

export async function benchRetention(report: Report, smoke: boolean): Promise<void> {
  const messages = smoke ? 20_000 : 100_000;
  report.section(
    `The oldest of ${messages.toLocaleString('en-US')} messages are erased while mail arrives (the load shares the cores)`,
  );
  const seeded = await startSeededPostern(report, messages);
  const calm = await runUnderLoad(seeded, () => Bun.sleep(smoke ? 500 : 5_000));
  reportAnswers(report, 'without retention', calm.answers, calm.seconds);
  await seeded[Symbol.asyncDispose]();
  const before = measureStore(seeded.dataDir);
  makeDue(seeded.dataDir);
  const settings = { POSTERN_METRICS: 'on', POSTERN_STORE_MAX_SIZE: `${leftMib(smoke)}MiB` };
  await using target = await startPostern(seeded.dataDir, seeded, settings);
  const during = await runUnderLoad(target, () => waitUntilErased(target, messages));
  const gone = (await readMetric(target, 'postern_messages_erased_total')).toLocaleString('en-US');
  report.line('erased', `${gone} messages`, `${shown(during.seconds)} s`);
  reportAnswers(report, 'meanwhile', during.answers, during.seconds);
  report.goal('GET latest, slowest', quantile(during.answers.readMs, 1), 'ms', { under: GOAL_MS });
  report.goal('MAIL to 250, slowest', quantile(during.answers.mailMs, 1), 'ms', { under: GOAL_MS });
  await target[Symbol.asyncDispose]();
  report.line(
    'store',
    `${shown(before / 1e6)} MB before`,
    `${shown(measureStore(target.dataDir) / 1e6)} MB after`,
  );
  removeDataDir(target.dataDir);
}

const measureStore = (dataDir: string) => statSync(join(dataDir, 'postern.db')).size;

/** Makes the jobs run soon after the start, as if they had been due while the server was down. */
function makeDue(dataDir: string): void {
  const database = openWriter(join(dataDir, 'postern.db'));
  database.exec("UPDATE job_run SET last_at = 0 WHERE name IN ('messages.store_size', 'messages.give_back')");
  database.close();
}

/** Waits until most are erased and their space is returned, by a job that runs once a minute. */
async function waitUntilErased(target: Postern, messages: number): Promise<void> {
  const giveUp = performance.now() + GIVE_UP_S * 1000;
  while (performance.now() < giveUp) {
    await Bun.sleep(1_000);
    const erased = await readMetric(target, 'postern_messages_erased_total');
    const bytes = await readMetric(target, 'postern_store_bytes');
    const freeBytes = await readMetric(target, 'postern_store_free_bytes');
    if (erased > messages / 3 && freeBytes < bytes / 8) return;
  }
  throw new Error(`not erased within ${GIVE_UP_S} s`);
}

/** Returns the sum of a metric's values. */
async function readMetric(target: Postern, name: string): Promise<number> {
  const text = await (await fetch(`${target.http}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
