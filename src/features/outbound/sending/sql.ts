import type { Reading } from '../../../platform/store/operation.ts';
import type { OutboundStatus } from '../sql.ts';

/** An email with the recipients of one attempt, which are all on one domain. */
export interface Leased {
  no: number;
  domain: string;
  id: string;
  account_no: number;
  from_domain: string;
  expires_at: number;
  recipients: LeasedRecipient[];
}

export interface LeasedRecipient {
  no: number;
  /** As in the RCPT command. */
  email: string;
  attempts: number;
}

/** A share of the queue: one domain's recipients, or all of them with a smarthost. */
export type Share = { domain: string } | 'all';

/** A test checks the plans of these statements: they must cost the same with 100,000 queued recipients as with none. */
export const DUE_OF_DOMAIN = `SELECT outbound_no, domain
  FROM outbound_recipient INDEXED BY outbound_recipient_domain
  WHERE domain = ? AND next_attempt_at IS NOT NULL AND next_attempt_at <= ? AND status = 'queued'
  ORDER BY next_attempt_at
  LIMIT ?`;

export const DUE_EMAILS = `SELECT outbound_no, domain
  FROM outbound_recipient INDEXED BY outbound_recipient_due
  WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= ? AND status = 'queued'
  ORDER BY next_attempt_at
  LIMIT ?`;

/** An email with a due recipient, and the recipient's domain. */
export interface Due {
  outbound_no: number;
  domain: string;
}

/** Returns due work, longest due first. The same entry may appear twice. */
export function listDueEmails(reading: Reading, share: Share, nowUs: number, rows: number): Due[] {
  const found =
    share === 'all'
      ? reading.sql(DUE_EMAILS).all(nowUs, rows)
      : reading.sql(DUE_OF_DOMAIN).all(share.domain, nowUs, rows);
  return found as Due[];
}

/** A scrape of /metrics must not read a queue of millions, so the count stops here. */
const COUNTED_MAX = 100_000;

export const WAITING_RECIPIENTS = `SELECT count(*) AS waiting
  FROM (SELECT 1 FROM outbound_recipient INDEXED BY outbound_recipient_due
        WHERE next_attempt_at IS NOT NULL LIMIT ?)`;

/** Counts the recipients that wait for an attempt, up to COUNTED_MAX. */
export function countWaitingRecipients(reading: Reading): number {
  return (reading.sql(WAITING_RECIPIENTS).get(COUNTED_MAX) as { waiting: number }).waiting;
}

export const NEXT_DUE_OF_DOMAIN = `SELECT min(next_attempt_at) AS at
  FROM outbound_recipient INDEXED BY outbound_recipient_domain
  WHERE domain = ? AND next_attempt_at > ?`;

export const NEXT_DUE_EMAIL = `SELECT min(next_attempt_at) AS at
  FROM outbound_recipient INDEXED BY outbound_recipient_due
  WHERE next_attempt_at > ?`;

/** Returns when the next recipient after now is due; null if there is none. */
export function findNextEmailDueAt(reading: Reading, share: Share, nowUs: number): number | null {
  const row =
    share === 'all'
      ? reading.sql(NEXT_DUE_EMAIL).get(nowUs)
      : reading.sql(NEXT_DUE_OF_DOMAIN).get(share.domain, nowUs);
  return (row as { at: number | null }).at;
}

/** A domain that an account has queued email for. */
export interface Waiting {
  domain: string;
  account_no: number;
}

/** Reads the whole queue, so it is used only at start. */
export function listWaitingDomains(reading: Reading): Waiting[] {
  const rows = reading
    .sql(
      `SELECT DISTINCT r.domain, e.account_no
       FROM outbound_recipient r INDEXED BY outbound_recipient_domain
       JOIN outbound_email e ON e.no = r.outbound_no
       WHERE r.next_attempt_at IS NOT NULL`,
    )
    .all();
  return rows as Waiting[];
}

/** A test checks its plan. */
export const DUE_OF_EMAIL = `SELECT no, attempts
  FROM outbound_recipient INDEXED BY outbound_recipient_email
  WHERE outbound_no = ? AND status = 'queued' AND next_attempt_at <= ? AND (? IS NULL OR domain = ?)`;

/** A position among the recipients that wait, in the order of their due times. */
export interface DuePlace {
  next_attempt_at: number;
  no: number;
}

/** A test checks their plans. With both in one statement, SQLite would read all that have the same due time for each page. */
export const NEXT_DUE_THEN = `SELECT next_attempt_at, no, outbound_no, status
  FROM outbound_recipient INDEXED BY outbound_recipient_due
  WHERE next_attempt_at IS NOT NULL AND next_attempt_at = ? AND no > ?
  ORDER BY no
  LIMIT ?`;
export const NEXT_DUE_LATER = `SELECT next_attempt_at, no, outbound_no, status
  FROM outbound_recipient INDEXED BY outbound_recipient_due
  WHERE next_attempt_at IS NOT NULL AND next_attempt_at > ?
  ORDER BY next_attempt_at, no
  LIMIT ?`;

type WaitingRecipient = DuePlace & { outbound_no: number; status: OutboundStatus };

/** Returns the recipients that wait, the next ones after a place or the first ones. */
export function listWaitingRecipients(
  reading: Reading,
  after: DuePlace | null,
  max: number,
): WaitingRecipient[] {
  const { next_attempt_at: atUs, no } = after ?? { next_attempt_at: Number.MIN_SAFE_INTEGER, no: 0 };
  const found = reading.sql(NEXT_DUE_THEN).all(atUs, no, max) as WaitingRecipient[];
  const more = reading.sql(NEXT_DUE_LATER).all(atUs, max - found.length) as WaitingRecipient[];
  return [...found, ...more];
}

/** An email that a report is about, with all its recipients. */
export interface Reported {
  no: number;
  account_no: number;
  recipients: { no: number; email: string; domain: string; status: OutboundStatus }[];
}

/** Finds an email of any account by its public id. */
export function findEmailById(reading: Reading, id: string): Reported | null {
  const email = reading.sql('SELECT no, account_no FROM outbound_email WHERE id = ?').get(id) as
    | { no: number; account_no: number }
    | undefined;
  if (!email) return null;
  const recipients = reading
    .sql('SELECT no, email, domain, status FROM outbound_recipient WHERE outbound_no = ? ORDER BY no')
    .all(email.no);
  return { ...email, recipients: recipients as Reported['recipients'] };
}

/** Returns the stored MTA-STS policy of a domain; null if there is none. */
export function readStsPolicy(
  reading: Reading,
  domain: string,
): { id: string; policy: string; expires_at: number } | null {
  const row = reading.sql('SELECT id, policy, expires_at FROM mta_sts WHERE domain = ?').get(domain);
  return (row as { id: string; policy: string; expires_at: number } | undefined) ?? null;
}
