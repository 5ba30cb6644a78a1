import { type Authentication, readFromVerdict } from '../../platform/mail/authentication.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { Trap } from '../accounts/trap.ts';

/** The fields of an inbox needed to judge a recipient and to store a message. */
export interface InboxTarget {
  no: number;
  id: string;
  account_no: number;
  /** Null on the shared domain. */
  domain_no: number | null;
  is_enabled: number;
  metadata: string;
  /** Whether it has sender lists (senderStates in features/inboxes/senders/sql.ts). */
  senders: number;
  /** Whether its account has enabled rules (features/mail-rules). */
  has_rules: number;
}

/** Includes whether there are rules, so that mail for accounts without any costs no further statement. */
const TARGET = `no, id, account_no, domain_no, is_enabled, metadata, senders,
  EXISTS (SELECT 1 FROM mail_rule r WHERE r.account_no = inbox.account_no AND r.is_enabled = 1) AS has_rules`;

export function findTargetByAddress(reading: Reading, address: string): InboxTarget | undefined {
  return reading
    .sql(
      `SELECT ${TARGET}
       FROM inbox
       WHERE address = ? AND deleted_at IS NULL AND is_trap = 0`,
    )
    .get(address) as InboxTarget | undefined;
}

/** The inbox for an address in a trap. */
export function findTargetInTrap(
  reading: Reading,
  { account_no, isApart }: Pick<Trap, 'account_no' | 'isApart'>,
  address: string,
): InboxTarget | undefined {
  const inbox = findTargetByAddress(reading, address);
  if (!isApart || inbox?.account_no === account_no) return inbox;
  return reading
    .sql(
      `SELECT ${TARGET}
       FROM inbox
       WHERE account_no = ? AND address = ? AND deleted_at IS NULL AND is_trap = 1`,
    )
    .get(account_no, address) as InboxTarget | undefined;
}

/** An inbox by its public id, but none in a trap: no mail from outside is delivered there. */
export function findTargetById(
  reading: Reading,
  id: string,
): (InboxTarget & { address: string }) | undefined {
  return reading
    .sql(
      `SELECT ${TARGET}, address
       FROM inbox
       WHERE id = ? AND deleted_at IS NULL AND is_trap = 0`,
    )
    .get(id) as (InboxTarget & { address: string }) | undefined;
}

/** The value of InboxTarget.senders, read alone. */
export function findSendersState(reading: Reading, inboxNo: number): number {
  const row = reading.sql('SELECT senders FROM inbox WHERE no = ?').get(inboxNo);
  return (row as Pick<InboxTarget, 'senders'>).senders;
}

/** Whether the check of a mail's sender is done. */
export function isCheckedMail(reading: Reading, rawNo: number): boolean {
  const row = reading
    .sql('SELECT 1 FROM authentication WHERE raw_no = ? AND verdicts IS NOT NULL')
    .get(rawNo);
  return row !== undefined;
}

/** Whether the check of a mail found its From to be authentic. */
export function isProvenMail(reading: Reading, rawNo: number): boolean {
  const row = reading
    .sql('SELECT verdicts FROM authentication WHERE raw_no = ? AND verdicts IS NOT NULL')
    .get(rawNo) as { verdicts: string } | undefined;
  return row !== undefined && readFromVerdict(JSON.parse(row.verdicts) as Authentication).aligned;
}
