/** Runs every check of docs/operations.md (Commands, doctor), one after the other where they would interfere. */
import { readReason } from '../../platform/core/thrown.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { certificateCheck } from './certificate.ts';
import { type Check, flag } from './check.ts';
import { clockCheck, descriptorsCheck, diskCheck } from './machine.ts';
import { dnsChecks } from './names.ts';
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
  private underWay: Promise<Finding[]> | null = null;

  constructor(private readonly services: PlatformServices) {}

  /**
   * Runs all checks. Never throws: faults become findings. A call during a run shares its result. Besides reading, it
   * sends one mail and erases it.
   */
  examine(): Promise<Finding[]> {
    this.underWay ??= lookAtAll(this.services).finally(() => {
      this.underWay = null;
    });
    return this.underWay;
  }
}

async function lookAtAll(services: PlatformServices): Promise<Finding[]> {
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
    return { name, ...flag(`This could not be checked: ${readReason(thrown)}`) };
  } finally {
    cancel();
  }
}
