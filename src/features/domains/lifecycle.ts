/** How a check changes a domain and its DKIM keys, as pure functions of their state and the result. */
import { SECOND_US } from '../../platform/core/clock.ts';
import { domainChecks as rules } from '../../rules/domain-checks.ts';
import type { DkimKey, Domain } from './sql.ts';

/** What the DNS said; `unknown` if it did not answer or failed. */
export type RecordVerdict = 'yes' | 'no' | 'unknown';

/** The result of a domain check. */
export interface CheckResult {
  verdict: RecordVerdict;
  /** Why the verdict is not `yes`. */
  error: string | null;
}

export type DomainState = Pick<
  Domain,
  'status' | 'pending_since' | 'failing_since' | 'stopped_at' | 'last_checked_at' | 'last_error'
>;
export type KeyState = Pick<DkimKey, 'status' | 'failing_since'>;

/**
 * Returns the domain after a check. A check by its owner changes only `last_checked_at` of a verified domain, unless it
 * clears an old error (docs/api-v1.md, States and transitions).
 */
export function advanceDomain(
  domain: DomainState,
  { verdict, error }: CheckResult,
  nowUs: number,
  byOwner: boolean,
): DomainState {
  const checked = { ...domain, last_checked_at: nowUs };
  if (domain.status === 'disabled') return { ...checked, last_error: error };
  if (verdict === 'yes') {
    const clean = { pending_since: null, failing_since: null, stopped_at: null, last_error: null };
    return { ...checked, ...clean, status: 'verified' };
  }
  if (domain.status === 'verified')
    return byOwner ? checked : doubtDomain({ ...checked, last_error: error }, verdict, nowUs);
  const over = domain.status === 'pending_dns' && isOver(domain.pending_since, rules.pendingMaxS, nowUs);
  return { ...checked, last_error: error, ...(over && { status: 'failed', pending_since: null }) };
}

/** Returns a verified domain after a check that did not confirm it. */
function doubtDomain(domain: DomainState, verdict: RecordVerdict, nowUs: number): DomainState {
  if (verdict === 'unknown') return domain;
  const failingSince = domain.failing_since ?? nowUs;
  if (!isOver(failingSince, rules.failingMaxS, nowUs)) return { ...domain, failing_since: failingSince };
  return { ...domain, status: 'failed', failing_since: null, stopped_at: nowUs };
}

/** Returns a DKIM key after a check of its TXT record. */
export function advanceKey(key: DkimKey, verdict: RecordVerdict, nowUs: number): KeyState {
  if (verdict === 'yes') return { status: 'verified', failing_since: null };
  if (key.status === 'pending_dns' && isOver(key.created_at, rules.pendingMaxS, nowUs)) {
    return { status: 'failed', failing_since: null };
  }
  if (key.status !== 'verified' || verdict === 'unknown') return key;
  const failingSince = key.failing_since ?? nowUs;
  const over = isOver(failingSince, rules.failingMaxS, nowUs);
  return over
    ? { status: 'failed', failing_since: null }
    : { status: 'verified', failing_since: failingSince };
}

/** Returns when the scheduler checks next; null if never. */
export function scheduleNextCheck(
  domain: DomainState,
  keys: readonly Pick<DkimKey, 'status' | 'created_at'>[],
  verdict: RecordVerdict,
  nowUs: number,
): number | null {
  if (domain.status === 'disabled') return null;
  const waiting = keys.filter(({ status }) => status === 'pending_dns').map(({ created_at }) => created_at);
  if (domain.status === 'pending_dns') waiting.push(domain.pending_since ?? nowUs);
  const settledS = verdict === 'unknown' ? rules.unansweredEveryS : rules.settledEveryS;
  return Math.min(
    ...waiting.map((since) => computeNextPendingCheck(since, nowUs)),
    ...(domain.status === 'pending_dns' ? [] : [nowUs + settledS * SECOND_US]),
  );
}

export function computeNextPendingCheck(sinceUs: number, nowUs: number): number {
  const nextS = rules.pendingAfterS.find((afterS) => sinceUs + afterS * SECOND_US > nowUs);
  const latestUs = nowUs + rules.pendingEveryS * SECOND_US;
  // If the clock was set back, `sinceUs` may be in the future.
  return nextS === undefined ? latestUs : Math.min(latestUs, sinceUs + nextS * SECOND_US);
}

function isOver(sinceUs: number | null, maxS: number, nowUs: number): boolean {
  return sinceUs !== null && nowUs - sinceUs >= maxS * SECOND_US;
}
