import { z } from 'zod';
import type { Release } from '../../../features/outbound/release/diary.ts';
import { releaseMessage } from '../../../features/outbound/release/release.ts';
import { isoTime } from '../../../platform/core/clock.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import type { Released, ReleaseView } from '../wire.ts';

/** Recipients of one request; the setting for sending bounds them further. */
const ENTRIES_MAX = 100;

const addresses = z
  .array(z.string('must be addresses'), 'must be an array of addresses')
  .min(1, 'must have at least one address')
  .max(ENTRIES_MAX, `must have at most ${ENTRIES_MAX} entries`);

export function viewRelease({ at, to, isAccepted, reply }: Release): ReleaseView {
  return { at: isoTime(at), to, is_accepted: isAccepted, reply };
}

export const releaseRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardRelease',
    method: 'POST',
    path: '/dashboard/api/messages/:id/release',
    limits: ['outbound_sends_per_minute'],
    waits: true,
    body: z.strictObject({ to: addresses }),
    async run({ services, visitor: { account }, params, body }) {
      const { releases, isExact } = await releaseMessage(services, account.no, params.id ?? '', body.to);
      return ok<Released>({ releases: releases.map(viewRelease), is_exact: isExact });
    },
  }),
];
