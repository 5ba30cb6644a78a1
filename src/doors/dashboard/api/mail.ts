import { z } from 'zod';
import { checkRoutes } from '../../../features/checks/routes.ts';
import { inboxRoutes } from '../../../features/inboxes/routes.ts';
import { senderRoutes } from '../../../features/inboxes/senders/routes.ts';
import { findOwnInbox } from '../../../features/inboxes/sql.ts';
import { viewInbox } from '../../../features/inboxes/view.ts';
import { acceptRoutes } from '../../../features/ingest/accept/routes.ts';
import { byReceivedAt, findInAccount, findInInbox } from '../../../features/messages/find.ts';
import { listFilters, makeListScope } from '../../../features/messages/query/query.ts';
import { messageRoutes } from '../../../features/messages/routes.ts';
import { findOwnMessage, findOwnRaw } from '../../../features/messages/sql.ts';
import { viewMessage } from '../../../features/messages/view.ts';
import { withheldRoutes } from '../../../features/messages/withheld/routes.ts';
import { deleteBatchOp, markBatchOp } from '../../../features/messages/writes.ts';
import { outboundRoutes } from '../../../features/outbound/routes.ts';
import { threadRoutes } from '../../../features/threads/routes.ts';
import { findOwnThread } from '../../../features/threads/sql.ts';
import { isoTimeOrNull } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { byNo, page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam, defineTextFilter } from '../../../platform/http/query.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import { dashboardRoute, mirrorRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import {
  countUnread,
  findInboxAddress,
  type InboxRow,
  listCopies,
  listMessage,
  listWithUnread,
  searchInboxes,
} from '../sql.ts';
import type { InboxWithUnread, OpenedMessage } from '../wire.ts';
import { isMail } from './attached-mail.ts';
import { mirrorOwnerRoute } from './owner-route.ts';
import { viewRelease } from './release.ts';
import { loadsRemote } from './remote-content.ts';
import { isPicture } from './views.ts';

/** What the Mail page does through the API's own routes. */
const MIRRORED = [
  'createInbox',
  'getInbox',
  'deleteInbox',
  'getRawMessage',
  'getAttachment',
  'setMessageTags',
  'checkMessage',
  'getThread',
  'getSenders',
  'setSenders',
  'listWithheldMessages',
  'acceptMessage',
  'deleteMessage',
];
/** Mirrored too, but not in capture mode, which sends nothing whatever the settings say. */
const SENDING = ['replyToMessage', 'forwardMessage', 'composeEmail'];
export const IDS_MAX = 500;

const Ids = z.array(z.string('must be message ids')).min(1).max(IDS_MAX, `must have at most ${IDS_MAX} ids`);

function viewWithUnread(row: InboxRow): InboxWithUnread {
  return { ...viewInbox(row), unread: row.unread, last_at: isoTimeOrNull(row.last_at) };
}

