import { z } from 'zod';
import { SECOND_US } from '../../platform/core/clock.ts';
import { fail, failField } from '../../platform/core/failure.ts';
import { hashSecret } from '../../platform/core/id.ts';
import { sseHeaders } from '../../platform/core/sse.ts';
import { describeData } from '../../platform/http/page.ts';
import type { QueryOf } from '../../platform/http/query.ts';
import { type Answer, nothing, ok } from '../../platform/http/reply.ts';
import { type Call, type OnceRequest, type Principal, routeOn } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { recheckCaller } from '../accounts/authenticate.ts';
import { findSeenInbox } from '../inboxes/sql.ts';
import { findOwnMessage } from '../messages/sql.ts';
import { readOrElse } from '../messages/unreadable.ts';
import { viewMessage } from '../messages/view.ts';
import { Message, messageLinks } from '../messages/wire.ts';
import type { Condition } from './condition.ts';
import { SINCE_FORMS, streamQuery, waitQuery } from './query.ts';
import { readSince, type Since } from './since.ts';
import type { Scope } from './sql.ts';
import { openStream, STREAM_S } from './stream.ts';
import { peekForMessage, type WaitEnd, waitForMessage } from './wait.ts';
import type { WaitServices } from './waits.ts';

const tag = 'Waiting';
const route = routeOn<WaitServices>();

/** The common part of both waits. */
const wait = {
  waits: true,
  method: 'GET',
  description:
    'Returns the first message that matches, as soon as there is one; 204 if there is none before the time-out. Use ' +
    '`X-Wait-Since` of the response as `since` of the next wait, so that it misses nothing and repeats nothing.',
  tag,
  query: waitQuery,
  responses: { 200: describeData(Message), 204: null },
  links: messageLinks,
  sends: { 200: ['X-Wait-Since'], 204: ['X-Wait-Since', 'X-Wait-Arrived', 'X-Wait-Reason'] },
  honoursKeyFor: 'message',
  fails: ['too_many_wait_requests', 'wait_capacity'],
} as const;

/** The common part of both streams. */
const stream = {
  waits: true,
  method: 'GET',
  description:
    'Sends each matching message as a Server-Sent Event, as it arrives. The stream ends after 25 seconds with the ' +
    'event `bye`; reconnect to continue.',
  tag,
  query: streamQuery,
  responses: { 200: z.string().meta({ id: 'EventStream' }) },
  content: ['text/event-stream'],
  fails: ['too_many_wait_requests', 'wait_capacity'],
} as const;

export const waitRoutes = [
  route({
    ...wait,
    name: 'waitForMessage',
    path: '/api/v1/inboxes/:id/messages/wait',
    summary: 'Wait for a message in an inbox',
    run: (call) => answerWait(call, requireInboxScope(call)),
  }),
  route({
    ...wait,
    name: 'waitForAnyMessage',
    path: '/api/v1/messages/wait',
    summary: 'Wait for a message in any inbox',
    run: (call) => answerWait(call, makeAccountScope(call)),
  }),
  route({
    ...stream,
    name: 'streamMessages',
    path: '/api/v1/inboxes/:id/stream',
    summary: "Stream an inbox's messages",
    run: (call) => answerStream(call, requireInboxScope(call)),
  }),
  route({
    ...stream,
    name: 'streamAllMessages',
    path: '/api/v1/messages/stream',
    summary: 'Stream the messages of all inboxes',
    run: (call) => answerStream(call, makeAccountScope(call)),
  }),
];

type WaitCall<Query = unknown> = Pick<
  Call<unknown, Query, Principal, WaitServices>,
  'services' | 'caller' | 'params' | 'query' | 'request' | 'nowUs' | 'once'
>;

async function answerWait(call: WaitCall<QueryOf<typeof waitQuery>>, scope: Scope): Promise<Answer> {
  const { services, caller, query, request, nowUs, once } = call;
  const since = requireSince(services, caller, query, query.since);
  const condition = pickCondition(services, query);
  const wanted = {
    scope,
    condition,
    since,
    timeoutS: query.timeout,
    mark_read: query.mark_read,
    once: query.mark_read && once ? { ...once, bodyHash: hashCondition(scope, condition) } : null,
    show: (id: string) => showMessage(services, caller, id),
  };
  // HEAD returns no message, so it must not claim one or hold a slot.
  if (request.method === 'HEAD') return answer(call, await peekForMessage(services, wanted));
  const endsUs = nowUs + query.timeout * SECOND_US;
  const release = services.waits.slots.take(caller.account, endsUs, nowUs);
  try {
    return answer(call, await waitForMessage(services, wanted, request.signal));
  } finally {
    release();
  }
}

