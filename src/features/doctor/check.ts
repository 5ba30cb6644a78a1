/** What a check of the doctor is. Its finding includes the remedy if something is wrong. */
import type { PlatformServices } from '../../platform/services.ts';
import type { Finding } from './wire.ts';

export type CheckVerdict = Omit<Finding, 'name'>;

export interface Check {
  name: string;
  run(services: PlatformServices): Promise<CheckVerdict>;
  /** A time limit for this check, if it needs more than the usual one. */
  withinMs?: number;
}

export const pass = (detail: string): CheckVerdict => ({ ok: true, detail });
export const flag = (detail: string): CheckVerdict => ({ ok: false, detail });

/** `1 mail`, `2 mails`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1.5 GiB`: rounded for people. */
export function formatSize(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value >= 10 || step === 0 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}
