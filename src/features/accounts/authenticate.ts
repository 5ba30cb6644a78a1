import { DAY_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { KeyHolder } from './account.ts';
import { findAccountByNo, findCaller, findKeyById } from './sql.ts';
import { accountSeenOp } from './writes.ts';

/** Callers looked up since the store's last commit. Most requests come between two commits. */
export interface KnownCallers {
  version: number;
  callers: Map<string, KeyHolder>;
}

export interface KeyServices extends PlatformServices {
  readonly knownCallers: KnownCallers;
}

const KNOWN_MAX = 1000;

/**
 * Returns the caller that a key belongs to, or null. Any commit clears the cache, so a revoked key stops working at
 * once.
 */
export function authenticate(
  services: Pick<KeyServices, 'store' | 'knownCallers'>,
  apiKey: string,
): KeyHolder | null {
  const { store } = services;
  const callers = refreshCallers(services);
  const hash = hashSecret(apiKey);
  const name = hash.toString('base64');
  const caller = callers.get(name) ?? findCaller(store, hash);
  if (caller && callers.size < KNOWN_MAX) callers.set(name, caller);
  return caller;
}

function refreshCallers({
  store,
  knownCallers: known,
}: Pick<KeyServices, 'store' | 'knownCallers'>): KnownCallers['callers'] {
  // Read before the look-up: a commit in between costs one more look-up, but is never missed.
  const { version } = store;
  if (known.version !== version) Object.assign(known, { version, callers: new Map() });
  return known.callers;
}

/** Records that the account is active, at most once a day: idle accounts are found by whole days. */
export function recordActivity(
  { store, log }: Pick<PlatformServices, 'store' | 'log'>,
  account: { no: number; last_active_at: number },
  nowUs: number,
): void {
  if (nowUs - account.last_active_at < DAY_US) return;
  store.write(accountSeenOp, { account_no: account.no }).catch((fault: unknown) => {
    log.warn('the activity of an account could not be recorded', { fault: String(fault) });
  });
}

/** Throws if a caller that was admitted has lost access since: its key was revoked, or its account is not active. */
export function recheckCaller({ store }: Pick<PlatformServices, 'store'>, caller: AdmittedCaller): void {
  if (caller.kind === 'key' && findKeyById(store, caller.key_id)?.revoked_at !== null)
    fail('authentication_required');
  if (findAccountByNo(store, caller.account.no)?.status !== 'active') fail('account_forbidden');
}

type AdmittedCaller = { account: { no: number } } & (
  | Pick<KeyHolder, 'kind' | 'key_id'>
  | { kind: 'session' | 'capture' }
);
