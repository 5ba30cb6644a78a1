import type { Reading } from '../../../platform/store/operation.ts';
import type { RefusalReason } from '../../../rules/replies.ts';

/** A diary entry: a refusal, and how often it happened between `first_at` and `at`. */
export interface DiaryEntry {
  no: number;
  /** The recipient's account; null if the recipient belongs to none. */
  account_no: number | null;
  first_at: number;
  at: number;
  times: number;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` if the refusal came before a recipient was named. */
  recipient: string;
  reason: RefusalReason;
  code: number;
  reply: string;
}

const ENTRY = `no, account_no, first_at, at, times, client_address, helo, envelope_from, recipient, reason,
  code, reply`;

/** Refusals of mail for an account, or for no account (null), before a row number, newest first. */
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

/** Refusals of mail for all accounts, for the operator. */
export function listWholeDiary(reading: Reading, before: number, rows: number): DiaryEntry[] {
  return reading
    .sql(`SELECT ${ENTRY} FROM refusal WHERE no < ? ORDER BY no DESC LIMIT ?`)
    .all(before, rows) as DiaryEntry[];
}
