import type { FromVerdict } from '../../../platform/mail/authentication.ts';
import type { ParsedSummary } from '../../../platform/mail/parsed.ts';
import { type AnyWriteOp, type Tx, writeOp } from '../../../platform/store/operation.ts';
import { recordEvent, takeTime } from '../../events/writes.ts';
import { judgeSenders, listCandidates } from '../../inboxes/senders/judge.ts';
import { findListed, readMode } from '../../inboxes/senders/sql.ts';
import { hasRules } from '../../mail-rules/sql.ts';
import { insertWithRules } from '../../mail-rules/writes.ts';
import { markProven } from '../../messages/proven/writes.ts';
import { joinThread } from '../../messages/threads/writes.ts';
import { findOwnWithheld, listWithheldOfMail, type WithheldRow } from '../../messages/withheld/sql.ts';
import { changeReason, removeWithheld } from '../../messages/withheld/writes.ts';
import { insertMessage } from '../../messages/writes.ts';
import { findSendersState, isCheckedMail, isProvenMail } from '../sql.ts';
import type { Stored } from '../writes.ts';

/** A message that was withheld and is accepted now, with what its announcement needs. */
export interface Accepted extends Stored {
  summary: ParsedSummary;
}

/** The messages that a verdict changed. */
export interface VerdictEffects {
  /** Messages that were not withheld, and whose From is now known to be authentic. */
  proven: Pick<Stored, 'account_no' | 'inbox_no' | 'envelope_recipient'>[];
  accepted: Accepted[];
}

interface Verdict {
  raw_no: number;
  /** JSON (platform/mail/authentication.ts). */
  verdicts: string;
  from: FromVerdict;
}

/**
 * Stores the verdicts on a mail's sender, and accepts the messages that waited for them, in one transaction, so that a
 * crash leaves both or neither. Does nothing if the mail is gone.
 */
export const recordAuthenticationOp = writeOp(
  'ingest.record_authentication',
  (tx, { raw_no, verdicts, from }: Verdict): VerdictEffects => {
    const { changes } = tx
      .sql('UPDATE authentication SET verdicts = ? WHERE raw_no = ?')
      .run(verdicts, raw_no);
    if (changes === 0) return { proven: [], accepted: [] };
    const proven = from.aligned ? markProven(tx, raw_no) : [];
    const accepted: Accepted[] = [];
    for (const row of listWithheldOfMail(tx, raw_no)) {
      if (row.reason !== 'unproven') continue;
      const reason = judgeAgain(tx, row, from);
      if (reason === null) accepted.push(accept(tx, row));
      else changeReason(tx, row.at, reason);
    }
    if (from.aligned && accepted.length > 0) markProven(tx, raw_no);
    recordAuthenticated(tx, raw_no);
    return { proven, accepted };
  },
);

interface CheckedRow {
  id: string;
  account_no: number;
  inbox_no: number;
}

const CHECKED = `SELECT m.id, i.account_no, m.inbox_no
  FROM message m JOIN inbox i ON i.no = m.inbox_no
  WHERE m.raw_no = ?
  ORDER BY m.received_at`;

/** Records `email.authenticated` for the messages of a mail. Withheld messages have no events. */
function recordAuthenticated(tx: Tx, rawNo: number): void {
  for (const { id, account_no, inbox_no } of tx.sql(CHECKED).all(rawNo) as CheckedRow[]) {
    recordEvent(tx, { kind: 'email.authenticated', account_no, inbox_no, subject_id: id });
  }
}

/** Judges a withheld mail by the inbox's current lists. */
function judgeAgain(tx: Tx, { inbox_no, summary }: WithheldRow, from: FromVerdict) {
  const { senders = [] } = JSON.parse(summary) as ParsedSummary;
  const mode = readMode(findSendersState(tx, inbox_no));
  return judgeSenders(senders, mode, findListed(tx, inbox_no, listCandidates(senders)), from);
}

/** Turns a withheld mail into a message that is received now, so that waits and `since` find it. */
function accept(tx: Tx, row: WithheldRow): Accepted {
  removeWithheld(tx, row.at);
  const { id, inbox_no, inbox_id, account_no, envelope_recipient } = row;
  const summary = JSON.parse(row.summary) as ParsedSummary;
  const at = takeTime(tx);
  const { ref, refs } = summary;
  const threadNo = joinThread(tx, { account_no, at, lastAt: at, count: 1, id, ref, refs });
  const message = { ...row, received_at: at, thread_no: threadNo, summary };
  if (hasRules(tx, account_no)) insertWithRules(tx, inbox_id, message);
  else insertMessage(tx, { ...message, read_at: null });
  return {
    hasDelivery: recordEvent(tx, { kind: 'email.received', account_no, inbox_no, subject_id: id, at }),
    isWithheld: false,
    inbox_no,
    account_no,
    inbox_id,
    message_id: id,
    received_at: at,
    envelope_recipient,
    summary,
  };
}

interface Accept {
  account_no: number;
  id: string;
}

/** Accepts a withheld mail for its owner. Returns null if it is not withheld. */
export const acceptWithheldOp = writeOp(
  'ingest.accept',
  (tx, { account_no, id }: Accept): Accepted | null => {
    const row = findOwnWithheld(tx, account_no, id);
    if (!row) return null;
    const accepted = accept(tx, row);
    if (isProvenMail(tx, row.raw_no)) markProven(tx, row.raw_no);
    // If its verdicts were stored while it was withheld, that recorded no event.
    if (isCheckedMail(tx, row.raw_no))
      recordEvent(tx, { kind: 'email.authenticated', account_no, inbox_no: row.inbox_no, subject_id: id });
    return accepted;
  },
);

export const acceptWrites: readonly AnyWriteOp[] = [recordAuthenticationOp, acceptWithheldOp];
