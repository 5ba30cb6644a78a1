/**
 * SMTP faults on demand (docs/api-v1.md, SMTP faults): rules that make a trap act like a server that refuses, is slow
 * or hangs up, so that a test can see how a mailer retries. They are kept in memory and end with the process: a fault
 * that outlived its test would be hard to explain.
 */
import { newId } from '../../platform/core/id.ts';
import type { Stage } from './stages.ts';

/** Rules that one account may have; the oldest are not dropped, the next one is refused. */
export const RULES_MAX = 100;

export interface NewFaultRule {
  stage: Stage;
  /** Patterns with `*`, case-insensitive; null matches everything. */
  recipient: string | null;
  sender: string | null;
  reply: FaultReply | null;
  drop: boolean;
  delayMs: number;
  /** Matches that pass before the first answer. */
  skip: number;
  /** Answers before the rule is used up; null for no limit. */
  times: number | null;
  /** Null: each match is answered. */
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
  /** How often it answered. */
  hits: number;
}

/** What happens at a step: first the delay, then the end of the connection, the reply, or neither. */
export interface Fault {
  /** Null for a fault that a recipient's name asks for. */
  rule: FaultRule | null;
  delayMs: number;
  drop: boolean;
  reply: FaultReply | null;
}

/** What is known at a step. */
export interface Step {
  stage: Stage;
  sender?: string;
  /** At `rcpt` the one in the command, later all that were accepted. */
  recipients?: readonly string[];
}

interface Kept {
  rule: FaultRule;
  matches: number;
  random: () => number;
}

export class FaultRules {
  private readonly ofAccount = new Map<number, Kept[]>();

  /** Null when the account has as many rules as it may. */
  add(accountNo: number, wanted: NewFaultRule, nowUs: number): FaultRule | null {
    const kept = this.live(accountNo, nowUs);
    if (kept.length >= RULES_MAX) return null;
    const rule: FaultRule = { ...wanted, id: newId('smtp_fault'), createdAtUs: nowUs, hits: 0 };
    this.ofAccount.set(accountNo, [...kept, { rule, matches: 0, random: seededRandom(wanted.seed) }]);
    return rule;
  }

  /** Oldest first, the order in which they are tried. A rule that is used up stays in the list, with its hits. */
  list(accountNo: number, nowUs: number): FaultRule[] {
    return this.live(accountNo, nowUs).map(({ rule }) => rule);
  }

  /** False when there is no such rule. */
  remove(accountNo: number, id: string, nowUs: number): boolean {
    const kept = this.live(accountNo, nowUs);
    const left = kept.filter(({ rule }) => rule.id !== id);
    this.keep(accountNo, left);
    return left.length < kept.length;
  }

  clear(accountNo: number): void {
    this.ofAccount.delete(accountNo);
  }

  /** Whether it has any; a rule that expired may still count. */
  has(accountNo: number): boolean {
    return this.ofAccount.has(accountNo);
  }

  /** Returns the fault that the account asks for at this step, and counts it; null to continue as usual. */
  next(accountNo: number, step: Step, nowUs: number): Fault | null {
    if (!this.has(accountNo)) return faultOfName(step);
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
    return faultOfName(step);
  }

  private live(accountNo: number, nowUs: number): Kept[] {
    const kept = this.ofAccount.get(accountNo) ?? [];
    const live = kept.filter(({ rule }) => rule.expiresAtUs === null || rule.expiresAtUs > nowUs);
    if (live.length < kept.length) this.keep(accountNo, live);
    return live;
  }

  private keep(accountNo: number, kept: Kept[]): void {
    if (kept.length === 0) this.ofAccount.delete(accountNo);
    else this.ofAccount.set(accountNo, kept);
  }
}

function isMatch({ stage, sender, recipient }: FaultRule, step: Step): boolean {
  if (stage !== step.stage) return false;
  if (sender !== null && !makeMatcher(sender)(step.sender ?? '')) return false;
  return recipient === null || (step.recipients ?? []).some(makeMatcher(recipient));
}

/**
 * Tells whether a text is the pattern, in which `*` is any run of characters; case-insensitive. What stands between stars
 * is looked for once, from where the part before it ended, which finds a match if there is one: a message may have a
 * hundred recipients, and an account as many rules.
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

/** Recipients whose local part ends in this ask for a fault by themselves, at RCPT. */
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

function faultOfName({ stage, recipients = [] }: Step): Fault | null {
  if (stage !== 'rcpt') return null;
  if (!recipients[0]?.includes('+')) return null;
  const local = recipients[0].replace(/@[^@]*$/, '').toLowerCase();
  const suffix = /\+fault-[a-z0-9]+$/.exec(local)?.[0];
  const fault = suffix === undefined ? undefined : namedFaults[suffix];
  return fault ? { rule: null, ...fault } : null;
}

/** 0 to 1, the same sequence for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
