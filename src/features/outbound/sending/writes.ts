/** Every change of a queued email's state: leased, handed over, postponed, given up, bounced. */
import {
  type AnyWriteOp,
  jobOp,
  onFullDisk,
  repeatableOp,
  type Tx,
  takeWithinStep,
  writeOp,
} from '../../../platform/store/operation.ts';
import type { EventKind } from '../../../rules/events.ts';
import { outboundRanks as ranks } from '../../../rules/outbound.ts';
import { sending } from '../../../rules/sending.ts';
import { recordEvent } from '../../events/writes.ts';
import { deleteMime } from '../mime/writes.ts';
import { followRebases } from '../rebase/writes.ts';
import type { OutboundStatus } from '../sql.ts';
import { addSuppression } from '../suppression/writes.ts';
import { computeNextAttemptAt, RETRY_US_MAX } from './retry.ts';
import {
  DUE_OF_EMAIL,
  type DuePlace,
  findEmailById,
  type Leased,
  type LeasedRecipient,
  listDueEmails,
  listWaitingRecipients,
  type Share,
} from './sql.ts';

/** A test checks its plan. By itself, SQLite would read everything that is due on the domain. */
export const LEASE_RECIPIENTS = `UPDATE outbound_recipient INDEXED BY outbound_recipient_email
  SET status = 'sending'
  WHERE outbound_no = ? AND status = 'queued' AND next_attempt_at <= ? AND domain = ?
  RETURNING no, email, attempts`;

/**
 * Leases the email that has been due longest, with all its due recipients on the same domain. They are `sending` until
 * their result is stored. Returns null if nothing is due.
 */
export const leaseEmailOp = writeOp('outbound.lease', (tx, { share }: { share: Share }): Leased | null => {
  const [due] = listDueEmails(tx, share, tx.nowUs, 1);
  if (!due) return null;
  const { outbound_no: no, domain } = due;
  const recipients = tx.sql(LEASE_RECIPIENTS).all(no, tx.nowUs, domain) as LeasedRecipient[];
  rollUp(tx, no);
  const email = tx
    .sql('SELECT no, id, account_no, from_domain, expires_at FROM outbound_email WHERE no = ?')
    .get(no) as Omit<Leased, 'domain' | 'recipients'>;
  return { ...email, domain, recipients: recipients.sort((one, other) => one.no - other.no) };
});

/** The result of an attempt for one recipient. */
export interface RecipientResult {
  no: number;
  /** `queued` means that it is retried by the schedule until the email expires. */
  status: Exclude<OutboundStatus, 'sending' | 'held'>;
  response: string;
  /** Why the address goes on the suppression list; null if it does not. */
  suppress: string | null;
}

export interface EmailAttempt {
  outbound_no: number;
  results: RecipientResult[];
}

/** Stores an attempt. A recipient that a report has settled in the meantime stays settled. */
export const recordAttemptOp = writeOp(
  'outbound.record',
  (tx, { outbound_no, results }: EmailAttempt): void => {
    const email = readFollowed(tx, outbound_no);
    // The account has been erased.
    if (!email) return;
    let lastError: string | null = null;
    for (const { no, status, response, suppress } of results) {
      const row = tx
        .sql(`SELECT email, attempts FROM outbound_recipient WHERE no = ? AND status = 'sending'`)
        .get(no) as { email: string; attempts: number } | undefined;
      if (!row) continue;
      const attempts = row.attempts + 1;
      const nextAt = status === 'queued' ? computeNextAttemptAt(attempts, tx.nowUs, email.expires_at) : null;
      tx.sql(
        `UPDATE outbound_recipient
       SET status = ?, attempts = ?, next_attempt_at = ?, response = ?
       WHERE no = ?`,
      ).run(status === 'queued' && nextAt === null ? 'failed' : status, attempts, nextAt, response, no);
      if (status !== 'sent') lastError = response;
      if (suppress !== null) addSuppression(tx, email.account_no, row.email, suppress);
    }
    rollUp(tx, outbound_no, lastError);
  },
);

/** Reads when an email expires, by the clock as it is set now. */
function readFollowed(tx: Tx, no: number): { account_no: number; expires_at: number } | undefined {
  const read = tx.sql('SELECT account_no, expires_at FROM outbound_email WHERE no = ?');
  const email = read.get(no) as { account_no: number; expires_at: number } | undefined;
  if (email && followRebases(tx, { ...email, no })) return read.get(no) as typeof email;
  return email;
}

