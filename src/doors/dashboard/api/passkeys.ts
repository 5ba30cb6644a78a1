import { z } from 'zod';
import { readPasskeyName } from '../../../features/accounts/passkeys/ceremonies.ts';
import {
  addPasskey,
  beginConfirmation,
  beginPasskey,
  hasUsablePassword,
  removePasskey,
} from '../../../features/accounts/passkeys/manage.ts';
import { findSignInOptions, viewPlace } from '../../../features/accounts/passkeys/place.ts';
import { listPasskeys, type Passkey } from '../../../features/accounts/passkeys/sql.ts';
import {
  Assertion,
  type Ceremony,
  Creation,
  type PasskeyState,
  type PasskeyView,
} from '../../../features/accounts/passkeys/wire.ts';
import { renamePasskeyOp } from '../../../features/accounts/passkeys/writes.ts';
import { isoTime, isoTimeOrNull } from '../../../platform/core/clock.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import { makePerson } from '../session.ts';
import { ownerRoute, text } from './owner-route.ts';

/** A person's own passkeys. Signing in with one is in passkey-sign-in.ts. */

/** How a change is confirmed: with the password, or with a passkey. */
export const confirmation = {
  current_password: text.optional(),
  passkey: z.strictObject({ pending: text, answer: Assertion }).optional(),
};

function viewPasskey(passkey: Passkey, rpId: string | null): PasskeyView {
  const { id, name, rp_id, is_synced, created_at, used_at } = passkey;
  return {
    id,
    name,
    is_synced: is_synced === 1,
    other_host: rp_id === rpId ? null : rp_id,
    created_at: isoTime(created_at),
    used_at: isoTimeOrNull(used_at),
  };
}

export const passkeyRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardPasskeys',
    method: 'GET',
    path: '/dashboard/api/passkeys',
    run({ services, visitor }) {
      const { no } = visitor.user!;
      const { rp_id: rpId } = findSignInOptions(services);
      return ok<PasskeyState>({
        place: viewPlace(services),
        passkeys: listPasskeys(services.store, no).map((passkey) => viewPasskey(passkey, rpId)),
        has_password: hasUsablePassword(services, no),
      });
    },
  }),
  ownerRoute({
    name: 'dashboardConfirmByPasskey',
    method: 'POST',
    path: '/dashboard/api/passkeys/confirm',
    run: async ({ services, visitor, client }) =>
      ok<Ceremony>(await beginConfirmation(services, makePerson(visitor, client))),
  }),
  ownerRoute({
    name: 'dashboardNewPasskey',
    method: 'POST',
    path: '/dashboard/api/passkeys/new',
    body: z.strictObject(confirmation),
    run: async ({ services, visitor, client, body }) =>
      ok<Ceremony>(await beginPasskey(services, makePerson(visitor, client), body)),
  }),
  ownerRoute({
    name: 'dashboardAddPasskey',
    method: 'POST',
    path: '/dashboard/api/passkeys',
    body: z.strictObject({ pending: text, answer: Creation, name: text }),
    async run({ services, visitor, client, body }) {
      await addPasskey(services, makePerson(visitor, client), body);
      return ok({});
    },
  }),
  ownerRoute({
    name: 'dashboardRenamePasskey',
    method: 'PATCH',
    path: '/dashboard/api/passkeys/:id',
    body: z.strictObject({ name: text }),
    async run({ services, visitor, params, body }) {
      const whose = { session_no: visitor.session!.no, user_no: visitor.user!.no };
      const change = { id: params.id ?? '', name: readPasskeyName(body.name) };
      await services.store.write(renamePasskeyOp, { ...whose, ...change });
      return ok({});
    },
  }),
  ownerRoute({
    name: 'dashboardRemovePasskey',
    method: 'POST',
    path: '/dashboard/api/passkeys/:id/remove',
    body: z.strictObject(confirmation),
    async run({ services, visitor, client, params, body }) {
      await removePasskey(services, makePerson(visitor, client), params.id ?? '', body);
      return ok({});
    },
  }),
];
