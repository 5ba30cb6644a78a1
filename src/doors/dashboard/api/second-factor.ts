import { z } from 'zod';
import {
  removeSecondFactor,
  renewRecoveryCodes,
  setSecondFactor,
} from '../../../features/accounts/second-factor/manage.ts';
import { countRecoveryCodes, findTotp } from '../../../features/accounts/second-factor/sql.ts';
import { createTotpSecret, formatUri } from '../../../features/accounts/second-factor/totp.ts';
import type {
  NewSecondFactor,
  RecoveryCodes,
  SecondFactorState,
} from '../../../features/accounts/second-factor/wire.ts';
import { resetTotpOp } from '../../../features/accounts/second-factor/writes.ts';
import { viewUser } from '../../../features/accounts/view.ts';
import { isoTimeOrNull } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import { makePerson } from '../session.ts';
import { requireMember } from './members.ts';
import { ownerRoute, text } from './owner-route.ts';

/** A person's second factor: an authenticator app and recovery codes. */

const OWN = 'Remove your own second factor and passkeys under Profile.';

export const secondFactorRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardSecondFactor',
    method: 'GET',
    path: '/dashboard/api/second-factor',
    run({ services: { store }, visitor }) {
      const { no } = visitor.user!;
      return ok<SecondFactorState>({
        added_at: isoTimeOrNull(findTotp(store, no)?.created_at ?? null),
        recovery_codes: countRecoveryCodes(store, no),
      });
    },
  }),
  ownerRoute({
    name: 'dashboardNewSecondFactor',
    method: 'POST',
    path: '/dashboard/api/second-factor/new',
    run({ services: { settings }, visitor }) {
      const secret = createTotpSecret();
      const issuer = `Postern ${settings.mail_domain}`;
      return ok<NewSecondFactor>({ secret, uri: formatUri(secret, visitor.user!.email, issuer) });
    },
  }),
  ownerRoute({
    name: 'dashboardSetSecondFactor',
    method: 'POST',
    path: '/dashboard/api/second-factor',
    body: z.strictObject({ current_password: text, secret: text, code: text }),
    run: async ({ services, visitor, client, body }) =>
      ok<RecoveryCodes>({
        recovery_codes: await setSecondFactor(services, makePerson(visitor, client), body),
      }),
  }),
  ownerRoute({
    name: 'dashboardRenewRecoveryCodes',
    method: 'POST',
    path: '/dashboard/api/second-factor/recovery-codes',
    body: z.strictObject({ current_password: text }),
    run: async ({ services, visitor, client, body }) =>
      ok<RecoveryCodes>({
        recovery_codes: await renewRecoveryCodes(
          services,
          makePerson(visitor, client),
          body.current_password,
        ),
      }),
  }),
  ownerRoute({
    name: 'dashboardRemoveSecondFactor',
    method: 'POST',
    path: '/dashboard/api/second-factor/remove',
    body: z.strictObject({ current_password: text }),
    async run({ services, visitor, client, body }) {
      await removeSecondFactor(services, makePerson(visitor, client), body.current_password);
      return ok({});
    },
  }),
  ownerRoute({
    name: 'dashboardResetSecondFactor',
    method: 'DELETE',
    path: '/dashboard/api/members/:id/second-factor',
    who: 'owner',
    async run({ services, visitor, params }) {
      const { no, email } = requireMember(services, visitor, params.id);
      // Owners remove their own under Profile, where they must prove who they are.
      if (no === visitor.user?.no) fail('conflict', { text: OWN });
      return ok(viewUser(await services.store.write(resetTotpOp, { account_no: visitor.account.no, email })));
    },
  }),
];