/** Puts emails that were leased but not tried back into the queue, unchanged. */
export const requeueLeasedOp = writeOp(
  'outbound.requeue_leased',
  (tx, { recipients }: { recipients: { no: number; outbound_no: number }[] }): void => {
    for (const { no } of recipients) {
      tx.sql(`UPDATE outbound_recipient SET status = 'queued' WHERE no = ? AND status = 'sending'`).run(no);
    }
    for (const outboundNo of new Set(recipients.map((one) => one.outbound_no))) rollUp(tx, outboundNo);
  },
);

/**
 * Requeues, at start, what was being sent when the server last ended: among the next `max` recipients that wait. Returns the
 * numbers of their emails, and where the next step continues, or null at the end.
 */
export const recoverSendingOp = repeatableOp(
  'outbound.recover',
  (
    tx,
    { after, max }: { after: DuePlace | null; max: number },
  ): { emails: number[]; after: DuePlace | null } => {
    const found = listWaitingRecipients(tx, after, max);
    const emails = new Set<number>();
    for (const row of found) {
      // Only a clock that was set back since can have written such a time.
      if (row.next_attempt_at > tx.nowUs + RETRY_US_MAX)
        tx.sql('UPDATE outbound_recipient SET next_attempt_at = ? WHERE no = ?').run(tx.nowUs, row.no);
      if (row.status !== 'sending') continue;
      tx.sql(`UPDATE outbound_recipient SET status = 'queued' WHERE no = ?`).run(row.no);
      emails.add(row.outbound_no);
    }
    for (const email of emails) rollUp(tx, email);
    return { emails: [...emails], after: found.length < max ? null : found.at(-1)! };
  },
);

interface Postponement {
  share: Share;
  reason: string;
}

/**
 * Postpones what is due in a share with no reachable host, as an attempt: whole emails, for a few milliseconds. Returns how many
 * recipients that were.
 */
export const postponeOp = jobOp('outbound.postpone', (tx, { share, reason }: Postponement): number => {
  const max = sending.postponedRows;
  const emails = new Set(listDueEmails(tx, share, tx.nowUs, max).map(({ outbound_no }) => outbound_no));
  const domain = share === 'all' ? null : share.domain;
  let postponed = 0;
  for (const no of takeWithinStep(emails)) {
    if (postponed >= max) break;
    const { expires_at } = readFollowed(tx, no)!;
    const rows = tx.sql(DUE_OF_EMAIL).all(no, tx.nowUs, domain, domain) as { no: number; attempts: number }[];
    for (const row of rows) {
      const nextAt = computeNextAttemptAt(row.attempts + 1, tx.nowUs, expires_at);
      tx.sql(
        `UPDATE outbound_recipient
         SET status = ?, attempts = attempts + 1, next_attempt_at = ?, response = ?
         WHERE no = ?`,
      ).run(nextAt === null ? 'failed' : 'queued', nextAt, reason, row.no);
    }
    postponed += rows.length;
    rollUp(tx, no, reason);
  }
  return postponed;
});

interface WaitNote {
  share: Share;
  /** One email, or null for those that have been due longest. */
  outbound_no: number | null;
  /** How many recipients of the latter earlier steps have been through. */
  from: number;
  reason: string;
}

/**
 * Stores why emails wait for a paused host, as `last_error`: a few at a time, because mail waits meanwhile. Not counted as an
 * attempt. Returns whether there may be more.
 */
export const noteWaitOp = writeOp(
  'outbound.note_wait',
  (tx, { share, outbound_no, from, reason }: WaitNote): boolean => {
    const max = sending.notedAtOnce;
    const due =
      outbound_no === null ? listDueEmails(tx, share, tx.nowUs, from + max).slice(from) : [{ outbound_no }];
    for (const no of new Set(due.map((one) => one.outbound_no))) {
      tx.sql(
        `UPDATE outbound_email SET last_error = ? WHERE no = ? AND waiting = 1 AND last_error IS NOT ?`,
      ).run(reason, no, reason);
    }
    return due.length === max;
  },
);

/** What a report says about the recipients of one email. */
export interface ReportedFailures {
  id: string;
  failures: { no: number; response: string; suppress: string | null }[];
}

