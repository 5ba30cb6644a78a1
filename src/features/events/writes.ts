/** Records events in the transaction of their cause, for webhooks and for readers of GET /events. */
import { SECOND_US } from '../../platform/core/clock.ts';
import { newId } from '../../platform/core/id.ts';
import {
  type AnyWriteOp,
  jobOp,
  onFullDisk,
  type TallyKind,
  type Tx,
  writeOp,
} from '../../platform/store/operation.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import type { EventKind } from '../../rules/events.ts';

/** The topic of notices that a webhook has something to send; `no` is the webhook's number. */
export const WEBHOOK_NOTICE = 'webhook';

export interface NewEvent {
  kind: EventKind;
  account_no: number;
  /** Null for an event that belongs to no inbox. */
  inbox_no: number | null;
  /** The id of the message, outbound email, domain or webhook that it is about. */
  subject_id: string;
  /** A time that takeTime returned; by default, the next one. */
  at?: number;
  /** For a kind whose `data` is stored with the event. Only called if there is a listener. */
  note?: () => unknown;
}

/**
 * Records an event in the transaction of its cause. Each listener gets it at least once: an enabled webhook of the
 * inbox or the account that asks for this kind gets a delivery, and a reader of GET /events finds it. Without listeners
 * this costs at most one indexed look-up and writes nothing. Returns whether a webhook gets it.
 */
export function recordEvent(tx: Tx, event: NewEvent): boolean {
  const { kind, account_no, inbox_no, subject_id } = event;
  const listeners = tx.cached(
    `listeners ${kind} ${account_no} ${inbox_no}`,
    () => tx.sql(LISTENERS).all(account_no, account_no, inbox_no, `"${kind}"`, account_no) as Listener[],
  );
  if (listeners.length === 0) return false;
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO event (id, account_no, inbox_no, kind, subject_id, note, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      newId('event'),
      account_no,
      inbox_no,
      kind,
      subject_id,
      event.note ? JSON.stringify(event.note()) : null,
      event.at ?? takeTime(tx),
    );
  const webhooks = listeners.flatMap(({ webhook_no }) => webhook_no ?? []);
  for (const webhookNo of webhooks) {
    tx.sql(
      `INSERT INTO delivery (event_no, webhook_no, status, tries, due_at, created_at, attempts)
       VALUES (?, ?, 'pending', 0, ?, ?, '[]')`,
    ).run(lastInsertRowid, webhookNo, tx.nowUs, tx.nowUs);
    tx.notify({ topic: WEBHOOK_NOTICE, no: webhookNo });
  }
  return webhooks.length > 0;
}

interface Listener {
  /** Null for a reader of GET /events. */
  webhook_no: number | null;
}

/**
 * Runs for every mail, so a test checks its query plan. The index has only enabled webhooks, of which an account has
 * few, however many it has created and removed.
 */
export const LISTENERS = `SELECT w.no AS webhook_no
  FROM (SELECT no, account_no, events FROM webhook INDEXED BY webhook_listener
        WHERE account_no = ? AND inbox_no IS NULL AND is_enabled = 1
        UNION ALL
        SELECT no, account_no, events FROM webhook WHERE account_no = ? AND inbox_no = ? AND is_enabled = 1) w
  WHERE instr(w.events, ?) > 0
    AND EXISTS (SELECT 1 FROM account a JOIN webhook_plan p ON p.plan = a.plan WHERE a.no = w.account_no)
  UNION ALL
  SELECT NULL FROM event_reader WHERE account_no = ?`;

/**
 * Returns a time for something that happens now, in microseconds: the clock's time, or the last one + 1 if the clock
 * has not advanced. Times strictly increase (docs/decisions.md), so `since` loses and repeats nothing, and events have
 * the order of their causes.
 */
export function takeTime(tx: Tx): number {
  const tally = tx.tallies.of(lastTime);
  tally.lastAt ??= (tx.sql('SELECT last_at FROM arrival').get() as { last_at: number }).last_at;
  tally.lastAt = Math.max(tx.nowUs, tally.lastAt + 1);
  return tally.lastAt;
}

const lastTime: TallyKind<{ lastAt: number | null }> = {
  make: () => ({ lastAt: null }),
  write: (tx, { lastAt }) => void tx.sql('UPDATE arrival SET last_at = ?').run(lastAt),
};

/** Stores which plans include webhooks. */
export const setWebhookPlansOp = writeOp('events.set_plans', (tx, plans: readonly string[]): void => {
  const known = tx.sql('SELECT plan FROM webhook_plan').all() as { plan: string }[];
  for (const { plan } of known.filter((row) => !plans.includes(row.plan)))
    tx.sql('DELETE FROM webhook_plan WHERE plan = ?').run(plan);
  for (const plan of plans) tx.sql('INSERT OR IGNORE INTO webhook_plan (plan) VALUES (?)').run(plan);
});

/** Deletes expired events, with their deliveries. Returns how many. */
export const forgetEventsOp = jobOp(
  'events.forget',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM event
         WHERE no IN (SELECT no FROM event ORDER BY no LIMIT ?) AND created_at <= ?`,
      )
      .run(max, tx.nowUs - rules.keptS * SECOND_US).changes,
);

/** Records that the account reads its events. From then on each event is stored. */
export const recordReaderOp = writeOp(
  'events.note_reader',
  (tx, { account_no }: { account_no: number }): void => {
    tx.sql(
      `INSERT INTO event_reader (account_no, read_at) SELECT no, ? FROM account WHERE no = ?
     ON CONFLICT DO UPDATE SET read_at = excluded.read_at`,
    ).run(tx.nowUs, account_no);
  },
);

/** Deletes readers that have not come back. Returns how many. */
export const forgetReadersOp = jobOp(
  'events.forget_readers',
  (tx, _: null): number =>
    tx.sql('DELETE FROM event_reader WHERE read_at <= ?').run(tx.nowUs - rules.readerKeptS * SECOND_US)
      .changes,
);

/** For src/app/writes.ts. */
export const eventWrites: readonly AnyWriteOp[] = [
  onFullDisk(setWebhookPlansOp),
  recordReaderOp,
  forgetReadersOp,
  forgetEventsOp,
];
