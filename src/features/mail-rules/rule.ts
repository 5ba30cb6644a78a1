/** A rule of an account, and what it does with a message. Pure functions, which ingest, the dry run and tests all use. */
import { DAY_US } from '../../platform/core/clock.ts';
import { fold } from '../../rules/fold.ts';
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { TAGS_MAX } from '../../rules/tags.ts';

/** A message matches if every condition that is not null holds. */
export interface Conditions {
  /** Once this inbox is deleted, no message matches. */
  inbox_id: string | null;
  /** Patterns: see matchesText. */
  from: string | null;
  to: string | null;
  subject: string | null;
  has_code: boolean | null;
}

export interface RuleNotice {
  url: string;
  template: string;
}

export interface Actions {
  tags: readonly string[];
  mark_read: boolean;
  delete_after_days: number | null;
  forward_to: readonly string[];
  notify: RuleNotice | null;
  /** Whether later rules are not tried after a match. */
  stop: boolean;
}

export interface Rule {
  id: string;
  name: string;
  conditions: Conditions;
  actions: Actions;
}

/** What rules know about a message. */
export interface RuledMessage {
  inbox_id: string;
  from: string;
  /** The recipient as in the RCPT command. */
  to: string;
  subject: string;
  has_code: boolean;
  /** The tags that it came with. */
  tags: readonly string[];
}

/** An action on the message itself, in the transaction that stores it, or a sending that was refused. */
export interface Done {
  rule_id: string;
  rule_name: string;
  action: 'tag' | 'mark_read' | 'delete' | ErrandKind;
  /** The tag, the days, or the address. */
  detail: string;
  /** Why it was not done; null if it was. */
  refused: string | null;
}

export type ErrandKind = 'forward' | 'notify';

/** Something to send. */
export interface NewErrand {
  rule_id: string;
  rule_name: string;
  kind: ErrandKind;
  /** The address of a forward. For a notice, the id of the rule, which has the URL. */
  target: string;
}

export interface Outcome {
  tags: readonly string[];
  isRead: boolean;
  deleteAt: number | null;
  done: readonly Done[];
  errands: readonly NewErrand[];
}

/** A rule with its patterns parsed. */
export interface ReadyRule extends Rule {
  patterns: readonly { of: keyof Texts; parts: Pattern }[];
}

export function prepareRule(rule: Rule): ReadyRule {
  const patterns = (['from', 'to', 'subject'] as const).flatMap((of) => {
    const pattern = rule.conditions[of];
    return pattern === null ? [] : [{ of, parts: readPattern(pattern) }];
  });
  return { ...rule, patterns };
}

/** Applies rules in order. Returns null if none matches. */
export function applyRules(
  rules: readonly ReadyRule[],
  message: RuledMessage,
  nowUs: number,
): Outcome | null {
  const texts = foldTexts(message);
  const outcome = new CollectedOutcome(message.tags, nowUs);
  let isMatched = false;
  for (const rule of rules) {
    if (!isMatch(rule, message, texts)) continue;
    isMatched = true;
    outcome.add(rule);
    if (rule.actions.stop) break;
  }
  return isMatched ? outcome : null;
}

/** The texts of a message that patterns are compared with, folded. */
type Texts = Record<'from' | 'to' | 'subject', string>;

function foldTexts({ from, to, subject }: RuledMessage): Texts {
  const cut = (text: string) => fold(text.slice(0, bounds.textCharsMax));
  return { from: cut(from), to: cut(to), subject: cut(subject) };
}

function isMatch({ conditions, patterns }: ReadyRule, message: RuledMessage, texts: Texts): boolean {
  const { inbox_id, has_code } = conditions;
  if (inbox_id !== null && inbox_id !== message.inbox_id) return false;
  if (has_code !== null && has_code !== message.has_code) return false;
  return patterns.every(({ of, parts }) => matchesText(parts, texts[of]));
}

/** The texts between the stars of a pattern. */
type Pattern = readonly string[];

export function readPattern(pattern: string): Pattern {
  return fold(pattern).split('*');
}

/**
 * Whether a folded text contains the pattern or, if the pattern has stars, matches it as a whole, where a star stands
 * for any run of characters. Each part is searched for once, from the end of the previous one, which finds a match if
 * there is one. So it takes linear time, whatever a sender writes.
 */
export function matchesText(pattern: Pattern, text: string): boolean {
  const first = pattern[0] ?? '';
  if (pattern.length === 1) return text.includes(first);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of pattern.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = pattern.at(-1)!;
  return text.length - last.length >= at && text.endsWith(last);
}

/** Collects what all matching rules do. */
class CollectedOutcome implements Outcome {
  readonly tags: string[];
  readonly done: Done[] = [];
  readonly errands: NewErrand[] = [];
  isRead = false;
  deleteAt: number | null = null;

  constructor(
    tags: readonly string[],
    private readonly nowUs: number,
  ) {
    this.tags = [...tags];
  }

  add({ id, name, actions }: Rule): void {
    const note = (action: Done['action'], detail = '', refused: string | null = null) =>
      this.done.push({ rule_id: id, rule_name: name, action, detail, refused });
    for (const tag of actions.tags) {
      if (this.tags.includes(tag)) continue;
      const isFull = this.tags.length >= TAGS_MAX;
      if (!isFull) this.tags.push(tag);
      note('tag', tag, isFull ? `it has ${TAGS_MAX} tags already` : null);
    }
    if (actions.mark_read && !this.isRead) {
      this.isRead = true;
      note('mark_read');
    }
    if (actions.delete_after_days !== null) {
      const at = this.nowUs + actions.delete_after_days * DAY_US;
      this.deleteAt = Math.min(at, this.deleteAt ?? at);
      note('delete', String(actions.delete_after_days));
    }
    const send = (kind: ErrandKind, target: string, shown: string) => {
      if (this.errands.some((one) => one.kind === kind && one.target === target)) return;
      if (this.errands.length >= bounds.errandsMax)
        note(kind, shown, `rules may send at most ${bounds.errandsMax} forwards and notices of one message`);
      else this.errands.push({ rule_id: id, rule_name: name, kind, target });
    };
    for (const address of actions.forward_to) send('forward', address, address);
    if (actions.notify) send('notify', id, '');
  }
}
