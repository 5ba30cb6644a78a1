import { DAY_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { KeyHolder } from './account.ts';
import { accountByNo, callerByKeyHash, keyById } from './sql.ts';
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

/** Whose key this is, or null. What is known goes with the next commit, whoever makes it: a revoked key stops at once. */
export function authenticate(
  services: Pick<KeyServices, 'store' | 'knownCallers'>,
  apiKey: string,
): KeyHolder | null {
  const { store } = services;
  const callers = callersNow(services);
  const hash = hashSecret(apiKey);
  const name = hash.toString('base64');
  const caller = callers.get(name) ?? callerByKeyHash(store, hash);
  if (caller && callers.size < KNOWN_MAX) callers.set(name, caller);
  return caller;
}

function callersNow({
  store,
  knownCallers: known,
}: Pick<KeyServices, 'store' | 'knownCallers'>): KnownCallers['callers'] {
  // Before the look-up: what is committed in between is then looked up once more, never missed.
  const { version } = store;
  if (known.version !== version) Object.assign(known, { version, callers: new Map() });
  return known.callers;
}

/** Idle collection looks at whole days, so an account is written down once a day and not at each request. */
export function noteSeen(
  { store, log }: Pick<PlatformServices, 'store' | 'log'>,
  account: { no: number; last_active_at: number },
  nowUs: number,
): void {
  if (nowUs - account.last_active_at < DAY_US) return;
  store.write(accountSeenOp, { account_no: account.no }).catch((fault: unknown) => {
    log.warn('an account could not be noted as active', { fault: String(fault) });
  });
}

/** Refuses a caller who was let in and may not be answered any more: a wait is longer than a key's revocation. */
export function admitAgain({ store }: Pick<PlatformServices, 'store'>, caller: Again): void {
  if (caller.kind === 'key' && keyById(store, caller.key_id)?.revoked_at !== null)
    fail('authentication_required');
  if (accountByNo(store, caller.account.no)?.status !== 'active') fail('account_forbidden');
}

type Again = { account: { no: number } } & (
  | Pick<KeyHolder, 'kind' | 'key_id'>
  | { kind: 'session' | 'capture' }
);
