/** What a check does to a domain and to its DKIM keys, as plain functions of what is and what was found. */
import { domain_checks as rules } from '../rules/domain-checks.ts';
import type { DkimKey, Domain } from './sql.ts';

const SECOND_US = 1_000_000;

/** What the DNS said: `unknown` when it did not answer, or could not. */
export type Verdict = 'yes' | 'no' | 'unknown';

/** A check of a domain. `error` says why it is no `yes`. */
export interface CheckResult {
  verdict: Verdict;
  error: string | null;
}

export type DomainState = Pick<
  Domain,
  'status' | 'pending_since' | 'failing_since' | 'stopped_at' | 'last_checked_at' | 'last_error'
>;
export type KeyState = Pick<DkimKey, 'status' | 'failing_since'>;

/**
 * The domain after a check. One that its owner asked for changes nothing of a verified domain but the time, unless it
 * clears an old error (contract: States).
 */
export function domainAfter(
  domain: DomainState,
  { verdict, error }: CheckResult,
  now_us: number,
  by_owner: boolean,
): DomainState {
  const checked = { ...domain, last_checked_at: now_us };
  if (domain.status === 'disabled') return { ...checked, last_error: error };
  if (verdict === 'yes') {
    const clean = { pending_since: null, failing_since: null, stopped_at: null, last_error: null };
    return { ...checked, ...clean, status: 'verified' };
  }
  if (domain.status === 'verified')
    return by_owner ? checked : doubted({ ...checked, last_error: error }, verdict, now_us);
  const is_over =
    domain.status === 'pending_dns' && isOver(domain.pending_since, rules.pending_max_s, now_us);
  return { ...checked, last_error: error, ...(is_over && { status: 'failed', pending_since: null }) };
}

/** A verified domain of which a check did not say yes. */
function doubted(domain: DomainState, verdict: Verdict, now_us: number): DomainState {
  if (verdict === 'unknown') return domain;
  const failing_since = domain.failing_since ?? now_us;
  if (!isOver(failing_since, rules.failing_max_s, now_us)) return { ...domain, failing_since };
  return { ...domain, status: 'failed', failing_since: null, stopped_at: now_us };
}

/** A DKIM key after a check of its TXT record. */
export function keyAfter(key: DkimKey, verdict: Verdict, now_us: number): KeyState {
  if (verdict === 'yes') return { status: 'verified', failing_since: null };
  if (key.status === 'pending_dns' && isOver(key.created_at, rules.pending_max_s, now_us)) {
    return { status: 'failed', failing_since: null };
  }
  if (key.status !== 'verified' || verdict === 'unknown') return key;
  const failing_since = key.failing_since ?? now_us;
  const is_over = isOver(failing_since, rules.failing_max_s, now_us);
  return is_over ? { status: 'failed', failing_since: null } : { status: 'verified', failing_since };
}

/** When the scheduler looks next; null: not at all. */
export function nextCheckAt(
  domain: DomainState,
  keys: readonly Pick<DkimKey, 'status' | 'created_at'>[],
  verdict: Verdict,
  now_us: number,
): number | null {
  if (domain.status === 'disabled') return null;
  const waiting = keys.filter(({ status }) => status === 'pending_dns').map(({ created_at }) => created_at);
  if (domain.status === 'pending_dns') waiting.push(domain.pending_since ?? now_us);
  const settled_s = verdict === 'unknown' ? rules.unanswered_every_s : rules.settled_every_s;
  return Math.min(
    ...waiting.map((since) => nextWhilePending(since, now_us)),
    ...(domain.status === 'pending_dns' ? [] : [now_us + settled_s * SECOND_US]),
  );
}

export function nextWhilePending(since_us: number, now_us: number): number {
  const next_s = rules.pending_after_s.find((after_s) => since_us + after_s * SECOND_US > now_us);
  const latest_us = now_us + rules.pending_every_s * SECOND_US;
  // It may have begun in what is the future now: the clock was set back.
  return next_s === undefined ? latest_us : Math.min(latest_us, since_us + next_s * SECOND_US);
}

function isOver(since_us: number | null, max_s: number, now_us: number): boolean {
  return since_us !== null && now_us - since_us >= max_s * SECOND_US;
}