function answerStream(call: WaitCall<QueryOf<typeof streamQuery>>, scope: Scope): Answer {
  const { services, caller, query, request, nowUs } = call;
  // When a browser reconnects, it sends the last id that it saw, which takes precedence over the URL's `since`.
  const from = request.headers.get('last-event-id') || query.since;
  const since = requireSince(services, caller, query, from);
  if (request.method === 'HEAD') return { status: 200, headers: sseHeaders };
  const release = services.waits.slots.take(caller.account, nowUs + STREAM_S * SECOND_US, nowUs);
  try {
    const wanted = {
      scope,
      condition: pickCondition(services, query),
      since,
      show: (id: string) => showMessage(services, caller, id),
      onEnd: release,
    };
    return { status: 200, bytes: openStream(services, wanted, request.signal), headers: sseHeaders };
  } catch (fault) {
    release();
    throw fault;
  }
}

function requireInboxScope({ services, caller, params }: WaitCall): Scope {
  const inbox = findSeenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
  return { account_no: inbox.account_no, inbox_no: inbox.no, recipient: inbox.recipient };
}

function makeAccountScope({ caller }: WaitCall): Scope {
  return { account_no: caller.account.no, inbox_no: null };
}

function requireSince(
  services: PlatformServices,
  caller: Principal,
  { authenticated }: Pick<Condition, 'authenticated'>,
  text: string | null,
): Since {
  return readSince(services.store, caller.account.no, text, authenticated) ?? failField('since', SINCE_FORMS);
}

/** Hashes what a repeat must have in common with the first request. Its `since` and time-out may differ. */
function hashCondition(scope: Scope, condition: Condition): OnceRequest['bodyHash'] {
  const { inbox_no } = scope;
  const recipient = inbox_no === null ? null : (scope.recipient?.toLowerCase() ?? null);
  const { authenticated, ...others } = condition;
  // `authenticated` was added later. It is left out if false, so that the repeat of an older request has the same hash.
  const added = authenticated ? { authenticated } : {};
  return hashSecret(JSON.stringify([inbox_no, recipient, { ...others, ...added }]));
}

/** Returns the condition of a query. Throws validation_error for one that nothing could ever match. */
function pickCondition({ settings }: PlatformServices, query: Condition): Condition {
  const { require, min_confidence, from, subject_contains, authenticated } = query;
  if (authenticated && settings.authentication === 'off') {
    failField(
      'authenticated',
      'needs the check of senders, which is off on this server (POSTERN_AUTHENTICATION)',
    );
  }
  return { require, min_confidence, from, subject_contains, authenticated };
}

function showMessage(services: PlatformServices, caller: Principal, id: string) {
  recheckCaller(services, caller);
  const show = () => {
    const row = findOwnMessage(services.store, caller.account.no, id);
    return row && viewMessage(row);
  };
  return readOrElse(services, id, show, () => null);
}

/** Makes the response. A wait without a match reports how many messages arrived, and why the closest did not match. */
function answer(
  { services, params, query }: WaitCall<QueryOf<typeof waitQuery>>,
  end: WaitEnd<object>,
): Answer {
  const next = { 'x-wait-since': end.since };
  // Nobody else gets a claimed message, so this response must not be lost.
  if (end.message !== null) return { ...ok(end.message), headers: next, isOnly: query.mark_read };
  // Without an inbox in the path, the account was deleted, and the key with it.
  if (end.why === 'deleted') fail(params.id === undefined ? 'authentication_required' : 'not_found');
  const arrived = String(end.arrived);
  const reason = end.nearest?.[0] ?? (end.arrived > 0 ? 'taken' : 'no_message');
  services.log.info('a wait ended without a message', {
    ...(params.id === undefined ? {} : { inbox: params.id }),
    why: end.why,
    arrived,
    reason,
  });
  return { ...nothing(), headers: { ...next, 'x-wait-arrived': arrived, 'x-wait-reason': reason } };
}
