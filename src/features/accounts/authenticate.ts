import { DAY_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { KeyHolder } from './account.ts';
import { findAccountByNo, findCaller, findKeyById } from './sql.ts';
import { accountSeenOp } from './writes.ts';

/** Callers known at one version of the store; most requests come between two commits. */
export interface KnownCallers {
  version: number;
  callers: Map<string, KeyHolder>;
}

export interface KeyServices extends PlatformServices {
  readonly knownCallers: KnownCallers;
}

const KNOWN_MAX = 1000;

/** The caller that a key belongs to, or null. Any commit clears this cache, so a revoked key stops working at once. */
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
  // Read before the look-up: a commit in between then causes one more look-up and is never missed.
  const { version } = store;
  if (known.version !== version) Object.assign(known, { version, callers: new Map() });
  return known.callers;
}

/** Idle accounts are found by whole days, so activity is recorded once a day and not at each request. */
export function noteSeen(
  { store, log }: Pick<PlatformServices, 'store' | 'log'>,
  account: { no: number; last_active_at: number },
  nowUs: number,
): void {
  if (nowUs - account.last_active_at < DAY_US) return;
  store.write(accountSeenOp, { account_no: account.no }).catch((fault: unknown) => {
    log.warn('the activity of an account could not be recorded', { fault: String(fault) });
  });
}

/** Refuses a caller that was admitted earlier but may no longer be answered: its key was revoked during a wait. */
export function admitAgain({ store }: Pick<PlatformServices, 'store'>, caller: Again): void {
  if (caller.kind === 'key' && findKeyById(store, caller.key_id)?.revoked_at !== null)
    fail('authentication_required');
  if (findAccountByNo(store, caller.account.no)?.status !== 'active') fail('account_forbidden');
}

type Again = { account: { no: number } } & (
  | Pick<KeyHolder, 'kind' | 'key_id'>
  | { kind: 'session' | 'capture' }
);
