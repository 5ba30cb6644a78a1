/** What runs for every mail, every errand and every dry run reads an index, in its order. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { WAITING_PAGES } from '../../../src/features/mail-rules/errands/writes.ts';
import {
  DUE_ERRANDS,
  ENABLED_RULES,
  EXPIRED,
  NEXT_QUEUE,
  STORED_MESSAGES,
} from '../../../src/features/mail-rules/sql.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const plans: [statement: string, plan: RegExp][] = [
  [ENABLED_RULES, /^SEARCH mail_rule USING INDEX mail_rule_enabled \(account_no=\?\)$/],
  [NEXT_QUEUE, /^SEARCH errand USING COVERING INDEX errand_due \(\(account_no,kind\)>\(\?,\?\)\)$/],
  [DUE_ERRANDS, /^SEARCH errand USING INDEX errand_due \(account_no=\? AND kind=\?/],
  [WAITING_PAGES.sooner.same, /errand_due \(account_no=\? AND kind=\? AND due_at=\? AND rowid>\?\)$/],
  [WAITING_PAGES.later.same, /errand_due \(account_no=\? AND kind=\? AND due_at=\? AND rowid<\?\)$/],
  [WAITING_PAGES.sooner.others, /errand_due \(\(account_no,kind,due_at\)>\(\?,\?,\?\)\)$/],
  [WAITING_PAGES.later.others, /errand_due \(\(account_no,kind,due_at\)<\(\?,\?,\?\)\)$/],
  [EXPIRED, /^SEARCH ruled_message USING COVERING INDEX ruled_message_delete \(/],
  [STORED_MESSAGES, /^SEARCH m USING INDEX message_account .*; SEARCH i USING INTEGER PRIMARY KEY/],
];

for (const [statement, plan] of plans) {
  test(statement.replaceAll(/\s+/g, ' ').slice(0, 150), () => {
    const explained = explainPlan(appliance, statement);
    expect(explained).toMatch(plan);
    expect(explained).not.toContain('TEMP B-TREE');
  });
}
