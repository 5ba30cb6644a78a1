import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { makeStream, sliceBytes } from '../../platform/core/streamed.ts';
import { describeData, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../platform/http/query.ts';
import { answerRange } from '../../platform/http/range.ts';
import { nothing, ok } from '../../platform/http/reply.ts';
import { type Principal, routeOn } from '../../platform/http/route.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import type { HeldServices, PlatformServices } from '../../platform/services.ts';
import { TAG, TAGS_MAX } from '../../rules/tags.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import { findInboxByAddress, findSeenInbox } from '../inboxes/sql.ts';
import { makeAttachmentHeaders, readAttachmentBytes } from './attachment.ts';
import { byReceivedAt, findInAccount, findInInbox } from './find.ts';
import { listFilters, makeListScope } from './query/query.ts';
import { openRawMail } from './raw.ts';
import { findLatestMessage, findOwnMessage, findOwnRaw, listMessages } from './sql.ts';
import { readOrElse } from './unreadable.ts';
import { viewMessage, viewPublic, viewSummary } from './view.ts';
import { Message, MessageSummary, messageLinks, PublicMessage, summaryLinks } from './wire.ts';
import { deleteBatchOp, deleteMessageOp, markBatchOp, markMessageOp, setTagsOp } from './writes.ts';

const tag = 'Messages';
const BATCH_IDS_MAX = 100;

const MarkMessage = z.strictObject({ read: z.boolean('must be true or false') }).meta({ id: 'MarkMessage' });

const MessageTags = z
  .strictObject({
    tags: z
      .array(
        z.string('must be tags').regex(TAG, 'must be tags of 1 to 40 characters of a-z 0-9 _ -'),
        'must be an array of tags',
      )
      .refine((tags) => new Set(tags).size <= TAGS_MAX, `has more than ${TAGS_MAX} tags`)
      .meta({ description: `At most ${TAGS_MAX} different tags. Their order is kept.` }),
  })
  .meta({ id: 'MessageTags' });

/** Clients can request ranges, and see by the ETag whether the bytes are still the same. */
const partHeaders = {
  200: ['Accept-Ranges', 'ETag'],
  206: ['Accept-Ranges', 'Content-Range', 'ETag'],
  304: ['Accept-Ranges', 'ETag'],
} as const;

const Batch = z
  .strictObject({
    action: z.enum(['mark_read', 'delete', 'fetch'], 'must be mark_read, delete or fetch'),
    ids: z
      .array(z.string('must be message ids'), 'must be an array of message ids')
      .min(1, 'must have at least one id')
      .max(BATCH_IDS_MAX, `must have at most ${BATCH_IDS_MAX} ids`),
  })
  .meta({ id: 'MessageBatch' });

const BatchResult = z
  .object({
    id: z.string(),
    status: z
      .enum(['ok', 'deleted', 'not_found', 'error'])
      .describe(
        '`error` (only with `fetch`): the message exists, but the server could not read it. Fetch it again. ' +
          "If the first one can't be read, the response is 500.",
      ),
    message: Message.optional(),
  })
  .meta({ id: 'MessageBatchResult' });

const BatchResults = z.object({ results: z.array(BatchResult) }).meta({ id: 'MessageBatchResults' });

/** Not a page: it has no cursor (docs/api-v1.md, Public read). */
const PublicMessageList = z.object({ data: z.array(PublicMessage) }).meta({ id: 'PublicMessageList' });

const route = routeOn<HeldServices>();

export const messageRoutes = [
  route({
    name: 'listMessages',
    method: 'GET',
    path: '/api/v1/inboxes/:id/messages',
    summary: "List an inbox's messages",
    description: 'Returns message summaries, newest first. A message must match all filters.',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam, ...listFilters },
    responses: { 200: describePage(MessageSummary) },
    links: summaryLinks,
    async run({ services, caller, params, query, request: { signal } }) {
      const { limit, cursor, ...filter } = query;
      const inbox = findSeenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const { recipient } = inbox;
      const through = recipient === null ? [] : [recipient.toLowerCase()];
      const scope = ['messages', caller.account.no, inbox.no, ...makeListScope(filter), ...through];
      const range = readPageRange(services, scope, { limit, cursor });
      const search = {
        inbox_no: inbox.no,
        filter: { ...filter, recipient },
        before: range.before,
        limit: range.rowsWanted,
      };
      const rows = await findInInbox(services.store, search, { owner: caller.account.id, signal });
      return page(services, range, rows, byReceivedAt, viewSummary);
    },
  }),
  route({
    name: 'listAccountMessages',
    method: 'GET',
    path: '/api/v1/messages',
    summary: 'List the messages of all inboxes',
    description: 'Returns message summaries, newest first. A message must match all filters.',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam, ...listFilters },
    responses: { 200: describePage(MessageSummary) },
    links: summaryLinks,
    async run({ services, caller: { account }, query, request: { signal } }) {
      const { limit, cursor, ...filter } = query;
      const scope = ['messages.account', account.no, ...makeListScope(filter)];
      const range = readPageRange(services, scope, { limit, cursor });
      const search = { account_no: account.no, filter, before: range.before, limit: range.rowsWanted };
      const rows = await findInAccount(services.store, search, { owner: account.id, signal });
      return page(services, range, rows, byReceivedAt, viewSummary);
    },
  }),
  route({
    name: 'getLatestMessage',
    method: 'GET',
    path: '/api/v1/inboxes/:id/messages/latest',
    summary: "Get an inbox's latest message",
    description: 'An inbox without messages gets `not_found`.',
    tag,
    responses: { 200: describeData(Message) },
    links: messageLinks,
    run({ services, caller, params }) {
      const inbox = findSeenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const newest = findLatestMessage(services.store, inbox.no, inbox.recipient);
      return ok(viewMessage(newest ?? fail('not_found')));
    },
  }),
  route({
    name: 'getMessage',
    method: 'GET',
    path: '/api/v1/messages/:id',
    summary: 'Get a message',
    tag,
    responses: { 200: describeData(Message) },
    links: messageLinks,
    run: ({ services, caller, params }) => ok(requireMessage(services, caller, params.id)),
  }),
  route({
    name: 'markMessage',
    method: 'PATCH',
    path: '/api/v1/messages/:id',
    summary: 'Mark a message read or unread',
    description: 'Returns the message. A message that is read already keeps its `read_at`.',
    tag,
    body: MarkMessage,
    responses: { 200: describeData(Message) },
    fails: ['conflict'],
    links: messageLinks,
    async run({ services, caller, params, body }) {
      const id = params.id ?? '';
      await services.store.write(markMessageOp, { account_no: caller.account.no, id, read: body.read });
      return ok(requireMessage(services, caller, id));
    },
  }),
  route({
    name: 'setMessageTags',
    method: 'PUT',
    path: '/api/v1/messages/:id/tags',
    summary: "Set a message's tags",
    description: 'Replaces all tags of the message, and returns it.',
    tag,
    body: MessageTags,
    responses: { 200: describeData(Message) },
    fails: ['conflict'],
    links: messageLinks,
    async run({ services, caller, params, body }) {
      const id = params.id ?? '';
      const tags = [...new Set(body.tags)];
      await services.store.write(setTagsOp, { account_no: caller.account.no, id, tags });
      return ok(requireMessage(services, caller, id));
    },
  }),
  route({
    name: 'deleteMessage',
    method: 'DELETE',
    path: '/api/v1/messages/:id',
    summary: 'Delete a message',
    tag,
    responses: { 204: null },
    async run({ services, caller, params }) {
      await services.store.write(deleteMessageOp, { account_no: caller.account.no, id: params.id ?? '' });
      return nothing();
    },
  }),
  route({
    name: 'batchMessages',
    method: 'POST',
    path: '/api/v1/messages/batch',
    summary: 'Mark, delete or fetch several messages',
    description:
      'Applies one action to up to 100 messages, and returns a result for each id, in the order of the request.',
    tag,
    limits: ['batch_per_hour'],
    entitle({ account }, { plans }) {
      if (plans[account.plan].batch === 0) fail('plan_upgrade_required');
    },
    body: Batch,
    responses: { 200: describeData(BatchResults) },
    fails: ['plan_upgrade_required'],
    async run({ services, caller, body: { action, ids } }) {
      const accountNo = caller.account.no;
      if (action === 'fetch') {
        const bytes = makeStream(services, makeFetchedPieces(services, accountNo, ids));
        return { status: 200, bytes, headers: { 'content-type': 'application/json; charset=utf-8' } };
      }
      const done = await (action === 'delete'
        ? services.store.write(deleteBatchOp, { account_no: accountNo, ids })
        : services.store.write(markBatchOp, { account_no: accountNo, ids, read: true }));
      const success = action === 'delete' ? 'deleted' : 'ok';
      return ok({ results: ids.map((id, index) => ({ id, status: done[index] ? success : 'not_found' })) });
    },
  }),
  route({
    name: 'getRawMessage',
    method: 'GET',
    path: '/api/v1/messages/:id/raw',
    summary: 'Download a raw message',
    description:
      'Returns the bytes as received, with a Return-Path and a Received header of this server on top.',
    tag,
    content: ['message/rfc822'],
    responses: { 200: null, 206: null, 304: null },
    sends: partHeaders,
    fails: ['range_not_satisfiable'],
    run({ services, caller, params, request, requestId }) {
      const raw = findOwnRaw(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return answerRange(request, requestId, openRawMail(services, raw));
    },
  }),
  route({
    name: 'getAttachment',
    method: 'GET',
    path: '/api/v1/messages/:id/attachments/:index',
    summary: 'Download an attachment',
    description: 'Returns the decoded bytes.',
    tag,
    content: ['*/*'],
    responses: { 200: null, 206: null, 304: null },
    sends: {
      200: ['Content-Disposition', ...partHeaders[200]],
      206: ['Content-Disposition', ...partHeaders[206]],
      304: ['Content-Disposition', ...partHeaders[304]],
    },
    fails: ['range_not_satisfiable'],
    async run({ services, caller, params, request, requestId }) {
      const raw = findOwnRaw(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const info = readContent(raw).attachments.find(({ index }) => String(index) === params.index);
      if (!info) fail('not_found');
      const held = services.heldBytes.take(caller.account.no, info.size);
      try {
        const bytes = await readAttachmentBytes(services, caller.account.no, raw, info.index);
        if (!bytes) throw new Error(`attachment ${info.index} of ${raw.id} could not be read`);
        const answer = answerRange(request, requestId, {
          size: bytes.length,
          etag: `"${raw.id}-${info.index}-${bytes.length}"`,
          headers: makeAttachmentHeaders(info),
          read: (from, to) => makeStream(services, sliceBytes(bytes.subarray(from, to)), held),
        });
        if (!answer.bytes) held.release();
        return answer;
      } catch (fault) {
        held.release();
        throw fault;
      }
    },
  }),
  route({
    name: 'readPublicMessages',
    method: 'GET',
    path: '/api/v1/public/emails/:email/messages',
    summary: "List a public inbox's messages",
    description:
      'Needs no key. Returns the newest messages; an inbox that is not public gets the same 404 as an unknown one.',
    tag: 'Public read',
    auth: 'none',
    limits: ['public_read_per_minute'],
    query: { limit: defineLimitParam(20, 20) },
    responses: { 200: PublicMessageList },
    run({ services, params, query }) {
      const address = (params.email ?? '').toLowerCase();
      const inbox = findInboxByAddress(services.store, address);
      // Every miss looks the same, so that nobody can find out which addresses exist.
      const isShared = address.endsWith(`@${services.settings.mail_domain}`);
      if (!inbox || !isShared || inbox.is_public === 0 || inbox.is_enabled === 0) return fail('not_found');
      if (findAccountByNo(services.store, inbox.account_no)?.status !== 'active') return fail('not_found');
      const all = { has_otp: false, read: null };
      return ok(
        listMessages(services.store, inbox.no, all, Number.MAX_SAFE_INTEGER, query.limit).map(viewPublic),
      );
    },
  }),
];

function requireMessage({ store }: PlatformServices, { account }: Principal, id = '') {
  return viewMessage(findOwnMessage(store, account.no, id) ?? fail('not_found'));
}

/** Writes the response to `fetch` one message at a time, because a hundred messages may have 100 MiB. */
function makeFetchedPieces(
  services: PlatformServices,
  accountNo: number,
  ids: readonly string[],
): Generator<Uint8Array> {
  const [firstId = '', ...others] = ids;
  // Read now, before the status line is sent, while a failure can still be answered with 500.
  const first = fetchOne(services, accountNo, firstId);
  return (function* () {
    yield Buffer.from(`{"data":{"results":[${JSON.stringify(first)}`);
    for (const id of others) yield Buffer.from(`,${JSON.stringify(fetchLater(services, accountNo, id))}`);
    yield Buffer.from(']}}');
  })();
}

function fetchOne({ store }: PlatformServices, accountNo: number, id: string) {
  const row = findOwnMessage(store, accountNo, id);
  return row ? { id, status: 'ok', message: viewMessage(row) } : { id, status: 'not_found' };
}

function fetchLater(services: PlatformServices, accountNo: number, id: string) {
  // The status line is sent already, and the other messages can still be returned.
  const fetch = () => fetchOne(services, accountNo, id);
  return readOrElse<object>(services, id, fetch, () => ({ id, status: 'error' }));
}
