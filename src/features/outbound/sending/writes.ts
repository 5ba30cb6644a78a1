/** What becomes of emails in the queue: taken, handed over, put off, given up, reported back. */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { type AnyWriteOp, jobOp, type Tx, writeOp } from '../../../platform/store/operation.ts';
import { outbound as rules } from '../../../rules/outbound.ts';
import { sending } from '../../../rules/sending.ts';
import type { OutboundStatus } from '../sql.ts';
import { nextAttemptAt, RETRY_US_MAX } from './retry.ts';
import {
  type Claimed,
  type ClaimedRecipient,
  dueEmails,
  emailById,
  type Share,
  type Suppression,
} from './sql.ts';

/**
 * Takes the email that has been due longest, with all its recipients on the same domain that are due: they are
 * `sending` until their result is recorded. Null when nothing is due.
 */
export const claimEmailOp = writeOp('outbound.claim', (tx, { share }: { share: Share }): Claimed | null => {
  const [due] = dueEmails(tx, share, tx.nowUs, 1);
  if (!due) return null;
  const { outbound_no: no, domain } = due;
  const recipients = tx
    .sql(
      `UPDATE outbound_recipient
       SET status = 'sending'
       WHERE outbound_no = ? AND status = 'queued' AND next_attempt_at <= ? AND domain = ?
       RETURNING no, email, attempts`,
    )
    .all(no, tx.nowUs, domain) as ClaimedRecipient[];
  rollUp(tx, no);
  const email = tx
    .sql('SELECT no, id, account_no, from_domain, expires_at FROM outbound_email WHERE no = ?')
    .get(no) as Omit<Claimed, 'domain' | 'recipients'>;
  return { ...email, domain, recipients: recipients.sort((one, other) => one.no - other.no) };
});

/** What an attempt came to for one recipient. */
export interface RecipientResult {
  no: number;
  /** `queued`: it is tried again by the schedule, until the email's time is over. */
  status: Exclude<OutboundStatus, 'sending'>;
  response: string;
  /** The address is put on the suppression list, for this reason. */
  suppress: string | null;
}

export interface EmailAttempt {
  outbound_no: number;
  results: RecipientResult[];
}

/** Writes an attempt down. What a report has settled meanwhile stays settled. */
export const recordSentOp = writeOp('outbound.record', (tx, { outbound_no, results }: EmailAttempt): void => {
  const email = tx.sql('SELECT account_no, expires_at FROM outbound_email WHERE no = ?').get(outbound_no) as
    | { account_no: number; expires_at: number }
    | undefined;
  // Its account was erased.
  if (!email) return;
  let lastError: string | null = null;
  for (const { no, status, response, suppress } of results) {
    const row = tx
      .sql(`SELECT email, attempts FROM outbound_recipient WHERE no = ? AND status = 'sending'`)
      .get(no) as { email: string; attempts: number } | undefined;
    if (!row) continue;
    const attempts = row.attempts + 1;
    const nextAt = status === 'queued' ? nextAttemptAt(attempts, tx.nowUs, email.expires_at) : null;
    tx.sql(
      `UPDATE outbound_recipient
       SET status = ?, attempts = ?, next_attempt_at = ?, response = ?
       WHERE no = ?`,
    ).run(status === 'queued' && nextAt === null ? 'failed' : status, attempts, nextAt, response, no);
    if (status !== 'sent') lastError = response;
    if (suppress !== null) insertSuppression(tx, email.account_no, row.email, suppress);
  }
  rollUp(tx, outbound_no, lastError);
});

/** Puts emails back that were taken and not tried: as if nothing had been. */
export const releaseEmailsOp = writeOp(
  'outbound.release',
  (tx, { recipients }: { recipients: { no: number; outbound_no: number }[] }): void => {
    for (const { no } of recipients) {
      tx.sql(`UPDATE outbound_recipient SET status = 'queued' WHERE no = ? AND status = 'sending'`).run(no);
    }
    for (const outboundNo of new Set(recipients.map((one) => one.outbound_no))) rollUp(tx, outboundNo);
  },
);