export const mailRoutes: readonly Route<DashboardServices>[] = [
  ...[
    ...inboxRoutes,
    ...senderRoutes,
    ...messageRoutes,
    ...withheldRoutes,
    ...acceptRoutes,
    ...checkRoutes,
    ...threadRoutes,
  ]
    .filter(({ name }) => MIRRORED.includes(name))
    .map(mirrorRoute),
  ...outboundRoutes.filter(({ name }) => SENDING.includes(name)).map(mirrorOwnerRoute),
  dashboardRoute({
    name: 'dashboardInboxes',
    method: 'GET',
    path: '/dashboard/api/inboxes',
    query: {
      limit: defineLimitParam(100, 100),
      cursor: cursorParam,
      q: defineTextFilter('Part of address or label.', 200),
    },
    async run({ services, visitor, query, request: { signal } }) {
      const { no: accountNo, id: owner } = visitor.account;
      const like = (query.q ?? '').toLowerCase();
      const scope = ['dashboard.inboxes', accountNo, like];
      const range = readPageRange(services, scope, query);
      const [before, wanted] = [range.before, range.rowsWanted];
      const rows =
        like === ''
          ? listWithUnread(services.store, accountNo, like, before, wanted)
          : await services.store.read(
              searchInboxes,
              { account_no: accountNo, like, before, rows: wanted },
              { owner, signal },
            );
      return page(services, range, rows, byNo, viewWithUnread);
    },
  }),
  dashboardRoute({
    name: 'dashboardUnread',
    method: 'GET',
    path: '/dashboard/api/unread',
    run: ({ services, visitor }) => ok({ unread: countUnread(services.store, visitor.account.no) }),
  }),
  dashboardRoute({
    name: 'dashboardMessages',
    method: 'GET',
    path: '/dashboard/api/messages',
    query: { limit: defineLimitParam(IDS_MAX, 50), cursor: cursorParam, ...listFilters },
    async run({ services, visitor, query, request: { signal } }) {
      const { limit, cursor, ...filter } = query;
      const { no: accountNo, id: owner } = visitor.account;
      const scope = ['dashboard.messages', accountNo, ...makeListScope(filter)];
      const range = readPageRange(services, scope, { limit, cursor });
      const search = { account_no: accountNo, filter, before: range.before, limit: range.rowsWanted };
      const rows = await findInAccount(services.store, search, { owner, signal });
      return page(services, range, rows, byReceivedAt, (row) => listMessage(services.store, row));
    },
  }),
  dashboardRoute({
    name: 'dashboardInboxMessages',
    method: 'GET',
    path: '/dashboard/api/inboxes/:id/messages',
    query: { limit: defineLimitParam(IDS_MAX, 50), cursor: cursorParam, ...listFilters },
    async run({ services, visitor, params, query, request: { signal } }) {
      const { limit, cursor, ...filter } = query;
      const { no: accountNo, id: owner } = visitor.account;
      const { no } = findOwnInbox(services.store, accountNo, params.id ?? '') ?? fail('not_found');
      const scope = ['dashboard.inbox', accountNo, no, ...makeListScope(filter)];
      const range = readPageRange(services, scope, { limit, cursor });
      const search = { inbox_no: no, filter, before: range.before, limit: range.rowsWanted };
      const rows = await findInInbox(services.store, search, { owner, signal });
      return page(services, range, rows, byReceivedAt, (row) => listMessage(services.store, row));
    },
  }),
  dashboardRoute({
    name: 'dashboardMessage',
    method: 'GET',
    path: '/dashboard/api/messages/:id',
    run({ services, visitor, params }) {
      const id = params.id ?? '';
      const row = findOwnMessage(services.store, visitor.account.no, id) ?? fail('not_found');
      const { helo, client_address, protocol } =
        findOwnRaw(services.store, visitor.account.no, id) ?? fail('not_found');
      const message = viewMessage(row);
      // Its frame is requested next.
      if (message.html !== '') services.mailReader.prestartViews();
      return ok<OpenedMessage>({
        ...message,
        address: findInboxAddress(services.store, message.inbox_id),
        thread_messages: findOwnThread(services.store, visitor.account.no, message.thread_id)?.messages ?? 1,
        recipients: listCopies(services.store, visitor.account.no, id)
          .reverse()
          .map((copy) => ({ id: copy.id, address: copy.envelope_recipient })),
        session: { helo, client_address, protocol },
        remote_content: loadsRemote(message.html),
        pictures: message.attachments.filter(isPicture).map(({ index }) => index),
        mails: message.attachments.filter(isMail).map(({ index }) => index),
        releases: services.releases.list(id).map(viewRelease),
      });
    },
  }),
  dashboardRoute({
    name: 'dashboardMark',
    method: 'POST',
    path: '/dashboard/api/messages/mark',
    body: z.strictObject({ ids: Ids, read: z.boolean('must be true or false') }),
    async run({ services, visitor, body }) {
      const done = await services.store.write(markBatchOp, { account_no: visitor.account.no, ...body });
      return ok({ changed: done.filter(Boolean).length });
    },
  }),
  dashboardRoute({
    name: 'dashboardDelete',
    method: 'POST',
    path: '/dashboard/api/messages/delete',
    body: z.strictObject({ ids: Ids }),
    async run({ services, visitor, body }) {
      const done = await services.store.write(deleteBatchOp, { account_no: visitor.account.no, ...body });
      return ok({ changed: done.filter(Boolean).length });
    },
  }),
];
