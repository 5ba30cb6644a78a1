import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { dataOf, page, pageOf, pageWish } from '../../platform/http/page.ts';
import { cursorParam, limitParam, type Param, textFilter } from '../../platform/http/query.ts';
import { answerRange } from '../../platform/http/range.ts';
import { nothing, ok } from '../../platform/http/reply.ts';
import { type Call, type Principal, routeOn } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { inboxByAddress, seenInbox } from '../inboxes/sql.ts';
import { attachmentBytes, attachmentHeaders } from './attachment.ts';
import { rawMail } from './raw.ts';
import { type Search, searchMessages } from './search.ts';
import { latestMessage, listMessages, ownMessage, ownRaw, type SummaryRow } from './sql.ts';
import { type MessageServices, slicesOf, streamOf } from './streamed.ts';
import { contentOf, messageView, publicView, summaryView } from './view.ts';
import { Message, MessageSummary, PublicMessage } from './wire.ts';
import { deleteBatchOp, deleteMessageOp, markBatchOp, markMessageOp } from './writes.ts';

const tag = 'Messages';
const FILTER_CHARS_MAX = 200;
const BATCH_IDS_MAX = 100;

/** Invalid values are ignored rather than failing (contract: list filters). */
export const listFilters = {
  has_otp: {
    schema: z.boolean(),
    about: 'true keeps only messages with a code.',
    read: (text) => text === 'true',
  } satisfies Param<boolean>,
  read: {
    schema: z.enum(['true', 'false', 'all']).default('all'),
    about: 'Only read, only unread, or all messages.',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  } satisfies Param<boolean | null>,
  q: textFilter('Case-insensitive substring of subject or From.', FILTER_CHARS_MAX),
  subject_contains: textFilter('Case-insensitive substring of the subject.', FILTER_CHARS_MAX),
  from: textFilter('Case-insensitive substring of From.', null),
};

const MarkMessage = z.strictObject({ read: z.boolean('must be true or false') }).meta({ id: 'MarkMessage' });

/** A part can be asked for, and the ETag says whether it is still a part of the same. */
const partHeaders = {
  200: ['Accept-Ranges', 'ETag'],
  206: ['Accept-Ranges', 'Content-Range', 'ETag'],
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

const BatchResults = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      status: z
        .enum(['ok', 'deleted', 'not_found', 'error'])
        .describe(
          '`error`, only of `fetch`: the message is there, and could not be read just now, for a fault of the server. ' +
            'Fetch it again. (When the first one can not be read, the answer is 500.)',
        ),
      message: Message.optional(),
    }),
  ),
});

const route = routeOn<MessageServices>();

