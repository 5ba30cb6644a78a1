/** Runs the checks of docs/operations.md (What the doctor says). */
import { readReason } from '../../platform/core/thrown.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { certificateCheck } from './certificate.ts';
import { type Check, flag } from './check.ts';
import { dnsChecks } from './dns.ts';
import { clockCheck, descriptorsCheck, diskCheck } from './machine.ts';
import { outboundCheck } from './outbound-port.ts';
import { portsCheck } from './ports.ts';
import { roundTripCheck } from './round-trip.ts';
import { keyCheck, storeCheck } from './store.ts';
import type { Finding } from './wire.ts';

const checks: readonly Check[] = [
  storeCheck,
  keyCheck,
  diskCheck,
  descriptorsCheck,
  clockCheck,
  portsCheck,
  ...dnsChecks,
  certificateCheck,
  outboundCheck,
];

const CHECK_MS_MAX = 30_000;

export interface DoctorServices extends PlatformServices {
  readonly doctor: Doctor;
}

export class Doctor {
  private running: Promise<Finding[]> | null = null;

  constructor(private readonly services: PlatformServices) {}

  /**
   * Runs all checks. Never rejects: faults become findings. A call during a run shares its result. The only thing that
   * a run changes: it sends one mail to itself and erases it.
   */
  examine(): Promise<Finding[]> {
    this.running ??= runAll(this.services).finally(() => {
      this.running = null;
    });
    return this.running;
  }
}

async function runAll(services: PlatformServices): Promise<Finding[]> {
  // Runs first and alone, so that the other checks do not count its mail.
  const trip = await runOne(services, roundTripCheck);
  return [...(await Promise.all(checks.map((check) => runOne(services, check)))), trip];
}

async function runOne(
  services: PlatformServices,
  { name, run, withinMs = CHECK_MS_MAX }: Check,
): Promise<Finding> {
  const late = Promise.withResolvers<ReturnType<typeof flag>>();
  const cancel = services.clock.after(withinMs, () =>
    late.resolve(flag(`No result after ${withinMs / 1000} seconds. Run the doctor again.`)),
  );
  try {
    return { name, ...(await Promise.race([run(services), late.promise])) };
  } catch (thrown) {
    return { name, ...flag(`The check could not be completed: ${readReason(thrown)}`) };
  } finally {
    cancel();
  }
}
