/** Finds out what rules would do with stored messages, without changing anything. */
import { isoTime } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { findInboxById } from '../inboxes/sql.ts';
import { listTags } from '../messages/view.ts';
import { judgeForward } from './errands/forward.ts';
import { judgeNotice } from './errands/notify.ts';
import { applyRules, type NewErrand, type Outcome, prepareRule, type Rule } from './rule.ts';
import { listStoredMessages, type StoredMessage } from './sql.ts';
import { readNoticeHost } from './view.ts';
import type { DryRunMatchView } from './wire.ts';

export interface DryRun {
  matches: DryRunMatchView[];
  /** How many messages were checked. */
  scanned: number;
  /** When the last checked message arrived, if there may be older ones; otherwise null. */
  next: number | null;
}

type Planned = DryRunMatchView['actions'][number];

/** Checks a bounded number of the messages that arrived before a time, newest first. */
export function dryRun(
  services: PlatformServices,
  accountNo: number,
  rules: readonly Rule[],
  before: number,
): DryRun {
  const rows = listStoredMessages(services.store, accountNo, before, bounds.dryRunMessages);
  const planner = new ActionPlanner(services, accountNo, rules);
  const ready = rules.map(prepareRule);
  const matches = rows.flatMap((row): DryRunMatchView[] => {
    if (row.is_gone) return [];
    const outcome = applyRules(ready, readRuled(row), services.clock.nowUs());
    return outcome ? [viewMatch(row, planner.list(row, outcome))] : [];
  });
  const last = rows.length === bounds.dryRunMessages ? rows.at(-1) : undefined;
  return { matches, scanned: rows.length, next: last?.received_at ?? null };
}

function readRuled(row: StoredMessage) {
  const { inbox_id, from, envelope_recipient: to, subject, otp } = row;
  return { inbox_id, from, to, subject, has_code: otp !== null, tags: listTags(row) };
}

function viewMatch(
  { id, inbox_id, from, subject, received_at }: StoredMessage,
  actions: Planned[],
): DryRunMatchView {
  return { message_id: id, inbox_id, from, subject, received_at: isoTime(received_at), actions };
}

/** Lists what rules would do with a message. Finds out only once per inbox and address whether a forward is refused. */
class ActionPlanner {
  private readonly forwards = new Map<string, string | null>();

  constructor(
    private readonly services: PlatformServices,
    private readonly accountNo: number,
    private readonly rules: readonly Rule[],
  ) {}

  list({ inbox_id }: StoredMessage, { done, errands }: Outcome): Planned[] {
    const planned = errands.map((errand): Planned => {
      const { rule_id, rule_name, kind } = errand;
      const detail = kind === 'forward' ? errand.target : this.findHost(errand);
      const refused =
        kind === 'forward'
          ? this.judgeForward(inbox_id, errand.target)
          : judgeNotice(this.services, this.accountNo);
      return { rule_id, rule_name, action: kind, detail, refused };
    });
    return [...done, ...planned].map((one) => ({ ...one, rule_id: one.rule_id === '' ? null : one.rule_id }));
  }

  private findHost({ target }: NewErrand): string {
    const notice = this.rules.find(({ id }) => id === target)?.actions.notify;
    return notice ? readNoticeHost(notice) : '';
  }

  private judgeForward(inboxId: string, to: string): string | null {
    const key = `${inboxId} ${to}`;
    const known = this.forwards.get(key);
    if (known !== undefined) return known;
    const inbox = findInboxById(this.services.store, inboxId);
    const judged = inbox ? judgeForward(this.services, inbox, to) : 'the message was deleted';
    this.forwards.set(key, judged);
    return judged;
  }
}
