/** A server and a CA that may lie to it, on one clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../peers/fake-clock.ts';
import type { RunningAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { type FakeCa, type FakeCaOptions, type Step, startFakeCa } from './fake-ca.ts';
import { askMarkers, hasBegun } from './markers.ts';
import { makeScene, names, readCertificate, type Scene, said } from './scene.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

interface Stage extends AsyncDisposable {
  scene: Scene;
  ca: FakeCa;
  clock: FakeClock;
  dataDir: string;
  start(settings?: Record<string, string>): Promise<RunningAppliance>;
}

export type StageTimes = Pick<FakeCaOptions, 'days' | 'beginsInDays'>;

export async function stage(times: StageTimes = {}): Promise<Stage> {
  const scene = await makeScene();
  const clock = new FakeClock();
  const ca = await startFakeCa({ clock, httpPort: scene.httpPort, ...times });
  letFetch(clock, ca);
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-strict-'));
  return {
    scene,
    ca,
    clock,
    dataDir,
    start: (settings = {}) => scene.start(ca.directory, { clock, dataDir, settings }),
    async [Symbol.asyncDispose]() {
      await ca[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** Holds the clock while the CA fetches the answer to a challenge: by the clock, a connection may take only ten seconds. */
export function letFetch(clock: FakeClock, ca: FakeCa): void {
  const { settled } = clock;
  clock.settled = async () => {
    await settled();
    await ca.settled();
  };
}

/** The real time of a step: a CA on a slow machine has a second to ask before the ten that a connection may take are over. */
const STEP_TAKES_MS = 25;

/**
 * Lets time pass in small steps, with real time for what goes over sockets, until the condition holds. Leap over waits of minutes
 * first.
 */
export async function drive(clock: FakeClock, isSo: () => boolean, stepMs = 250): Promise<void> {
  await until(async () => {
    if (isSo()) return true;
    await clock.advance(stepMs);
    await Bun.sleep(STEP_TAKES_MS);
    return isSo();
  }, 60_000);
}

/** Returns whether no attempt to get a certificate begins in `act`. */
export async function staysQuiet(
  { dns }: Scene,
  server: RunningAppliance,
  act: () => Promise<void>,
): Promise<boolean> {
  const before = dns.asked.length;
  await act();
  await askMarkers(server.services.outside.resolver);
  return !hasBegun(dns, names, before);
}

export const count = ({ asked }: FakeCa, step: Step) => asked.filter((each) => each === step).length;
export const issued =
  (server: RunningAppliance, times = 1) =>
  () =>
    said(server, 'certificate reloaded').length >= times;
export const failed =
  (server: RunningAppliance, times = 1) =>
  () =>
    said(server, 'no new certificate').length >= times;
export const readReason = (server: RunningAppliance) =>
  JSON.parse(said(server, 'no new certificate').at(-1) ?? '{}').reason;
export const commonName = async (server: RunningAppliance) =>
  (await readCertificate(server.smtpPort)).issuer.CN;
