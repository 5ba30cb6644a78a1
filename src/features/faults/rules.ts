/**
 * SMTP faults on demand (docs/api-v1.md, SMTP faults): rules that make a trap act like a server that refuses, is slow
 * or hangs up, so that a test can see how a mailer retries. They are only in memory and end with the process: a fault
 * that outlives its test would be hard to explain.
 */
import { newId } from '../../platform/core/id.ts';
import type { Stage } from './stages.ts';

/** Rules that one account may have. The next one is refused, rather than the oldest dropped. */
export const RULES_MAX = 100;

export interface NewFaultRule {
  stage: Stage;
  /** Patterns with `*`, case-insensitive; null matches everything. */
  recipient: string | null;
  sender: string | null;
  reply: FaultReply | null;
  drop: boolean;
  delayMs: number;
  /** How many matches pass before the first one is answered. */
  skip: number;
  /** How many matches are answered before the rule is used up; null for no limit. */
  times: number | null;
  /** The probability that a match is answered; null if every match is. */
  probability: number | null;
  seed: number;
  expiresAtUs: number | null;
}

export interface FaultReply {
  /** 400 to 599. */
  code: number;
  /** The text after the code, starting with the enhanced code. */
  text: string;
}

export interface FaultRule extends NewFaultRule {
  readonly id: string;
  readonly createdAtUs: number;
  /** How many matches it has answered. */
  hits: number;
}

/** What happens at a step: first the delay, then the drop, the reply, or neither. */
export interface Fault {
  /** Null for a fault that the recipient's address asks for (`+fault-450`). */
  rule: FaultRule | null;
  delayMs: number;
  drop: boolean;
  reply: FaultReply | null;
}

/** What is known at a step. */
export interface Step {
  stage: Stage;
  sender?: string;
  /** At `rcpt` the recipient in the command; later, all that were accepted. */
  recipients?: readonly string[];
}

/** The request that created a rule, to recognise a repeat of it. */
export interface CreatingRequest {
  /** The Idempotency-Key, hashed. */
  key: string;
  bodyHash: Uint8Array;
}

interface Kept {
  rule: FaultRule;
  request: CreatingRequest | null;
  matches: number;
  random: () => number;
}

export class FaultRules {
  private readonly byAccount = new Map<number, Kept[]>();

  /** Adds a rule. Returns null if the account has RULES_MAX already. */
  add(
    accountNo: number,
    wanted: NewFaultRule,
    nowUs: number,
    request: CreatingRequest | null = null,
  ): FaultRule | null {
    const kept = this.live(accountNo, nowUs);
    if (kept.length >= RULES_MAX) return null;
    const rule: FaultRule = { ...wanted, id: newId('smtp_fault'), createdAtUs: nowUs, hits: 0 };
    this.byAccount.set(accountNo, [
      ...kept,
      { rule, request, matches: 0, random: seededRandom(wanted.seed) },
    ]);
    return rule;
  }

  /** Finds the rule that a request with this key created, if it still exists. */
  findByKey(accountNo: number, key: string, nowUs: number): { rule: FaultRule; bodyHash: Uint8Array } | null {
    for (const { rule, request } of this.live(accountNo, nowUs))
      if (request?.key === key) return { rule, bodyHash: request.bodyHash };
    return null;
  }

  /**
   * Returns the rules, oldest first: the order in which they are tried. A rule that is used up stays, with its hits.
   */
  list(accountNo: number, nowUs: number): FaultRule[] {
    return this.live(accountNo, nowUs).map(({ rule }) => rule);
  }

  /** Removes a rule. Returns false if there is no such rule. */
  remove(accountNo: number, id: string, nowUs: number): boolean {
    const kept = this.live(accountNo, nowUs);
    const left = kept.filter(({ rule }) => rule.id !== id);
    this.keep(accountNo, left);
    return left.length < kept.length;
  }

  clear(accountNo: number): void {
    this.byAccount.delete(accountNo);
  }

  /** Whether an account has rules. An expired rule may still count. */
  has(accountNo: number): boolean {
    return this.byAccount.has(accountNo);
  }

  /** Returns the fault for this step and counts it, or null to continue as usual. */
  next(accountNo: number, step: Step, nowUs: number): Fault | null {
    if (!this.has(accountNo)) return findNamedFault(step);
    for (const kept of this.live(accountNo, nowUs)) {
      const { rule } = kept;
      const isUsedUp = rule.times !== null && rule.hits >= rule.times;
      if (isUsedUp || !isMatch(rule, step)) continue;
      kept.matches += 1;
      if (kept.matches <= rule.skip) continue;
      if (rule.probability !== null && kept.random() >= rule.probability) continue;
      rule.hits += 1;
      return { rule, delayMs: rule.delayMs, drop: rule.drop, reply: rule.reply };
    }
    return findNamedFault(step);
  }

  private live(accountNo: number, nowUs: number): Kept[] {
    const kept = this.byAccount.get(accountNo) ?? [];
    const live = kept.filter(({ rule }) => rule.expiresAtUs === null || rule.expiresAtUs > nowUs);
    if (live.length < kept.length) this.keep(accountNo, live);
    return live;
  }

  private keep(accountNo: number, kept: Kept[]): void {
    if (kept.length === 0) this.byAccount.delete(accountNo);
    else this.byAccount.set(accountNo, kept);
  }
}

function isMatch({ stage, sender, recipient }: FaultRule, step: Step): boolean {
  if (stage !== step.stage) return false;
  if (sender !== null && !makeMatcher(sender)(step.sender ?? '')) return false;
  return recipient === null || (step.recipients ?? []).some(makeMatcher(recipient));
}

/**
 * Returns a function that tells whether a text matches the pattern, in which `*` is any run of characters;
 * case-insensitive. Takes the first occurrence of each part between stars, which finds a match if there is one, without
 * backtracking: a message may have a hundred recipients, and an account a hundred rules.
 */
export function makeMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...parts] = pattern.toLowerCase().split('*');
  const last = parts.pop();
  return (text) => {
    const given = text.toLowerCase();
    if (last === undefined) return given === first;
    if (!given.startsWith(first)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = given.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return given.length - last.length >= at && given.endsWith(last);
  };
}

const SLOW_MS = 3_000;

/** Faults at RCPT for recipients whose local part ends in one of these suffixes. */
const namedFaults: Record<string, Omit<Fault, 'rule'>> = {
  '+fault-450': {
    delayMs: 0,
    drop: false,
    reply: { code: 450, text: '4.2.1 Put off, as this address asks for' },
  },
  '+fault-550': {
    delayMs: 0,
    drop: false,
    reply: { code: 550, text: '5.1.1 Refused, as this address asks for' },
  },
  '+fault-drop': { delayMs: 0, drop: true, reply: null },
  '+fault-slow': { delayMs: SLOW_MS, drop: false, reply: null },
};

function findNamedFault({ stage, recipients = [] }: Step): Fault | null {
  if (stage !== 'rcpt') return null;
  if (!recipients[0]?.includes('+')) return null;
  const local = recipients[0].replace(/@[^@]*$/, '').toLowerCase();
  const suffix = /\+fault-[a-z0-9]+$/.exec(local)?.[0];
  const fault = suffix === undefined ? undefined : namedFaults[suffix];
  return fault ? { rule: null, ...fault } : null;
}

/** Returns a generator of numbers from 0 to 1, with the same sequence for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
