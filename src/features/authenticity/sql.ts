import type { MailColumns } from '../../platform/mail/stored-mail.ts';
import type { Reading } from '../../platform/store/operation.ts';

/** A mail whose sender has not been checked yet. */
export interface DueMail extends MailColumns {
  raw_no: number;
  envelope_from: string;
  helo: string;
  client_address: string;
}

export const DUE_MAILS = `SELECT raw_no
  FROM authentication INDEXED BY authentication_due
  WHERE verdicts IS NULL
  ORDER BY raw_no DESC
  LIMIT ?`;

/** Returns mails to check, newest first: during a flood, users look at what just arrived. */
export function listDueMails(reading: Reading, rows: number): number[] {
  const found = reading.sql(DUE_MAILS).all(rows) as { raw_no: number }[];
  return found.map(({ raw_no }) => raw_no);
}

/** Returns null if the mail has been erased in the meantime. */
export function findDueMail(reading: Reading, rawNo: number): DueMail | null {
  const row = reading
    .sql(
      `SELECT no AS raw_no, envelope_from, helo, client_address, content, content_size, size, bytes
       FROM raw
       WHERE no = ?`,
    )
    .get(rawNo);
  return (row as DueMail | undefined) ?? null;
}

/** A scrape of /metrics must not read a queue of millions, so the count stops here. */
const COUNTED_MAX = 100_000;

export const QUEUED_CHECKS = `SELECT count(*) AS queued
  FROM (SELECT 1 FROM authentication INDEXED BY authentication_due WHERE verdicts IS NULL LIMIT ?)`;

export function countQueuedChecks(reading: Reading): number {
  return (reading.sql(QUEUED_CHECKS).get(COUNTED_MAX) as { queued: number }).queued;
}