/** Stores a report: recipients already handed over become `bounced`. Returns how many there were. */
export const recordReportOp = writeOp('outbound.report', (tx, { id, failures }: ReportedFailures): number => {
  const email = findEmailById(tx, id);
  if (!email) return 0;
  let bounced = 0;
  for (const { no, response, suppress } of failures) {
    // Includes recipients that are `sending`, whose 250 is about to be stored.
    const { changes } = tx
      .sql(
        `UPDATE outbound_recipient
         SET status = 'bounced', response = ?, next_attempt_at = NULL
         WHERE no = ? AND outbound_no = ? AND status IN ('sent', 'sending')`,
      )
      .run(response, no, email.no);
    if (changes === 0) continue;
    bounced += changes;
    const row = email.recipients.find((recipient) => recipient.no === no);
    if (row && suppress !== null) addSuppression(tx, email.account_no, row.email, suppress);
  }
  if (bounced > 0) {
    // An email that had already bounced for another recipient keeps its status.
    const isNew = rollUp(tx, email.no, failures.at(-1)?.response ?? null);
    if (!isNew) recordEmailEvent(tx, email.no, 'email.bounced');
  }
  return bounced;
});

/** The event that is recorded when an email gets a status. */
const eventOfStatus: Partial<Record<OutboundStatus, EventKind>> = {
  sent: 'email.sent',
  failed: 'email.failed',
  rejected: 'email.failed',
  bounced: 'email.bounced',
};

/**
 * Derives the email's state from its recipients, and deletes its bytes once no recipient needs them. Returns whether it
 * recorded an event.
 */
function rollUp(tx: Tx, outboundNo: number, lastError: string | null = null): boolean {
  const rows = tx
    .sql('SELECT status, attempts, next_attempt_at FROM outbound_recipient WHERE outbound_no = ?')
    .all(outboundNo) as { status: OutboundStatus; attempts: number; next_attempt_at: number | null }[];
  const worst = Math.max(...rows.map(({ status }) => ranks.indexOf(status)));
  const status = ranks[worst] ?? 'failed';
  const waits = rows.some(({ next_attempt_at }) => next_attempt_at !== null);
  const attempts = Math.max(0, ...rows.map((row) => row.attempts));
  const kind = eventOfStatus[status];
  const isEvent = kind !== undefined && readEmailStatus(tx, outboundNo) !== status;
  tx.sql(
    `UPDATE outbound_email
     SET status = ?, attempts = ?, last_error = coalesce(?, last_error), sent_at = coalesce(sent_at, ?), waiting = ?
     WHERE no = ?`,
  ).run(status, attempts, lastError, status === 'sent' ? tx.nowUs : null, waits ? 1 : 0, outboundNo);
  if (!waits) deleteMime(tx, outboundNo);
  if (isEvent) recordEmailEvent(tx, outboundNo, kind);
  return isEvent;
}

function readEmailStatus(tx: Tx, outboundNo: number): OutboundStatus | undefined {
  const row = tx.sql('SELECT status FROM outbound_email WHERE no = ?').get(outboundNo);
  return (row as { status: OutboundStatus } | undefined)?.status;
}

export function recordEmailEvent(tx: Tx, outboundNo: number, kind: EventKind): void {
  const email = tx
    .sql(
      `SELECT e.id, e.account_no, i.no AS inbox_no
       FROM outbound_email e LEFT JOIN inbox i ON i.id = e.inbox_id
       WHERE e.no = ?`,
    )
    .get(outboundNo) as { id: string; account_no: number; inbox_no: number | null };
  const { id, account_no, inbox_no } = email;
  recordEvent(tx, { kind, account_no, inbox_no, subject_id: id });
}

export const putStsPolicyOp = writeOp(
  'outbound.put_sts_policy',
  (tx, kept: { domain: string; id: string; policy: string; expires_at: number }): void => {
    tx.sql('INSERT OR REPLACE INTO mta_sts (domain, id, policy, expires_at) VALUES (?, ?, ?, ?)').run(
      kept.domain,
      kept.id,
      kept.policy,
      kept.expires_at,
    );
    // Bounds the store even if someone makes us ask about thousands of domains.
    tx.sql(
      `DELETE FROM mta_sts WHERE domain IN
         (SELECT domain FROM mta_sts WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)`,
    ).run(tx.nowUs);
    tx.sql(
      `DELETE FROM mta_sts WHERE domain IN
         (SELECT domain FROM mta_sts ORDER BY expires_at LIMIT max(0, (SELECT count(*) FROM mta_sts) - ?))`,
    ).run(sending.stsDomainsMax);
  },
);

export const sendingWrites: readonly AnyWriteOp[] = [
  onFullDisk(leaseEmailOp),
  onFullDisk(recordAttemptOp),
  onFullDisk(requeueLeasedOp),
  onFullDisk(recoverSendingOp),
  postponeOp,
  noteWaitOp,
  recordReportOp,
  putStsPolicyOp,
];
