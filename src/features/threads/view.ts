import { isoTime } from '../../platform/core/clock.ts';
import type { Reading } from '../../platform/store/operation.ts';
import { makeThreadId } from '../messages/threads/sql.ts';
import { viewSummary } from '../messages/view.ts';
import { findEmailByNo } from '../outbound/sql.ts';
import { readEmailView } from '../outbound/view.ts';
import {
  findMemberMessages,
  findSentSubject,
  findSubjects,
  type ListedThread,
  type ThreadKey,
  type ThreadMember,
} from './sql.ts';
import type { ThreadMessageView, ThreadSummaryView, ThreadView } from './wire.ts';

/** Returns null for a member that was deleted since it was listed. */
type ViewMember = (member: ThreadMember) => ThreadMessageView | null;

/** Returns a function that views one member. Reads the received ones together, because a page has up to a hundred. */
function viewMembers(reading: Reading, accountNo: number, members: readonly ThreadMember[]): ViewMember {
  const received = findMemberMessages(reading, accountNo, members);
  return ({ at, outbound_no }) => {
    if (outbound_no === null) {
      const row = received.get(at);
      return row ? { direction: 'in', ...viewSummary(row) } : null;
    }
    const email = findEmailByNo(reading, accountNo, outbound_no);
    return email && { direction: 'out', ...readEmailView(reading, email) };
  };
}

/** Views a page of threads. Leaves out those whose first or latest message was deleted since they were listed. */
export function viewThreadSummaries(
  reading: Reading,
  accountNo: number,
  threads: readonly ListedThread[],
): ThreadSummaryView[] {
  const viewLatest = viewMembers(
    reading,
    accountNo,
    threads.map(({ latest }) => latest),
  );
  const subjects = findSubjects(
    reading,
    threads.map(({ first }) => first),
  );
  return threads.flatMap((thread) => {
    const { first } = thread;
    const latest = viewLatest(thread.latest);
    const subject =
      first.outbound_no === null ? subjects.get(first.at) : findSentSubject(reading, first.outbound_no);
    if (!latest || subject == null) return [];
    return {
      // A thread without an id has one message, which gives it its id.
      id: thread.id ?? makeThreadId(latest.id),
      subject,
      message_count: thread.messages,
      latest_at: isoTime(thread.latest.at),
      latest,
    };
  });
}

/**
 * Views a thread with some of its members. Null if its first message is gone; leaves out other members that are gone.
 */
export function viewThread(
  reading: Reading,
  thread: ThreadKey,
  first: ThreadMember | null,
  members: readonly ThreadMember[],
): ThreadView | null {
  if (!first) return null;
  const viewMember = viewMembers(reading, thread.account_no, [first, ...members]);
  const began = viewMember(first);
  if (!began) return null;
  return {
    id: thread.id ?? makeThreadId(began.id),
    subject: began.subject,
    message_count: thread.messages,
    messages: members.flatMap((member) => viewMember(member) ?? []),
  };
}