export const messageRoutes = [
  route({
    name: 'listMessages',
    method: 'GET',
    path: '/api/v1/inboxes/:id/messages',
    summary: 'Messages of an inbox, newest first',
    tag,
    query: { limit: limitParam(100, 25), cursor: cursorParam, ...listFilters },
    gives: { 200: pageOf(MessageSummary) },
    async run(call) {
      const { services, caller, params, query } = call;
      const { limit, cursor, ...filter } = query;
      const inbox = seenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const { recipient } = inbox;
      const { has_otp, read, q, subject_contains, from } = filter;
      const filters = [has_otp, read, q, subject_contains, from];
      const through = recipient === null ? [] : [recipient.toLowerCase()];
      const scope = ['messages', caller.account.no, inbox.no, ...filters, ...through];
      const wish = pageWish(services, scope, { limit, cursor });
      const rows = await findMessages(call, {
        inbox_no: inbox.no,
        filter: { ...filter, recipient },
        before: wish.before,
        limit: wish.rowsWanted,
      });
      return page(services, scope, wish, rows, ({ received_at }) => received_at, summaryView);
    },
  }),
  route({
    name: 'getLatestMessage',
    method: 'GET',
    path: '/api/v1/inboxes/:id/messages/latest',
    summary: 'The newest message of an inbox',
    tag,
    gives: { 200: dataOf(Message) },
    run({ services, caller, params }) {
      const inbox = seenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const newest = latestMessage(services.store, inbox.no, inbox.recipient);
      return ok(messageView(newest ?? fail('not_found')));
    },
  }),
  route({
    name: 'getMessage',
    method: 'GET',
    path: '/api/v1/messages/:id',
    summary: 'A message',
    tag,
    gives: { 200: dataOf(Message) },
    run: ({ services, caller, params }) => ok(wholeMessage(services, caller, params.id)),
  }),
  route({
    name: 'markMessage',
    method: 'PATCH',
    path: '/api/v1/messages/:id',
    summary: 'Marks a message read or unread',
    tag,
    body: MarkMessage,
    gives: { 200: dataOf(Message) },
    async run({ services, caller, params, body }) {
      const id = params.id ?? '';
      await services.store.write(markMessageOp, { account_no: caller.account.no, id, read: body.read });
      return ok(wholeMessage(services, caller, id));
    },
  }),
  route({
    name: 'deleteMessage',
    method: 'DELETE',
    path: '/api/v1/messages/:id',
    summary: 'Deletes a message',
    tag,
    gives: { 204: null },
    async run({ services, caller, params }) {
      await services.store.write(deleteMessageOp, { account_no: caller.account.no, id: params.id ?? '' });
      return nothing();
    },
  }),
  route({
    name: 'batchMessages',
    method: 'POST',
    path: '/api/v1/messages/batch',
    summary: 'Marks, deletes or fetches up to 100 messages',
    tag,
    limits: ['batch_per_hour'],
    entitle({ account }, { plans }) {
      if (plans[account.plan].batch === 0) fail('plan_upgrade_required');
    },
    body: Batch,
    gives: { 200: dataOf(BatchResults) },
    fails: ['plan_upgrade_required'],
    async run({ services, caller, body: { action, ids } }) {
      const accountNo = caller.account.no;
      if (action === 'fetch') {
        const bytes = streamOf(services, fetchedPieces(services, accountNo, ids));
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
    summary: 'The bytes as received, under our Return-Path and Received',
    tag,
    content: ['message/rfc822'],
    gives: { 200: null, 206: null },
    sends: partHeaders,
    fails: ['range_not_satisfiable'],
    run({ services, caller, params, request, request_id }) {
      const raw = ownRaw(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      return answerRange(request, request_id, rawMail(services, raw));
    },
  }),
  route({
    name: 'getAttachment',
    method: 'GET',
    path: '/api/v1/messages/:id/attachments/:index',
    summary: 'The decoded bytes of an attachment',
    tag,
    content: ['*/*'],
    gives: { 200: null, 206: null },
    sends: {
      200: ['Content-Disposition', ...partHeaders[200]],
      206: ['Content-Disposition', ...partHeaders[206]],
    },
    fails: ['range_not_satisfiable'],
    async run({ services, caller, params, request, request_id }) {
      const raw = ownRaw(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
      const info = contentOf(raw.content).attachments.find(({ index }) => String(index) === params.index);
      if (!info) fail('not_found');
      const giveBack = services.heldBytes.take(info.size);
      try {
        const bytes = await attachmentBytes(services, caller.account.no, raw, info.index);
        if (!bytes) throw new Error(`attachment ${info.index} of ${raw.id} could not be read`);
        const answer = answerRange(request, request_id, {
          size: bytes.length,
          etag: `"${raw.id}-${info.index}-${bytes.length}"`,
          headers: attachmentHeaders(info),
          read: (from, to) => streamOf(services, slicesOf(bytes.subarray(from, to)), giveBack),
        });
        if (!answer.bytes) giveBack();
        return answer;
      } catch (fault) {
        giveBack();
        throw fault;
      }
    },
  }),
  route({
    name: 'readPublicMessages',
    method: 'GET',
    path: '/api/v1/public/emails/:email/messages',
    summary: 'Messages of a public inbox, without a key',
    tag: 'Public read',
    auth: 'none',
    limits: ['public_read_per_minute'],
    query: { limit: limitParam(20, 20) },
    gives: { 200: z.object({ data: z.array(PublicMessage) }) },
    run({ services, params, query }) {
      const address = (params.email ?? '').toLowerCase();
      const inbox = inboxByAddress(services.store, address);
      // Every miss is the same, so that nobody can find out which addresses exist.
      const isShared = address.endsWith(`@${services.settings.mail_domain}`);
      if (!inbox || !isShared || inbox.is_public === 0 || inbox.is_enabled === 0) return fail('not_found');
      const all = { has_otp: false, read: null };
      return ok(
        listMessages(services.store, inbox.no, all, Number.MAX_SAFE_INTEGER, query.limit).map(publicView),
      );
    },
  }),
];

function wholeMessage({ store }: PlatformServices, { account }: Principal, id = '') {
  return messageView(ownMessage(store, account.no, id) ?? fail('not_found'));
}

/** Text conditions read every subject in the worst case, so they go to the reader thread. */
async function findMessages(
  {
    services: { store },
    caller,
    request,
  }: Pick<Call<unknown, unknown, Principal>, 'services' | 'caller' | 'request'>,
  search: Search,
): Promise<SummaryRow[]> {
  const { inbox_no, filter, before, limit } = search;
  const { q, subject_contains, from } = filter;
  if (q === null && subject_contains === null && from === null) {
    return listMessages(store, inbox_no, filter, before, limit);
  }
  return store.read(searchMessages, search, { owner: caller.account.id, signal: request.signal });
}

/** The answer to `fetch`, a message at a time: a hundred of them may have 100 MiB. */
function fetchedPieces(
  services: PlatformServices,
  accountNo: number,
  ids: readonly string[],
): Generator<Uint8Array> {
  const [firstId = '', ...others] = ids;
  // Read before the status line is sent: what can't be read is 500 as long as it can be said so.
  const first = fetched(services, accountNo, firstId);
  return (function* () {
    yield Buffer.from(`{"data":{"results":[${JSON.stringify(first)}`);
    for (const id of others) yield Buffer.from(`,${JSON.stringify(fetchedLater(services, accountNo, id))}`);
    yield Buffer.from(']}}');
  })();
}

function fetched({ store }: PlatformServices, accountNo: number, id: string) {
  const row = ownMessage(store, accountNo, id);
  return row ? { id, status: 'ok', message: messageView(row) } : { id, status: 'not_found' };
}

function fetchedLater(services: PlatformServices, accountNo: number, id: string) {
  try {
    return fetched(services, accountNo, id);
  } catch (fault) {
    // The status line is sent already; the other messages can still be given.
    services.log.error('a message could not be read', { id, fault: String(fault) });
    return { id, status: 'error' };
  }
}
