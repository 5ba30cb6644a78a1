/*
 * Queued emails follow the wall clock when it is set: one due in ten minutes still is. There may be very many, so they are
 * moved in steps, and mail is stored between two of them.
 * - A change of the clock is a row until all emails have followed it, so a crash between two steps loses nothing: the next
 *   start continues where the last step ended.
 * - An email that gets a new time before its turn follows first and is noted, so that its turn skips it. An email that was
 *   queued after the change has the new time already.
 */
import { SECOND_US } from '../../../platform/core/clock.ts';
import {
  type AnyWriteOp,
  onFullDisk,
  repeatableOp,
  type Tx,
  takeWithinStep,
  writeOp,
} from '../../../platform/store/operation.ts';
import { outbound as rules } from '../../../rules/outbound.ts';

/** A row of outbound_rebase. */
interface Rebase {
  no: number;
  before_at: number;
  now_at: number;
  last_no: number;
  after_account_no: number;
  after_no: number;
}

/** Stores that the wall clock was set from `beforeUs` to `nowUs`, for `rebaseEmailsOp`. */
export const beginRebaseOp = writeOp(
  'outbound.begin_rebase',
  (tx, { beforeUs, nowUs }: { beforeUs: number; nowUs: number }): void => {
    tx.sql(
      `INSERT INTO outbound_rebase (before_at, now_at, last_no, after_account_no, after_no)
       VALUES (?, ?, (SELECT coalesce(max(no), 0) FROM outbound_email), 0, 0)`,
    ).run(beforeUs, nowUs);
  },
);

/**
 * A test checks the plans of these statements. One statement for both, with `(account_no, no) > (?, ?)`, would read all of the account
 * again for each page: SQLite looks up only the first of the two in the index.
 */
export const NEXT_OF_ACCOUNT = `SELECT account_no, no
  FROM outbound_email INDEXED BY outbound_email_waiting
  WHERE waiting = 1 AND account_no = ? AND no > ?
  ORDER BY no
  LIMIT ?`;
export const NEXT_OF_LATER_ACCOUNTS = `SELECT account_no, no
  FROM outbound_email INDEXED BY outbound_email_waiting
  WHERE waiting = 1 AND account_no > ?
  ORDER BY account_no, no
  LIMIT ?`;
export const MOVE_RECIPIENTS = `UPDATE outbound_recipient INDEXED BY outbound_recipient_email
  SET next_attempt_at = max(next_attempt_at + ?, ?)
  WHERE outbound_no = ? AND next_attempt_at > ? AND (attempts > 0 OR ?)`;

/**
 * Moves the next emails, at most `max`, with the oldest change that is in progress. Returns false if there is none. Repeatable, because
 * a power cut that loses a step also loses where it ended.
 */
export const rebaseEmailsOp = repeatableOp('outbound.rebase', (tx, { max }: { max: number }): boolean => {
  const [rebase] = listRebases(tx);
  if (!rebase) return false;
  const found = listNext(tx, rebase, max);
  let visited = 0;
  for (const { no } of takeWithinStep(found)) {
    if (no <= rebase.last_no && !hasFollowed(tx, rebase, no)) move(tx, rebase, no);
    visited += 1;
  }
  const last = found[visited - 1];
  if (visited === found.length && found.length < max)
    tx.sql('DELETE FROM outbound_rebase WHERE no = ?').run(rebase.no);
  else
    tx.sql('UPDATE outbound_rebase SET after_account_no = ?, after_no = ? WHERE no = ?').run(
      last?.account_no,
      last?.no,
      rebase.no,
    );
  return true;
});

interface WaitingEmail {
  account_no: number;
  no: number;
}

function listNext(tx: Tx, { after_account_no, after_no }: Rebase, max: number): WaitingEmail[] {
  const found = tx.sql(NEXT_OF_ACCOUNT).all(after_account_no, after_no, max) as WaitingEmail[];
  const more = tx.sql(NEXT_OF_LATER_ACCOUNTS).all(after_account_no, max - found.length) as WaitingEmail[];
  return [...found, ...more];
}

/**
 * Moves an email before its turn with all changes that are in progress. Call this before it gets a new time. Returns whether there
 * were any.
 */
export function followRebases(tx: Tx, { account_no, no }: WaitingEmail): boolean {
  let hasMoved = false;
  for (const rebase of listRebases(tx)) {
    const isNew = no > rebase.last_no;
    const isBehind =
      account_no < rebase.after_account_no ||
      (account_no === rebase.after_account_no && no <= rebase.after_no);
    if (isNew || isBehind || hasFollowed(tx, rebase, no)) continue;
    move(tx, rebase, no);
    tx.sql('INSERT INTO outbound_rebased (rebase_no, outbound_no) VALUES (?, ?)').run(rebase.no, no);
    hasMoved = true;
  }
  return hasMoved;
}

function listRebases(tx: Tx): Rebase[] {
  return tx
    .sql('SELECT no, before_at, now_at, last_no, after_account_no, after_no FROM outbound_rebase ORDER BY no')
    .all() as Rebase[];
}

function hasFollowed(tx: Tx, rebase: Rebase, no: number): boolean {
  const noted = tx.sql('SELECT 1 FROM outbound_rebased WHERE rebase_no = ? AND outbound_no = ?');
  return noted.get(rebase.no, no) !== undefined;
}

function move(tx: Tx, { before_at: beforeUs, now_at: nowUs }: Rebase, no: number): void {
  const byUs = nowUs - beforeUs;
  // Recipients that are due keep their time. Only after a step forward can an untried one have been queued since.
  const isBack = byUs < 0;
  tx.sql(MOVE_RECIPIENTS).run(byUs, isBack ? nowUs : 0, no, isBack ? nowUs : beforeUs, Number(isBack));
  // An email queued by the old clock expires, by that clock, within the time that it may be in the queue. One that
  // does so by the new clock was queued before the server started with a wrong clock, which is right again now.
  const queuedUs = rules.queueS * SECOND_US;
  tx.sql(
    `UPDATE outbound_email
     SET expires_at = expires_at + ?
     WHERE no = ? AND expires_at > ? AND expires_at <= ?`,
  ).run(byUs, no, isBack ? nowUs + queuedUs : 0, beforeUs + queuedUs);
}

export const rebaseWrites: readonly AnyWriteOp[] = [onFullDisk(beginRebaseOp), onFullDisk(rebaseEmailsOp)];
