/** What a deleted account or inbox leaves is erased in steps: one cascade over a million rows would hold up all mail. */
import { expect, test } from 'bun:test';
import { eraseDeletedAccountsOp } from '../../../src/features/accounts/jobs.ts';
import { deleteAccountOp } from '../../../src/features/accounts/writes.ts';
import { eraseDeletedInboxesOp } from '../../../src/features/messages/writes.ts';
import { startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';

const MAILS = 25;
const STEP = 10;

/** An account with an inbox whose webhook, and one of the whole account, got many messages; some are deleted. */
async function openBusy() {
  const appliance = await startAppliance({
    settings: { webhook_allow_networks: '127.0.0.0/8', limits: 'off' },
  });
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const ask = (method: string, path: string, body?: object) =>
    appliance.request(method, `/api/v1${path}`, { key: holder.key, body });
  const receiver = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const url = `http://127.0.0.1:${receiver.port}/`;
  await ask('PUT', `/inboxes/${inbox.id}/webhook`, { url });
  await ask('POST', '/webhooks', { url, events: ['email.received', 'message.deleted'] });
  const ids = await Promise.all(Array.from({ length: MAILS }, () => appliance.deliver(inbox.address)));
  for (const id of ids.slice(STEP)) await ask('DELETE', `/messages/${id}`);
  const { store } = appliance.services;
  /** Runs a step until it finds nothing; returns the most rows of one table that a step erased. */
  const runSteps = async (step: () => Promise<number>, tables: readonly string[]) => {
    const count = () => tables.map((table) => countRows(appliance, table));
    let most = 0;
    for (let before = count(); (await step()) > 0; before = count())
      most = Math.max(most, ...count().map((rows, at) => before[at]! - rows));
    return most;
  };
  const end = async () => {
    await appliance[Symbol.asyncDispose]();
    await receiver.stop(true);
  };
  return { appliance, holder, inbox, ask, store, runSteps, [Symbol.asyncDispose]: end };
}

test('the deliveries of a deleted inbox are erased in steps', async () => {
  await using busy = await openBusy();
  const { appliance, inbox, ask, store, runSteps } = busy;
  const before = countRows(appliance, 'delivery');
  await ask('DELETE', `/inboxes/${inbox.id}`);
  const most = await runSteps(() => store.write(eraseDeletedInboxesOp, { max: STEP }), ['delivery']);
  expect(most).toBeLessThanOrEqual(STEP);
  expect(countRows(appliance, 'inbox')).toBe(0);
  // The deliveries of the account's own webhook remain.
  expect(before - countRows(appliance, 'delivery')).toBe(MAILS);
});

test('the events, deliveries, tombstones, webhooks and claims of a deleted account are erased in steps', async () => {
  await using busy = await openBusy();
  const { appliance, holder, ask, store, runSteps } = busy;
  for (let made = 0; made < MAILS; made++) {
    const inbox = await appliance.inbox(holder);
    await ask('DELETE', `/inboxes/${inbox.id}`);
    const { json } = await ask('POST', '/webhooks', { url: 'https://127.0.0.1/', events: ['email.sent'] });
    await ask('DELETE', `/webhooks/${json.data.id}`);
  }
  await store.write(deleteAccountOp, { account_no: holder.account.no });
  await runSteps(() => store.write(eraseDeletedInboxesOp, { max: STEP }), []);
  const claims = 'claim WHERE account_no IS NOT NULL';
  const tables = ['event', 'deleted_message', 'delivery', 'webhook', claims];
  for (const table of tables) expect(countRows(appliance, table)).toBeGreaterThan(STEP);
  const most = await runSteps(() => store.write(eraseDeletedAccountsOp, { max: STEP }), tables);
  expect(most).toBeLessThanOrEqual(STEP);
  expect([...tables, 'account'].map((table) => countRows(appliance, table))).toEqual([0, 0, 0, 0, 0, 0]);
});
