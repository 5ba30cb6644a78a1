/** A withheld mail that becomes a message while it is looked for: it is in one table before, and in another after. */
import { expect, test } from 'bun:test';
import { findOwnMessage, findOwnRaw } from '../../../src/features/messages/sql.ts';
import { startAppliance } from '../../start.ts';
import { missFirst } from '../../store-state.ts';

test('a message is found that was withheld until a moment ago', async () => {
  await using appliance = await startAppliance();
  const owner = await appliance.holder();
  const inbox = await appliance.inbox(owner);
  const id = await appliance.deliver(inbox.address);
  const { store } = appliance.services;
  const accountNo = owner.account.no;
  expect(findOwnMessage(missFirst(store), accountNo, id)?.id).toBe(id);
  expect(findOwnRaw(missFirst(store), accountNo, id)?.id).toBe(id);
});
