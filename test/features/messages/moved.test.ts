/** A withheld mail that becomes a message during a look-up, and so moves from one table to another. */
import { expect, test } from 'bun:test';
import { findOwnMessage, findOwnRaw } from '../../../src/features/messages/sql.ts';
import { startAppliance } from '../../start.ts';
import { hideFromFirstRead } from '../../store-state.ts';

test('a message that was withheld until a moment ago is found', async () => {
  await using appliance = await startAppliance();
  const owner = await appliance.holder();
  const inbox = await appliance.inbox(owner);
  const id = await appliance.deliver(inbox.address);
  const { store } = appliance.services;
  const accountNo = owner.account.no;
  expect(findOwnMessage(hideFromFirstRead(store), accountNo, id)?.id).toBe(id);
  expect(findOwnRaw(hideFromFirstRead(store), accountNo, id)?.id).toBe(id);
});
