/** The cost of a long queue: each query uses its index, and reads no more rows than it returns. */
import { expect, test } from 'bun:test';
import {
  MOVE_RECIPIENTS,
  NEXT_OF_ACCOUNT,
  NEXT_OF_LATER_ACCOUNTS,
} from '../../../src/features/outbound/rebase/writes.ts';
import {
  DUE_EMAILS,
  DUE_OF_DOMAIN,
  DUE_OF_EMAIL,
  NEXT_DUE_EMAIL,
  NEXT_DUE_LATER,
  NEXT_DUE_OF_DOMAIN,
  NEXT_DUE_THEN,
} from '../../../src/features/outbound/sending/sql.ts';
import { LEASE_RECIPIENTS } from '../../../src/features/outbound/sending/writes.ts';
import { OLDEST_ENDED } from '../../../src/features/outbound/writes.ts';
import { startAppliance } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';

test('each query of the queue uses its index, without sorting', async () => {
  await using appliance = await startAppliance();
  for (const sql of [
    DUE_EMAILS,
    DUE_OF_DOMAIN,
    NEXT_DUE_EMAIL,
    NEXT_DUE_OF_DOMAIN,
    NEXT_DUE_THEN,
    NEXT_DUE_LATER,
  ]) {
    expect(explainPlan(appliance, sql)).toMatch(
      /^SEARCH outbound_recipient USING (COVERING )?INDEX outbound_recipient_(due|domain)/,
    );
    expect(explainPlan(appliance, sql)).not.toContain('TEMP B-TREE');
  }
});

test('a step that moves emails with the clock reads no more than it moves', async () => {
  await using appliance = await startAppliance();
  expect(explainPlan(appliance, NEXT_OF_ACCOUNT)).toBe(
    'SEARCH outbound_email USING COVERING INDEX outbound_email_waiting (account_no=? AND rowid>?)',
  );
  expect(explainPlan(appliance, NEXT_OF_LATER_ACCOUNTS)).toBe(
    'SEARCH outbound_email USING COVERING INDEX outbound_email_waiting (account_no>?)',
  );
  expect(explainPlan(appliance, NEXT_DUE_THEN)).toBe(
    'SEARCH outbound_recipient USING INDEX outbound_recipient_due (next_attempt_at=? AND rowid>?)',
  );
  for (const sql of [MOVE_RECIPIENTS, DUE_OF_EMAIL])
    expect(explainPlan(appliance, sql)).toBe(
      'SEARCH outbound_recipient USING INDEX outbound_recipient_email (outbound_no=?)',
    );
});

test('leasing an email reads only its own recipients, however many are due on their domain', async () => {
  await using appliance = await startAppliance();
  expect(explainPlan(appliance, LEASE_RECIPIENTS)).toBe(
    'SEARCH outbound_recipient USING INDEX outbound_recipient_email (outbound_no=?)',
  );
});

test('retention stops at its limit: it neither sorts nor searches for old emails among new ones', async () => {
  await using appliance = await startAppliance();
  expect(explainPlan(appliance, OLDEST_ENDED)).toBe(
    'SEARCH outbound_email USING INDEX outbound_email_account (account_no=?)',
  );
  expect(OLDEST_ENDED).not.toContain('created_at <');
});
