import { z } from 'zod';
import { findSeenInbox } from '../../../features/inboxes/sql.ts';
import { findInAccount, findInInbox } from '../../../features/messages/find.ts';
import { listFilters } from '../../../features/messages/query/query.ts';
import type { MessageFilter } from '../../../features/messages/sql.ts';
import { deleteBatchOp } from '../../../features/messages/writes.ts';
import { readSince } from '../../../features/waits/since.ts';
import { fail, failField } from '../../../platform/core/failure.ts';
import { QueryRefused } from '../../../platform/http/query.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';

/** Messages that are deleted in one transaction: new mail waits for it. */
const SLICE_ROWS = 200;

const Listed = z.strictObject({
  inbox_id: z.string('must be an inbox id or null').nullable(),
  search: z.string('must be a string').max(1_000, 'is too long'),
  /** The newest message of the list. Messages that arrived after it were not seen, so they stay. */
  through: z.string('must be a message id'),
});

export const deleteListedRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardDeleteListed',
    method: 'POST',
    path: '/dashboard/api/messages/delete-listed',
    body: Listed,
    /** Continues after the browser has disconnected: a closing page sends this as its last request. */
    async run({ services, visitor: { account }, body }) {
      const { store } = services;
      const inbox = body.inbox_id === null ? null : findSeenInbox(store, account.no, body.inbox_id);
      if (body.inbox_id !== null && !inbox) fail('not_found');
      const since = readSince(store, account.no, body.through);
      if (!since || !('after' in since)) return failField('through', 'must be the id of a message');
      const filter: MessageFilter = { ...everything, search: readSearchText(body.search) };
      let before = since.after + 1;
      let changed = 0;
      const options = { owner: account.id, signal: new AbortController().signal };
      for (;;) {
        const limits = { filter, before, limit: SLICE_ROWS };
        const rows = inbox
          ? await findInInbox(store, { inbox_no: inbox.no, ...limits }, options)
          : await findInAccount(store, { account_no: account.no, ...limits }, options);
        const last = rows.at(-1);
        if (!last) return ok({ changed });
        const ids = rows.map(({ id }) => id);
        changed += (await store.write(deleteBatchOp, { account_no: account.no, ids })).filter(Boolean).length;
        before = last.received_at;
      }
    },
  }),
];

const everything = { has_otp: false, read: null, q: null, subject_contains: null, from: null } as const;

function readSearchText(text: string): MessageFilter['search'] {
  try {
    return listFilters.search.read(text.trim() === '' ? null : text);
  } catch (thrown) {
    if (thrown instanceof QueryRefused) return failField('search', thrown.message);
    throw thrown;
  }
}
