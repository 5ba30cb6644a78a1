/** Every write to the diary. */
import { DAY_US } from '../../../platform/core/clock.ts';
import { type AnyWriteOp, jobOp, type Tx, writeOp } from '../../../platform/store/operation.ts';
import { diary as rules } from '../../../rules/diary.ts';
import type { DiaryEntry } from './sql.ts';

export interface NewEntry extends Omit<DiaryEntry, 'no' | 'account_no'> {
  /** `recipient` in lower case without its tag, to find the inbox; null when it is not a valid address. */
  address: string | null;
  /** The account, if that does not follow from the address. */
  account_no?: number;
}

/** Stores the collected refusals and deletes the oldest entries above the limit. */
export const noteRefusalsOp = writeOp('diary.note', (tx, { entries }: { entries: NewEntry[] }): void => {
  const touched = new Set<number | null>();
  for (const entry of entries) {
    const accountNo = entry.account_no ?? (entry.address === null ? null : findHolder(tx, entry.address));
    touched.add(accountNo);
    tx.sql(
      `INSERT INTO refusal (account_no, first_at, at, times, client_address, helo, envelope_from, recipient,
         reason, code, reply)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      accountNo,
      entry.first_at,
      entry.at,
      entry.times,
      entry.client_address,
      entry.helo,
      entry.envelope_from,
      entry.recipient,
      entry.reason,
      entry.code,
      entry.reply,
    );
  }
  for (const accountNo of touched) {
    tx.sql(
      `DELETE FROM refusal WHERE no IN
         (SELECT no FROM refusal INDEXED BY refusal_account
          WHERE account_no IS ? ORDER BY no DESC LIMIT -1 OFFSET ?)`,
    ).run(accountNo, accountNo === null ? rules.keptOfNobody : rules.keptOfAccount);
  }
});

/** Finds the account of an address: by a live inbox, by a claim (of a deleted inbox), or by a custom domain. */
function findHolder(tx: Tx, address: string): number | null {
  const row = tx
    .sql(
      `SELECT account_no FROM inbox WHERE address = ? AND deleted_at IS NULL AND is_trap = 0
       UNION ALL SELECT account_no FROM claim WHERE address = ?
       UNION ALL SELECT account_no FROM domain WHERE name = ?
       LIMIT 1`,
    )
    .get(address, address, address.slice(address.lastIndexOf('@') + 1)) as
    | { account_no: number | null }
    | undefined;
  return row?.account_no ?? null;
}

/** Deletes old entries. Returns how many. */
export const forgetRefusalsOp = jobOp(
  'diary.forget',
  (tx, { max }: { max: number }): number =>
    tx
      .sql('DELETE FROM refusal WHERE no IN (SELECT no FROM refusal WHERE at <= ? LIMIT ?)')
      .run(tx.nowUs - rules.keptDays * DAY_US, max).changes,
);

export const diaryWrites: readonly AnyWriteOp[] = [noteRefusalsOp, forgetRefusalsOp];