/** At start: what was being sent when the last run ended is due again; gives how many emails. */
export const recoverSendingOp = writeOp('outbound.recover', (tx, _: null): number => {
  // A time that only a clock which was set back since can have named.
  tx.sql('UPDATE outbound_recipient SET next_attempt_at = ? WHERE next_attempt_at > ?').run(
    tx.nowUs,
    tx.nowUs + RETRY_US_MAX,
  );
  const rows = tx
    .sql(
      `UPDATE outbound_recipient
       SET status = 'queued'
       WHERE next_attempt_at IS NOT NULL AND status = 'sending'
       RETURNING outbound_no`,
    )
    .all() as { outbound_no: number }[];
  const emails = new Set(rows.map(({ outbound_no }) => outbound_no));
  for (const no of emails) rollUp(tx, no);
  return emails.size;
});

export interface PutOff {
  share: Share;
  reason: string;
  max: number;
}

/**
 * No host of this share can be reached: all else that is due there has had this attempt too. Gives how many
 * recipients.
 */
export const putOffOp = writeOp('outbound.put_off', (tx, { share, reason, max }: PutOff): number => {
  const emails = new Set(dueEmails(tx, share, tx.nowUs, max).map(({ outbound_no }) => outbound_no));
  const domain = share === 'all' ? null : share.domain;
  let putOff = 0;
  for (const no of emails) {
    const { expires_at } = tx.sql('SELECT expires_at FROM outbound_email WHERE no = ?').get(no) as {
      expires_at: number;
    };
    const rows = tx
      .sql(
        `SELECT no, attempts
         FROM outbound_recipient
         WHERE outbound_no = ? AND status = 'queued' AND next_attempt_at <= ? AND (? IS NULL OR domain = ?)`,
      )
      .all(no, tx.nowUs, domain, domain) as { no: number; attempts: number }[];
    for (const row of rows) {
      const nextAt = nextAttemptAt(row.attempts + 1, tx.nowUs, expires_at);
      tx.sql(
        `UPDATE outbound_recipient
         SET status = ?, attempts = attempts + 1, next_attempt_at = ?, response = ?
         WHERE no = ?`,
      ).run(nextAt === null ? 'failed' : 'queued', nextAt, reason, row.no);
    }
    putOff += rows.length;
    rollUp(tx, no, reason);
  }
  return putOff;
});

export interface WaitNote {
  share: Share;
  /** One email; null: all that are due, up to `max`. */
  outbound_no: number | null;
  reason: string;
  max: number;
}

/** Their host is left alone for now: `last_error` says so, and it is no attempt. */
export const noteWaitOp = writeOp(
  'outbound.note_wait',
  (tx, { share, outbound_no, reason, max }: WaitNote): void => {
    const due = outbound_no === null ? dueEmails(tx, share, tx.nowUs, max) : [{ outbound_no }];
    for (const no of new Set(due.map((one) => one.outbound_no))) {
      tx.sql(
        `UPDATE outbound_email SET last_error = ? WHERE no = ? AND waiting = 1 AND last_error IS NOT ?`,
      ).run(reason, no, reason);
    }
  },
);

/** What a report says of recipients of one email. */
export interface ReportedFailures {
  id: string;
  failures: { no: number; response: string; suppress: string | null }[];
}

/** A report came back: what was handed over is `bounced`. Gives how many recipients. */
export const recordReportOp = writeOp('outbound.report', (tx, { id, failures }: ReportedFailures): number => {
  const email = emailById(tx, id);
  if (!email) return 0;
  let bounced = 0;
  for (const { no, response, suppress } of failures) {
    // One that is being sent: its 250 is on the way to the store.
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
    if (row && suppress !== null) insertSuppression(tx, email.account_no, row.email, suppress);
  }
  if (bounced > 0) rollUp(tx, email.no, failures.at(-1)?.response ?? null);
  return bounced;
});

/** From the least to the worst: the email's status is that of its worst recipient. */
const ranks: readonly OutboundStatus[] = ['sent', 'queued', 'sending', 'failed', 'rejected', 'bounced'];

