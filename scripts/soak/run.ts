/** Sends mail at a steady rate for many minutes: none may be lost, and memory, descriptors and the log must not grow. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { posternJson } from '../../test/doors/operator/command-process.ts';
import { countDescriptors, measureMemory } from '../measure/processes.ts';
import { round, Stage } from '../storm/stage.ts';
import { SoakLoad } from './load.ts';
import { growthFaults, JUDGED_FROM_S, RISE_MAX, type Sample, slopePerMinute } from './slope.ts';

export const soakUsage = `  soak       Mail at a steady rate (--rate 200, per second) for --minutes (30), with waits, streams, searches,
             deletions and retention by size. Prints memory, descriptors and log over time, and their slopes over the
             second half. Exit 1 when a mail is lost or duplicated, a stream omits one, or anything rises over the second
             half by more than ${RISE_MAX.pssMb} MB of PSS, ${RISE_MAX.descriptors} descriptors or ${RISE_MAX.walMb} MB of log (judged from ${JUDGED_FROM_S / 60} minutes on).
             --smoke: seconds, and only that nothing is lost.`;

export interface SoakOptions {
  seconds: number;
  rate: number;
}

const SMOKE = { seconds: 12, rate: 50 };
/** Reached within three minutes at 200 mails per second, so that most of a soak runs with retention. */
const STORE_BYTES = 48 * 1024 ** 2;
const SAMPLES_MAX = 180;

export function readSoakArguments(args: string[]): SoakOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '200' },
      smoke: { type: 'boolean', default: false },
    },
  });
  if (values.smoke) return SMOKE;
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
  return minutes > 0 && rate > 0 ? { seconds: minutes * 60, rate } : null;
}

export async function soak({ seconds, rate }: SoakOptions): Promise<boolean> {
  await using stage = await Stage.open({
    POSTERN_STORE_MAX_SIZE: String(STORE_BYTES),
    POSTERN_WAIT_SLOTS: '200',
    POSTERN_PLAN_BUSINESS_CONCURRENT_WAITS: '200',
  });
  const load = new SoakLoad(stage, rate);
  await load.start();
  const samples = await watch(stage, load, seconds);
  await load.stop();
  const { lost, doubled, unstreamed, kept } = await load.takeStock();
  const { checks } = await posternJson<{ checks: { name: string; ok: boolean; detail: string }[] }>(
    ['doctor'],
    stage.env,
  );
  const store = checks.find(({ name }) => name === 'store');
  const ready = await fetch(`${stage.server.ready.http}/readyz`);
  const faults = [
    lost.length > 0 && `${lost.length} mails that were answered 250 are lost, the first ${lost.slice(0, 5)}`,
    doubled.length > 0 && `${doubled.length} mails are duplicated`,
    unstreamed.length > 0 && `${unstreamed.length} mails are missing from their stream`,
    !store?.ok && `the store is corrupt: ${store?.detail}`,
    ready.status !== 200 && `/readyz says ${ready.status}`,
    ...[...load.wrong].map(([what, times]) => `${times} times: ${what}`),
    ...growthFaults(samples),
    ...(await stage.end()),
  ].filter((fault) => fault !== false);
  const lastS = samples.at(-1)?.atS ?? 1;
  console.log(
    JSON.stringify({
      minutes: round(lastS / 60),
      rate,
      rateReached: round(load.accepted.size / lastS),
      accepted: load.accepted.size,
      kept,
      ...load.counts,
      slowest250Ms: round(load.slowestMs),
      ...formatSlopes(samples),
      lost: lost.length,
      doubled: doubled.length,
      unstreamed: unstreamed.length,
      faults,
    }),
  );
  return faults.length === 0;
}

function formatSlopes(samples: readonly Sample[]) {
  const slope = (measured: keyof typeof RISE_MAX) =>
    Math.round(slopePerMinute(samples, measured) * 1000) / 1000;
  return {
    pssMbAMinute: slope('pssMb'),
    descriptorsAMinute: slope('descriptors'),
    walMbAMinute: slope('walMb'),
    pssMbMax: Math.max(...samples.map(({ pssMb }) => pssMb)),
  };
}

async function watch(stage: Stage, load: SoakLoad, seconds: number): Promise<Sample[]> {
  const everyS = Math.max(2, Math.min(10, seconds / SAMPLES_MAX));
  const beganMs = performance.now();
  const samples: Sample[] = [];
  for (let nextS = everyS; nextS <= seconds; nextS += everyS) {
    await Bun.sleep(Math.max(0, beganMs + nextS * 1000 - performance.now()));
    const sample = takeSample(stage, round((performance.now() - beganMs) / 1000));
    samples.push(sample);
    const storeMb = round(readSize(join(stage.env.POSTERN_DATA_DIR!, 'postern.db')));
    const spool = readdirSync(join(stage.env.POSTERN_DATA_DIR!, 'spool')).length;
    console.log(JSON.stringify({ ...sample, storeMb, spool, accepted: load.accepted.size }));
  }
  return samples;
}

function takeSample({ server, env }: Stage, atS: number): Sample {
  const { pid } = server.ready;
  return {
    atS,
    pssMb: round(measureMemory(pid).pssMb),
    descriptors: countDescriptors(pid),
    walMb: round(readSize(join(env.POSTERN_DATA_DIR!, 'postern.db-wal'))),
  };
}

function readSize(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2;
}
