import type { PlatformServices } from '../../platform/services.ts';

type WithLog = Pick<PlatformServices, 'log'>;

/**
 * Reads a stored mail for a caller that also reads others, such as a list or a stream. A mail that the disk has damaged
 * must not keep it from those: it is logged, and `otherwise` returns what is shown instead.
 */
export function readOrElse<T>(services: WithLog, id: string, read: () => T, otherwise: () => T): T {
  try {
    return read();
  } catch (fault) {
    reportUnreadable(services, id, fault);
    return otherwise();
  }
}

/** Not for every time, because programs read a list many times a second. */
export function reportUnreadable({ log }: WithLog, id: string, fault: unknown): void {
  log.rarely('error', 'a message could not be read', { id, fault: String(fault) });
}
