import { z } from 'zod';
import { createKey } from '../../../features/accounts/keys/create.ts';
import { revokeKeyOp } from '../../../features/accounts/keys/writes.ts';
import { findKeyById, listKeys, listUsers } from '../../../features/accounts/sql.ts';
import { viewKey } from '../../../features/accounts/view.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import type { Visitor } from '../session.ts';
import type { CreatedKey, ListedKey } from '../wire.ts';
import { ownerRoute, text } from './owner-route.ts';

/** An owner sees all keys of the account, a member only those they created. A key has its creator's role. */
function maySee({ role, user }: Visitor, key: { user_no: number | null }): boolean {
  return role === 'owner' || (user !== null && key.user_no === user.no);
}

const isRevoked = ({ revoked_at }: { revoked_at: number | null }) => revoked_at !== null;

export const keyRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardKeys',
    method: 'GET',
    path: '/dashboard/api/keys',
    run({ services, visitor }) {
      const { no } = visitor.account;
      const emails = new Map(listUsers(services.store, no).map((user) => [user.no, user.email]));
      const keys = listKeys(services.store, no).filter((key) => maySee(visitor, key));
      // A program that renews its key often leaves up to a thousand revoked keys around the one that works.
      const [revoked, live] = [keys.filter(isRevoked), keys.filter((key) => !isRevoked(key))];
      return ok<ListedKey[]>(
        [...live.reverse(), ...revoked.reverse()].map((key) => ({
          ...viewKey(key),
          minted_by: key.user_no === null ? null : (emails.get(key.user_no) ?? null),
        })),
      );
    },
  }),
  ownerRoute({
    name: 'dashboardCreateKey',
    method: 'POST',
    path: '/dashboard/api/keys',
    limits: ['dashboard_keys_per_hour'],
    body: z.strictObject({ name: text }),
    async run({ services, visitor, body }) {
      const input = { as: visitor.user!.email, name: body.name };
      const { key, api_key } = await createKey(services, visitor.account, input);
      return { status: 201, json: { data: { ...viewKey(key), api_key } satisfies CreatedKey } };
    },
  }),
  ownerRoute({
    name: 'dashboardRevokeKey',
    method: 'DELETE',
    path: '/dashboard/api/keys/:id',
    async run({ services, visitor, params }) {
      const key = findKeyById(services.store, params.id ?? '');
      if (key?.account_no !== visitor.account.no || !maySee(visitor, key)) fail('not_found');
      return ok(viewKey(await services.store.write(revokeKeyOp, { id: key.id })));
    },
  }),
];