/** Makes the email what its recipients are; its bytes go when nobody waits for them. */
function rollUp(tx: Tx, outboundNo: number, lastError: string | null = null): void {
  const rows = tx
    .sql('SELECT status, attempts, next_attempt_at FROM outbound_recipient WHERE outbound_no = ?')
    .all(outboundNo) as { status: OutboundStatus; attempts: number; next_attempt_at: number | null }[];
  const worst = Math.max(...rows.map(({ status }) => ranks.indexOf(status)));
  const status = ranks[worst] ?? 'failed';
  const waits = rows.some(({ next_attempt_at }) => next_attempt_at !== null);
  const attempts = Math.max(0, ...rows.map((row) => row.attempts));
  tx.sql(
    `UPDATE outbound_email
     SET status = ?, attempts = ?, last_error = coalesce(?, last_error), sent_at = coalesce(sent_at, ?), waiting = ?
     WHERE no = ?`,
  ).run(status, attempts, lastError, status === 'sent' ? tx.nowUs : null, waits ? 1 : 0, outboundNo);
  if (!waits) {
    tx.sql('DELETE FROM outbound_mime WHERE outbound_no = ?').run(outboundNo);
  }
}

function insertSuppression(tx: Tx, accountNo: number, email: string, reason: string): void {
  tx.sql(
    `INSERT INTO suppression (account_no, email, reason, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
  ).run(accountNo, email.toLowerCase(), reason, tx.nowUs, tx.nowUs + rules.suppressed_s * SECOND_US);
}

/** Takes an address (lower case) off the list; gives what stood there, or null. */
export const removeSuppressionOp = writeOp(
  'outbound.remove_suppression',
  (tx, { account_no, email }: { account_no: number; email: string }): Suppression | null => {
    const row = tx
      .sql(
        `DELETE FROM suppression WHERE account_no = ? AND email = ?
         RETURNING email, reason, created_at, expires_at`,
      )
      .get(account_no, email) as Suppression | undefined;
    return row && row.expires_at > tx.nowUs ? row : null;
  },
);

/** Forgets those whose time is over; gives how many. */
export const forgetSuppressionsOp = jobOp(
  'outbound.forget_suppressions',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM suppression WHERE (account_no, email) IN
           (SELECT account_no, email FROM suppression WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      )
      .run(tx.nowUs, max).changes,
);

/** The wall clock was set from `beforeUs` to `nowUs`: what was due in some minutes is due in as many now. */
export const rebaseQueueOp = writeOp(
  'outbound.rebase',
  (tx, { beforeUs, nowUs }: { beforeUs: number; nowUs: number }): void => {
    const byUs = nowUs - beforeUs;
    // What was queued after the step, or is due already, has nothing to wait for.
    const fromUs = byUs < 0 ? nowUs : beforeUs;
    tx.sql(
      `UPDATE outbound_recipient
       SET next_attempt_at = max(next_attempt_at + ?, ?)
       WHERE next_attempt_at > ? AND attempts > 0`,
    ).run(byUs, byUs < 0 ? nowUs : 0, fromUs);
    // By the recipients that wait: with another one bounced the email's own status is not `queued`.
    tx.sql(
      `UPDATE outbound_email
       SET expires_at = expires_at + ?
       WHERE no IN (SELECT outbound_no FROM outbound_recipient WHERE next_attempt_at IS NOT NULL)
         AND created_at <= ?`,
    ).run(byUs, Math.max(beforeUs, nowUs));
  },
);

export const putStsPolicyOp = writeOp(
  'outbound.put_sts_policy',
  (tx, kept: { domain: string; id: string; policy: string; expires_at: number }): void => {
    tx.sql('INSERT OR REPLACE INTO mta_sts (domain, id, policy, expires_at) VALUES (?, ?, ?, ?)').run(
      kept.domain,
      kept.id,
      kept.policy,
      kept.expires_at,
    );
    // Whoever has a thousand domains asked about must not fill the store.
    tx.sql(
      `DELETE FROM mta_sts WHERE domain IN
         (SELECT domain FROM mta_sts WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)`,
    ).run(tx.nowUs);
    tx.sql(
      `DELETE FROM mta_sts WHERE domain IN
         (SELECT domain FROM mta_sts ORDER BY expires_at LIMIT max(0, (SELECT count(*) FROM mta_sts) - ?))`,
    ).run(sending.sts_domains_max);
  },
);

/** For src/app/writes.ts. */
export const sendingWrites: readonly AnyWriteOp[] = [
  claimEmailOp,
  recordSentOp,
  releaseEmailsOp,
  recoverSendingOp,
  putOffOp,
  noteWaitOp,
  recordReportOp,
  removeSuppressionOp,
  forgetSuppressionsOp,
  rebaseQueueOp,
  putStsPolicyOp,
];
