import type { Clock } from '../core/clock.ts';
import { SlotGate } from '../core/gate.ts';
import type { DnsOutcome, Resolver } from './dns.ts';

/*
 * A cache of DNS answers, which are kept for the zone's TTL (RFC 1035 3.2.1; negative answers: RFC 2308 5). Failures are not
 * cached. Concurrent look-ups of a name share one question. For features that look up strangers' domains again and again; a
 * caller that must see changes in the DNS asks the resolver itself.
 */

export type MailResolver = Pick<Resolver, 'a' | 'aaaa' | 'mx'>;

/** Most answers in the cache. The least recently used one is dropped first. */
const ANSWERS_MAX = 10_000;
/** Answers with more records are not cached: a stranger could fill the memory with them. */
const RECORDS_MAX = 16;
/** Longest TTL, seconds. */
const TTL_MAX_S = 3_600;
/** Longest time to keep a negative answer: the owner of a new domain should not wait an hour to see it. */
const NOTHING_MAX_S = 300;
/** Most concurrent look-ups: each has a socket. */
const AT_ONCE_MAX = 200;
const WAITING_MAX = 20_000;
const WAIT_MS = 10_000;
/** A look-up that takes longer frees its slot: a silent zone must not hold up others. */
const SLOW_MS = 500;
/** Most look-ups that have freed their slot, but still have their socket. */
const SLOW_MAX = 600;

interface Kept {
  outcome: DnsOutcome<unknown>;
  untilMs: number;
}

/** Returns a resolver with a cache in front, and a bound on concurrent look-ups. */
export function makeCachedResolver(resolver: Resolver, clock: Clock): MailResolver {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<DnsOutcome<unknown>>>();
  const inTurn = makeTurns(clock);

  const keep = (key: string, outcome: DnsOutcome<unknown>) => {
    const keepS = computeKeepSeconds(outcome);
    if (keepS <= 0) return;
    kept.delete(key);
    if (kept.size >= ANSWERS_MAX) kept.delete([...kept.keys().take(1)][0]!);
    kept.set(key, { outcome, untilMs: clock.elapsedMs() + keepS * 1000 });
  };
  const known = (key: string) => {
    const found = kept.get(key);
    if (!found) return null;
    kept.delete(key);
    if (found.untilMs <= clock.elapsedMs()) return null;
    kept.set(key, found);
    return found.outcome;
  };
  const askOnce = async <Data>(key: string, ask: () => Promise<DnsOutcome<Data>>) => {
    try {
      const outcome = await inTurn(ask);
      if (!outcome) return { kind: 'timeout' as const, reason: 'too many look-ups at the same time' };
      keep(key, outcome);
      return outcome;
    } finally {
      asking.delete(key);
    }
  };
  const lookUp = <Data>(type: string, name: string, ask: () => Promise<DnsOutcome<Data>>) => {
    const key = `${type} ${name.toLowerCase()}`;
    // The key includes the type, and so determines the type of the records.
    const found = known(key) as DnsOutcome<Data> | null;
    if (found) return Promise.resolve(found);
    const underWay = asking.get(key) as Promise<DnsOutcome<Data>> | undefined;
    if (underWay) return underWay;
    const asked = askOnce(key, ask);
    asking.set(key, asked);
    return asked;
  };
  return {
    a: (name) => lookUp('A', name, () => resolver.a(name)),
    aaaa: (name) => lookUp('AAAA', name, () => resolver.aaaa(name)),
    mx: (name) => lookUp('MX', name, () => resolver.mx(name)),
  };
}

/** Returns a function that runs a look-up when a slot is free; it resolves with null if none is free in time. */
function makeTurns(clock: Clock) {
  const gate = new SlotGate(clock, { insideMax: AT_ONCE_MAX, waitingMax: WAITING_MAX, waitMs: WAIT_MS });
  let slow = 0;
  return async <Outcome>(ask: () => Promise<Outcome>): Promise<Outcome | null> => {
    const leave = await gate.enter();
    if (!leave) return null;
    let isSlow = false;
    const cancel = clock.after(SLOW_MS, () => {
      if (slow >= SLOW_MAX) return;
      isSlow = true;
      slow += 1;
      leave();
    });
    try {
      return await ask();
    } finally {
      cancel();
      if (isSlow) slow -= 1;
      else leave();
    }
  };
}

function computeKeepSeconds(outcome: DnsOutcome<unknown>): number {
  if (!('ttlS' in outcome)) return 0;
  if (outcome.kind === 'answer') {
    return outcome.records.length > RECORDS_MAX ? 0 : Math.min(outcome.ttlS, TTL_MAX_S);
  }
  return Math.min(outcome.ttlS ?? 0, NOTHING_MAX_S);
}
