import { isoTime } from '../../platform/core/clock.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { threadIdOf } from '../messages/threads/sql.ts';
import { viewSummary } from '../messages/view.ts';
import { findEmailByNo, listRecipients } from '../outbound/sql.ts';
import { emailView } from '../outbound/view.ts';
import {
  findMemberMessage,
  findMemberSubject,
  type ListedThread,
  type ThreadKey,
  type ThreadMember,
} from './sql.ts';
import type { ThreadMessageView, ThreadSummaryView, ThreadView } from './wire.ts';

/** Null when it was deleted since it was listed. */
function viewMember(
  reading: Reading,
  accountNo: number,
  { at, outbound_no }: ThreadMember,
): ThreadMessageView | null {
  if (outbound_no === null) {
    const row = findMemberMessage(reading, accountNo, at);
    return row && { direction: 'in', ...viewSummary(row) };
  }
  const email = findEmailByNo(reading, accountNo, outbound_no);
  return (
    email && { direction: 'out', ...emailView({ email, recipients: listRecipients(reading, outbound_no) }) }
  );
}

/** Null when its messages were deleted since it was listed. */
export function viewThreadSummary(reading: Reading, thread: ListedThread): ThreadSummaryView | null {
  const latest = viewMember(reading, thread.account_no, thread.latest);
  const isOnly = thread.first.at === thread.latest.at;
  const subject = isOnly ? latest?.subject : findMemberSubject(reading, thread.first);
  if (!latest || subject == null) return null;
  return {
    // Without a row of its own it has one message.
    id: thread.id ?? threadIdOf(latest.id),
    subject,
    message_count: thread.messages,
    latest_at: isoTime(thread.latest.at),
    latest,
  };
}

/** Null when its first message is gone. */
export function viewThread(
  reading: Reading,
  thread: ThreadKey,
  first: ThreadMember | null,
  members: readonly ThreadMember[],
): ThreadView | null {
  const began = first && viewMember(reading, thread.account_no, first);
  if (!began) return null;
  return {
    id: thread.id ?? threadIdOf(began.id),
    subject: began.subject,
    message_count: thread.messages,
    messages: members.flatMap((member) => viewMember(reading, thread.account_no, member) ?? []),
  };
}
