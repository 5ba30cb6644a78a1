/** A page lists all members of an account at once, so there is a bound on them. */
import { expect, test } from 'bun:test';
import { addMember, removeMember } from '../../../src/features/accounts/members.ts';
import { listMembers } from '../../../src/features/accounts/sql.ts';
import type { Failure } from '../../../src/platform/core/failure.ts';
import { startAppliance } from '../../start.ts';

test('an account with 1,000 members has room for another only after one is removed', async () => {
  await using appliance = await startAppliance();
  const { account } = await appliance.holder();
  const add = (nth: number) => addMember(appliance.services, account, `member${nth}@example.org`);
  for (let nth = 0; nth < 999; nth++) await add(nth);
  expect(listMembers(appliance.services.store, account.no)).toHaveLength(1_000);
  const refused = await add(999).catch((failure: Failure) => failure.code);
  expect(refused).toBe('plan_limit_reached');
  await removeMember(appliance.services, account, 'member0@example.org');
  await add(999);
  // Other accounts have a bound of their own.
  const other = await appliance.holder();
  await addMember(appliance.services, other.account, 'member1@example.org');
}, 20_000);
