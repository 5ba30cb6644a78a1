/** Deliveries in the store: the cost of finding the due ones, and how long the history is kept. */
import { expect, test } from 'bun:test';
import { eventJobs } from '../../../src/features/events/jobs.ts';
import { EVENTS_AFTER } from '../../../src/features/events/sql.ts';
import { LISTENERS } from '../../../src/features/events/writes.ts';
import {
  ACCOUNT_WEBHOOKS,
  ACCOUNT_WEBHOOKS_COUNT,
  findNextDelivery,
  findNextDueAt,
  HISTORY,
  INBOX_WEBHOOKS,
  listWaitingWebhooks,
  NEXT_DELIVERY,
  NEXT_DUE_DELIVERY,
} from '../../../src/features/webhooks/sql.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { explainPlan, queueDeliveries } from '../../store-state.ts';
import { until } from '../../until.ts';
import { startHooked } from './hooked.ts';

const DAY_US = 86_400_000_000;

test('each query uses its index', async () => {
  await using one = await startHooked();
  const plan = (statement: string) => explainPlan(one.appliance, statement);
  const eventByRow = 'SEARCH e USING INTEGER PRIMARY KEY (rowid=?)';
  expect(plan(NEXT_DELIVERY)).toBe(
    'SEARCH d USING INDEX delivery_due (webhook_no=? AND due_at<?); LIST SUBQUERY 1; ' +
      `SCAN json_each VIRTUAL TABLE INDEX 1:; CREATE BLOOM FILTER; ${eventByRow}`,
  );
  expect(plan(NEXT_DUE_DELIVERY)).toBe(
    'SEARCH delivery USING COVERING INDEX delivery_due (webhook_no=? AND due_at>?)',
  );
  expect(plan(HISTORY)).toBe(
    `SEARCH d USING INDEX delivery_webhook (webhook_no=? AND event_no<?); ${eventByRow}`,
  );
  const live = /SEARCH (w|webhook) USING (COVERING )?INDEX webhook_live \(account_no=\?( AND rowid<\?)?\)/;
  for (const statement of [ACCOUNT_WEBHOOKS, ACCOUNT_WEBHOOKS_COUNT]) {
    expect(plan(statement)).toMatch(live);
    expect(plan(statement)).not.toMatch(/SCAN|TEMP B-TREE/);
  }
  expect(plan(INBOX_WEBHOOKS)).toContain(
    'SEARCH w USING INDEX webhook_account (account_no=? AND inbox_no<?); ',
  );
  expect(plan(INBOX_WEBHOOKS)).not.toMatch(/SCAN|TEMP B-TREE/);
  expect(plan(LISTENERS)).not.toContain('SCAN');
  expect(plan(LISTENERS)).toContain('webhook_listener (account_no=? AND inbox_no=?)');
  expect(plan(EVENTS_AFTER)).toBe('SEARCH event USING INDEX event_account (account_no=? AND created_at>?)');
});

test('among 100,000 pending deliveries the due ones are found in under 5 ms', async () => {
  await using one = await startHooked({ clock: new FakeClock() });
  const { store } = one.appliance.services;
  const { no } = one.hooked.webhook;
  const nowUs = one.appliance.services.clock.nowUs();
  queueDeliveries(one.appliance, no, 100_000, nowUs);
  const costs: number[] = [];
  for (let count = 0; count < 50; count++) {
    const began = performance.now();
    const next = findNextDelivery(store, no, nowUs + count * 2_000_000, [1, 2, 3, 4]);
    expect(next?.no ?? null).toBe(count === 0 ? null : 5);
    expect(findNextDueAt(store, no, nowUs)).toBe(nowUs + 1000);
    expect(listWaitingWebhooks(store).map((waiting) => waiting.no)).toEqual([no]);
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
  for (const job of eventJobs) await one.appliance.run(job);
  expect(one.hooked.deliveries).toHaveLength(1);
  await clock.leap(2000);
  for (const job of eventJobs) await one.appliance.run(job);
  expect(one.hooked.deliveries).toEqual([]);
});
