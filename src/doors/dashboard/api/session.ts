import { z } from 'zod';
import { changePassword } from '../../../features/accounts/sessions/sign-in.ts';
import { listMemberships, listSessions } from '../../../features/accounts/sessions/sql.ts';
import {
  endOwnSessionOp,
  endSessionsOp,
  switchSessionOp,
} from '../../../features/accounts/sessions/writes.ts';
import { isoTime } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { formatToken } from '../cookie.ts';
import type { DashboardServices } from '../services.ts';
import type { MembershipView, SessionView } from '../wire.ts';
import { ownerRoute, text } from './owner-route.ts';
import { readBrowser, replySignedIn } from './sign-in.ts';

/** A person's own sessions, password and accounts. They can leave an account that is suspended, though not see it. */

export const sessionRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardSessions',
    method: 'GET',
    path: '/dashboard/api/sessions',
    run({ services, visitor, nowUs }) {
      const rows = listSessions(services.store, visitor.user!.no, nowUs);
      return ok<SessionView[]>(
        rows.map(({ no, id, browser, created_at, seen_at }) => ({
          id,
          browser,
          is_this: no === visitor.session!.no,
          created_at: isoTime(created_at),
          seen_at: isoTime(seen_at),
        })),
      );
    },
  }),
  ownerRoute({
    name: 'dashboardEndSession',
    method: 'DELETE',
    path: '/dashboard/api/sessions/:id',
    async run({ services, visitor, params }) {
      await services.store.write(endOwnSessionOp, { user_no: visitor.user!.no, id: params.id ?? '' });
      return ok({});
    },
  }),
  ownerRoute({
    name: 'dashboardSignOutEverywhere',
    method: 'POST',
    path: '/dashboard/api/sessions/end-all',
    body: z.strictObject({ keep_this: z.boolean('must be a boolean') }),
    async run({ services, request, visitor, body }) {
      const { no } = visitor.session!;
      const ended = await services.store.write(endSessionsOp, {
        session_no: no,
        but: body.keep_this ? no : null,
      });
      if (body.keep_this) return ok({ ended });
      return { ...ok({ ended }), headers: { 'set-cookie': formatToken(null, request, services.settings) } };
    },
  }),
  ownerRoute({
    name: 'dashboardChangePassword',
    method: 'POST',
    path: '/dashboard/api/password',
    body: z.strictObject({ current_password: text, password: text }),
    async run({ services, request, client, visitor, body }) {
      const { token, ...browser } = readBrowser(request, services, client.ip);
      if (token === null) fail('authentication_required');
      return replySignedIn(
        await changePassword(services, visitor.session!, body, { ...browser, token }),
        request,
        services,
      );
    },
  }),
  ownerRoute({
    name: 'dashboardMemberships',
    method: 'GET',
    path: '/dashboard/api/accounts',
    who: 'person',
    run({ services, visitor }) {
      const session = visitor.session!;
      return ok<MembershipView[]>(
        listMemberships(services.store, session.no).map(({ account, role }) => ({
          account_id: account.id,
          name: account.name,
          plan: account.plan,
          status: account.status,
          role,
          is_this: account.no === session.account.no,
        })),
      );
    },
  }),
  ownerRoute({
    name: 'dashboardSwitchAccount',
    method: 'POST',
    path: '/dashboard/api/accounts/switch',
    who: 'person',
    body: z.strictObject({ account_id: text }),
    async run({ services, visitor, body }) {
      await services.store.write(switchSessionOp, { no: visitor.session!.no, account_id: body.account_id });
      return ok({});
    },
  }),
];
