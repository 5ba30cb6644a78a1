import type { Reading } from '../../../platform/store/operation.ts';
import type { ReplyName } from '../../../rules/replies.ts';

/** A diary entry: what was refused, and how often between `first_at` and `at`. */
export interface DiaryEntry {
  no: number;
  /** The recipient's account; null if it belongs to none. */
  account_no: number | null;
  first_at: number;
  at: number;
  times: number;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` when it was refused before a recipient was named. */
  recipient: string;
  reason: ReplyName;
  code: number;
  reply: string;
}

const ENTRY = `no, account_no, first_at, at, times, client_address, helo, envelope_from, recipient, reason,
  code, reply`;

/** Refusals for an account's recipients, or for recipients of no account (null); newest first, before a row number. */
export function listAccountDiary(
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

/** Refusals for all accounts, for the operator. */
export function listWholeDiary(reading: Reading, before: number, rows: number): DiaryEntry[] {
  return reading
    .sql(`SELECT ${ENTRY} FROM refusal WHERE no < ? ORDER BY no DESC LIMIT ?`)
    .all(before, rows) as DiaryEntry[];
}
