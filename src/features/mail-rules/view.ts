import { isoTime, isoTimeOrNull } from '../../platform/core/clock.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { findInboxById } from '../inboxes/sql.ts';
import type { RuleNotice } from './rule.ts';
import { type ErrandRow, findOwnRule, listErrands, type RuleRow, readDone, readRule } from './sql.ts';
import type { MessageDiaryEntryView, RuleView } from './wire.ts';

export function viewRule(reading: Reading, row: RuleRow): RuleView {
  const { conditions, actions } = readRule(row);
  return {
    id: row.id,
    name: row.name,
    is_enabled: row.is_enabled === 1,
    position: row.position,
    ...conditions,
    inbox_address:
      conditions.inbox_id === null ? null : (findInboxById(reading, conditions.inbox_id)?.address ?? null),
    tags: [...actions.tags],
    mark_read: actions.mark_read,
    delete_after_days: actions.delete_after_days,
    forward_to: [...actions.forward_to],
    notify: actions.notify,
    stop: actions.stop,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Returns the host of a notice's URL: the rest is often a secret. */
export function readNoticeHost({ url }: RuleNotice): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** Returns what rules did with a message, in order. */
export function listDiary(reading: Reading, accountNo: number, receivedAt: number): MessageDiaryEntryView[] {
  const done = readDone(reading, receivedAt).map(
    ({ refused, ...entry }): MessageDiaryEntryView => ({
      at: isoTime(receivedAt),
      ...entry,
      status: refused === null ? 'done' : 'refused',
      reason: refused,
      attempts: 0,
      next_attempt_at: null,
      outbound_email_id: null,
    }),
  );
  return [
    ...done,
    ...listErrands(reading, receivedAt).map((errand) => viewErrand(reading, accountNo, errand)),
  ];
}

function viewErrand(reading: Reading, accountNo: number, errand: ErrandRow): MessageDiaryEntryView {
  return {
    at: isoTime(errand.at),
    rule_id: errand.rule_id,
    rule_name: errand.rule_name,
    action: errand.kind,
    detail: errand.kind === 'forward' ? errand.target : findHost(reading, accountNo, errand.target),
    status: errand.status,
    reason: errand.reason,
    attempts: errand.tries,
    next_attempt_at: isoTimeOrNull(errand.due_at),
    outbound_email_id: errand.outbound_id,
  };
}

function findHost(reading: Reading, accountNo: number, ruleId: string): string {
  const row = findOwnRule(reading, accountNo, ruleId);
  const notice = row && readRule(row).actions.notify;
  return notice ? readNoticeHost(notice) : '';
}
