/** Deliveries in the store: what it costs to find the due ones, and how long the history is kept. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { webhookJobs } from '../../../src/features/webhooks/jobs.ts';
import {
  DUE_DELIVERIES,
  dueDeliveries,
  HISTORY,
  NEXT_DUE_DELIVERY,
  nextDeliveryDueAt,
  waitingWebhooks,
} from '../../../src/features/webhooks/sql.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { type Tx, writeOp } from '../../../src/platform/store/operation.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startHooked, until } from './hooked.ts';

const DAY_US = 86_400_000_000;

test('each query uses its index', async () => {
  await using one = await startHooked();
  const plan = (sql: string, ...values: unknown[]) =>
    (
      one.appliance.services.store.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as {
        detail: string;
      }[]
    )
      .map(({ detail }) => detail)
      .join('; ');
  expect(plan(DUE_DELIVERIES, 1, 1, 1)).toBe(
    'SEARCH delivery USING INDEX delivery_due (inbox_no=? AND due_at<?)',
  );
  expect(plan(NEXT_DUE_DELIVERY, 1, 1)).toBe(
    'SEARCH delivery USING COVERING INDEX delivery_due (inbox_no=? AND due_at>?)',
  );
  expect(plan(HISTORY, 1, 1)).toBe('SEARCH delivery USING INDEX delivery_inbox (inbox_no=?)');
});

test('with 100,000 waiting the due ones are found in well under 5 ms', async () => {
  await using one = await startHooked({ clock: new FakeClock() });
  const { store } = one.appliance.services;
  const fill = writeOp('test.fill', (tx: Tx, nowUs: number) =>
    tx
      .sql(
        `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 100000)
         INSERT INTO delivery (id, inbox_no, message_id, status, tries, due_at, created_at, attempts)
         SELECT 'evt_' || value, ?, 'msg_' || value, 'pending', 0, ? + value * 1000, 1, '[]'
         FROM n`,
      )
      .run(one.hooked.inbox.no, nowUs),
  );
  // Beside the appliance, which never has its own.
  const writer = new Writer(join(one.appliance.data_dir, 'postern.db'), [fill]);
  const nowUs = one.appliance.services.clock.nowUs();
  const [answer] = writer.commitGroup([{ id: 1, name: fill.name, nowUs, input: nowUs }]);
  writer.close();
  expect(answer).toHaveProperty('output');
  const { no } = one.hooked.inbox;
  const costs: number[] = [];
  for (let count = 0; count < 50; count++) {
    const began = performance.now();
    expect(dueDeliveries(store, no, nowUs + count * 2_000_000, 5)).toHaveLength(count === 0 ? 0 : 5);
    expect(nextDeliveryDueAt(store, no, nowUs)).toBe(nowUs + 1000);
    expect(waitingWebhooks(store)).toEqual([no]);
    costs.push(performance.now() - began);
  }
  expect(costs.sort((a, b) => a - b)[25]).toBeLessThan(5);
});

test('deliveries are forgotten after 30 days', async () => {
  const clock = new FakeClock();
  await using one = await startHooked({ clock });
  await one.hooked.arrive();
  await until(() => one.hooked.deliveries[0]!.status === 'delivered');
  await clock.leap((30 * DAY_US) / 1000 - 1000);
  for (const job of webhookJobs) await one.appliance.run(job);
  expect(one.hooked.deliveries).toHaveLength(1);
  await clock.leap(2000);
  for (const job of webhookJobs) await one.appliance.run(job);
  expect(one.hooked.deliveries).toEqual([]);
});
