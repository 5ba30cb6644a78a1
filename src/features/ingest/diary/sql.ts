import type { Reading } from '../../../platform/store/operation.ts';
import type { RefusalReason } from '../../../rules/replies.ts';

/** A line of the diary: what was refused, so many times between `first_at` and `at`. */
export interface DiaryEntry {
  no: number;
  /** Whose the recipient is; null for nobody's. */
  account_no: number | null;
  first_at: number;
  at: number;
  times: number;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` when it was refused before a recipient was named. */
  recipient: string;
  reason: RefusalReason;
  code: number;
  reply: string;
}

const ENTRY = `no, account_no, first_at, at, times, client_address, helo, envelope_from, recipient, reason,
  code, reply`;

/** What was refused to an account's recipients, or to nobody's (null); newest first, before a row number. */
export function diaryOfAccount(
  reading: Reading,
  accountNo: number | null,
  before: number,
  rows: number,
): DiaryEntry[] {
  return reading
    .sql(
      `SELECT ${ENTRY}
       FROM refusal INDEXED BY refusal_account
       WHERE account_no IS ? AND no < ?
       ORDER BY no DESC
       LIMIT ?`,
    )
    .all(accountNo, before, rows) as DiaryEntry[];
}

/** The same for the operator: everybody's. */
export function wholeDiary(reading: Reading, before: number, rows: number): DiaryEntry[] {
  return reading
    .sql(`SELECT ${ENTRY} FROM refusal WHERE no < ? ORDER BY no DESC LIMIT ?`)
    .all(before, rows) as DiaryEntry[];
}
