import { z } from 'zod';
import type { Account } from '../../../../features/accounts/account.ts';
import { createAccount } from '../../../../features/accounts/create.ts';
import { deleteAccount } from '../../../../features/accounts/delete.ts';
import { renewInvite } from '../../../../features/accounts/members.ts';
import { findAccountById, listAccountsPage } from '../../../../features/accounts/sql.ts';
import { viewAccount } from '../../../../features/accounts/view.ts';
import { changeAccountOp } from '../../../../features/accounts/writes.ts';
import { countInboxes } from '../../../../features/inboxes/sql.ts';
import { isoTime } from '../../../../platform/core/clock.ts';
import { fail } from '../../../../platform/core/failure.ts';
import { byNo, page, readPageRange } from '../../../../platform/http/page.ts';
import { cursorParam, defineLimitParam, defineTextFilter } from '../../../../platform/http/query.ts';
import { ok } from '../../../../platform/http/reply.ts';
import type { Route } from '../../../../platform/http/route.ts';
import type { PlatformServices } from '../../../../platform/services.ts';
import { accountKinds, accountStatuses, newPlans, planNames } from '../../../../rules/plans.ts';
import type { DashboardServices } from '../../services.ts';
import type { Visitor } from '../../session.ts';
import type { AccountChoices, AccountInList, CreatedAccountView } from '../../wire.ts';
import { ownerRoute, text } from '../owner-route.ts';

/** The accounts, changed through the operations of `postern account`. */

const Changes = z.strictObject({
  plan: z.enum(planNames, 'is not a plan').optional(),
  status: z.enum(accountStatuses, 'is not a status').optional(),
  kind: z.enum(accountKinds, 'is not a kind').optional(),
  custom_domains: z.boolean('must be a boolean').optional(),
  outbound: z.boolean('must be a boolean').optional(),
  operator: z.boolean('must be a boolean').optional(),
  trap: z.boolean('must be a boolean').optional(),
});

function requireAccount(services: PlatformServices, id: string | undefined): Account {
  return findAccountById(services.store, id ?? '') ?? fail('not_found');
}

/** Keeps operators from locking themselves out. */
function refuseOwn({ account }: Visitor, { no }: Account): void {
  if (account.no === no) {
    fail('conflict', {
      text: 'You can’t do this to your own account. Ask another operator, or use postern account.',
    });
  }
}

function viewRow({ store }: PlatformServices, account: Account): AccountInList {
  return {
    ...viewAccount(account),
    name: account.name,
    inboxes: countInboxes(store, account.no),
    last_active_at: isoTime(account.last_active_at),
  };
}

export const operatorAccountRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'operatorAccounts',
    method: 'GET',
    path: '/dashboard/api/operator/accounts',
    who: 'operator',
    query: {
      limit: defineLimitParam(100, 50),
      cursor: cursorParam,
      q: defineTextFilter('A part of an email, name or id.', 200),
    },
    run({ services, query }) {
      const q = query.q?.trim().toLowerCase() ?? '';
      const scope = ['operator accounts', q];
      const range = readPageRange(services, scope, query);
      const rows = listAccountsPage(services.store, q, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, (account) => viewRow(services, account));
    },
  }),
  ownerRoute({
    name: 'operatorAccountChoices',
    method: 'GET',
    path: '/dashboard/api/operator/account-choices',
    who: 'operator',
    run: () =>
      ok<AccountChoices>({
        plan: planNames,
        status: accountStatuses,
        kind: accountKinds,
        default_plan: newPlans.created,
      }),
  }),
  ownerRoute({
    name: 'operatorCreateAccount',
    method: 'POST',
    path: '/dashboard/api/operator/accounts',
    who: 'operator',
    body: z.strictObject({
      email: text,
      name: text.optional(),
      plan: z.enum(planNames, 'is not a plan'),
    }),
    async run({ services, body }) {
      const input = {
        email: body.email,
        plan: body.plan,
        name: body.name?.trim() || undefined,
      };
      const { account, owner, api_key } = await createAccount(services, input);
      const { invite_path } = await renewInvite(services, account, owner.id);
      return {
        status: 201,
        json: { data: { ...viewRow(services, account), api_key, invite_path } satisfies CreatedAccountView },
      };
    },
  }),
  ownerRoute({
    name: 'operatorChangeAccount',
    method: 'PATCH',
    path: '/dashboard/api/operator/accounts/:id',
    who: 'operator',
    body: Changes,
    async run({ services, visitor, params, body }) {
      const account = requireAccount(services, params.id);
      const shutsOut = body.operator === false || (body.status !== undefined && body.status !== 'active');
      if (shutsOut) refuseOwn(visitor, account);
      const changed = await services.store.write(changeAccountOp, { account_no: account.no, changes: body });
      return ok(viewRow(services, changed));
    },
  }),
  ownerRoute({
    name: 'operatorDeleteAccount',
    method: 'DELETE',
    path: '/dashboard/api/operator/accounts/:id',
    who: 'operator',
    async run({ services, visitor, params }) {
      const account = requireAccount(services, params.id);
      refuseOwn(visitor, account);
      return ok(viewAccount(await deleteAccount(services, account.no)));
    },
  }),
];
