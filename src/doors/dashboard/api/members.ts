import { z } from 'zod';
import { addMember, changeRole, removeMember, renewInvite } from '../../../features/accounts/members.ts';
import { listMembers } from '../../../features/accounts/sql.ts';
import { viewUser } from '../../../features/accounts/view.ts';
import { isoTime, isoTimeOrNull } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { memberRoles } from '../../../rules/plans.ts';
import type { DashboardServices } from '../services.ts';
import type { Visitor } from '../session.ts';
import type { Invited, MemberView } from '../wire.ts';
import { ownerRoute, text } from './owner-route.ts';

/** 404 for a member of another account. */
export function requireMember(services: PlatformServices, { account }: Visitor, userId: string | undefined) {
  return listMembers(services.store, account.no).find(({ id }) => id === userId) ?? fail('not_found');
}

export const memberRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardMembers',
    method: 'GET',
    path: '/dashboard/api/members',
    run: ({ services, visitor, nowUs }) =>
      ok<MemberView[]>(
        listMembers(services.store, visitor.account.no).map((member) => ({
          ...viewUser(member),
          is_you: member.no === visitor.user!.no,
          has_way_in: member.has_way_in === 1,
          has_second_factor: member.has_second_factor === 1,
          passkeys: member.passkeys,
          invited_until:
            member.invited_until !== null && member.invited_until > nowUs
              ? isoTimeOrNull(member.invited_until)
              : null,
          created_at: isoTime(member.created_at),
        })),
      ),
  }),
  ownerRoute({
    name: 'dashboardInviteMember',
    method: 'POST',
    path: '/dashboard/api/members',
    who: 'owner',
    body: z.strictObject({ email: text }),
    async run({ services, visitor, body }) {
      const { user, invite_path } = await addMember(services, visitor.account, body.email);
      return { status: 201, json: { data: { ...viewUser(user), invite_path } satisfies Invited } };
    },
  }),
  ownerRoute({
    name: 'dashboardRenewInvite',
    method: 'POST',
    path: '/dashboard/api/members/:id/link',
    who: 'owner',
    async run({ services, visitor, params }) {
      const { user, invite_path } = await renewInvite(services, visitor.account, params.id ?? '');
      return ok<Invited>({ ...viewUser(user), invite_path });
    },
  }),
  ownerRoute({
    name: 'dashboardChangeRole',
    method: 'PATCH',
    path: '/dashboard/api/members/:id',
    who: 'owner',
    body: z.strictObject({ role: z.enum(memberRoles, 'must be owner or member') }),
    async run({ services, visitor, params, body }) {
      const { email } = requireMember(services, visitor, params.id);
      return ok(viewUser(await changeRole(services, visitor.account, email, body.role)));
    },
  }),
  ownerRoute({
    name: 'dashboardRemoveMember',
    method: 'DELETE',
    path: '/dashboard/api/members/:id',
    who: 'owner',
    async run({ services, visitor, params }) {
      const { email } = requireMember(services, visitor, params.id);
      return ok(viewUser(await removeMember(services, visitor.account, email)));
    },
  }),
];
