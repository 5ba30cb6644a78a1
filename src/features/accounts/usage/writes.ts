/** The monthly usage of accounts, counted in the operation that causes it. */
import { DAY_US, formatMonth } from '../../../platform/core/clock.ts';
import { type TallyKind, type Tx, writeOp } from '../../../platform/store/operation.ts';

/** Keyed by account and month. */
const messagesReceived: TallyKind<Map<string, { accountNo: number; messages: number; lastAt: number }>> = {
  make: () => new Map(),
  write(tx, tally) {
    const count = tx.sql(
      `INSERT INTO usage (account_no, month, messages_received)
       SELECT no, ?, ? FROM account WHERE no = ?
       ON CONFLICT DO UPDATE SET messages_received = messages_received + excluded.messages_received`,
    );
    const see = tx.sql('UPDATE account SET last_active_at = ? WHERE no = ? AND last_active_at < ?');
    for (const { accountNo, messages, lastAt } of tally.values()) {
      count.run(formatMonth(lastAt), messages, accountNo);
      see.run(lastAt, accountNo, lastAt - DAY_US);
    }
  },
};

/** Counts a message that arrived, and records once a day that the account is active. */
export function meterMessage(tx: Tx, accountNo: number, receivedAt: number): void {
  const tally = tx.tallies.of(messagesReceived);
  const name = `${accountNo} ${formatMonth(receivedAt)}`;
  const known = tally.get(name);
  if (known) {
    known.messages += 1;
    known.lastAt = receivedAt;
  } else tally.set(name, { accountNo, messages: 1, lastAt: receivedAt });
}

/** Keyed by account and month. */
const webhookAttempts: TallyKind<Map<string, { accountNo: number; month: string; attempts: number }>> = {
  make: () => new Map(),
  write(tx, tally) {
    const count = tx.sql(
      `INSERT INTO usage (account_no, month, webhook_attempts)
       SELECT no, ?, ? FROM account WHERE no = ?
       ON CONFLICT DO UPDATE SET webhook_attempts = webhook_attempts + excluded.webhook_attempts`,
    );
    for (const { accountNo, month, attempts } of tally.values()) count.run(month, attempts, accountNo);
  },
};

/** Counts a webhook attempt, whatever its result. */
export function meterWebhookAttempt(tx: Tx, accountNo: number): void {
  const tally = tx.tallies.of(webhookAttempts);
  const month = formatMonth(tx.nowUs);
  const name = `${accountNo} ${month}`;
  const counted = tally.get(name) ?? { accountNo, month, attempts: 0 };
  counted.attempts += 1;
  tally.set(name, counted);
}

/** Counts recipients of outbound email when they are queued. */
export function meterRecipients(tx: Tx, accountNo: number, recipients: number): void {
  tx.sql(
    `INSERT INTO usage (account_no, month, outbound_recipients) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET outbound_recipients = outbound_recipients + excluded.outbound_recipients`,
  ).run(accountNo, formatMonth(tx.nowUs), recipients);
}

/** Counts verified addresses of one account or several. */
export const meterVerificationsOp = writeOp(
  'accounts.meter_verifications',
  (tx, { counts }: { counts: readonly { account_no: number; addresses: number }[] }) => {
    const meter = tx.sql(
      `INSERT INTO usage (account_no, month, verifications)
       SELECT no, ?, ? FROM account WHERE no = ?
       ON CONFLICT DO UPDATE SET verifications = verifications + excluded.verifications`,
    );
    for (const { account_no, addresses } of counts) meter.run(formatMonth(tx.nowUs), addresses, account_no);
  },
);
