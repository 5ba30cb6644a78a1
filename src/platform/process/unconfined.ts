import type { Log } from '../core/log.ts';

/** The warnings that each log has: the system won't change while the server runs. */
const warned = new WeakMap<Log, Set<string>>();

/** Warns, once, that a child process could not confine itself (platform/system/confine.ts). */
export function warnUnconfined(log: Log, message: string, reason: string): void {
  const messages = warned.get(log) ?? new Set();
  if (messages.has(message)) return;
  warned.set(log, messages.add(message));
  log.warn(message, { reason, see: 'docs/security.md' });
}
