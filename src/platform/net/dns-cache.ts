import type { Clock } from '../core/clock.ts';
import { SlotGate } from '../core/gate.ts';
import type { DnsOutcome, Resolver } from './dns.ts';

/*
 * Answers of the DNS, kept for as long as the zone allows (RFC 1035 3.2.1; nothing: RFC 2308 5). What failed is never
 * kept. Those who ask the same while an answer is under way get that one. For what asks about strangers' domains over
 * and over; whoever looks whether something has changed in the DNS asks the resolver itself.
 */

export type MailResolver = Pick<Resolver, 'a' | 'aaaa' | 'mx'>;

/** Answers kept; the one that was asked for the longest ago goes first. */
const ANSWERS_MAX = 10_000;
/** An answer of more records is a stranger's wish to fill our memory. */
const RECORDS_MAX = 16;
/** Longer TTLs are cut to this, seconds. */
const TTL_MAX_S = 3_600;
/** Someone who has just made a domain should not be told for an hour that there is none. */
const NOTHING_MAX_S = 300;
/** Questions under way: each has a socket. */
const AT_ONCE_MAX = 200;
const WAITING_MAX = 20_000;
const WAIT_MS = 10_000;
/** A question without an answer for so long gives its place to the next: a zone that is silent must not hold up others. */
const SLOW_MS = 500;
/** Those that did: each still has its socket. */
const SLOW_MAX = 600;

interface Kept {
  outcome: DnsOutcome<unknown>;
  untilMs: number;
}

/** The same resolver, with a memory and a bound. */
export function cachedResolver(resolver: Resolver, clock: Clock): MailResolver {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<DnsOutcome<unknown>>>();
  const inTurn = turns(clock);

  const keep = (key: string, outcome: DnsOutcome<unknown>) => {
    const keepS = secondsToKeep(outcome);
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
    // The key names the type, and so what its records are.
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

/** Runs a question when there is a place for it; null when there is none in time. */
function turns(clock: Clock) {
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

function secondsToKeep(outcome: DnsOutcome<unknown>): number {
  if (!('ttl_s' in outcome)) return 0;
  if (outcome.kind === 'answer') {
    return outcome.records.length > RECORDS_MAX ? 0 : Math.min(outcome.ttl_s, TTL_MAX_S);
  }
  return Math.min(outcome.ttl_s ?? 0, NOTHING_MAX_S);
}
