import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { sseHeaders } from '../../platform/core/sse.ts';
import { dataOf } from '../../platform/http/page.ts';
import type { QueryOf } from '../../platform/http/query.ts';
import { type Answer, nothing, ok } from '../../platform/http/reply.ts';
import { type Call, type Principal, routeOn } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { admitAgain } from '../accounts/authenticate.ts';
import { seenInbox } from '../inboxes/sql.ts';
import { ownMessage } from '../messages/sql.ts';
import { messageView } from '../messages/view.ts';
import { Message } from '../messages/wire.ts';
import type { Condition } from './condition.ts';
import { SINCE_FORMS, streamQuery, waitQuery } from './query.ts';
import { readSince, type Since } from './since.ts';
import type { Scope } from './sql.ts';
import { openStream, STREAM_S } from './stream.ts';
import { lookOnce, type WaitEnd, waitForMessage } from './wait.ts';
import type { WaitServices } from './waits.ts';

const tag = 'Waiting';
const route = routeOn<WaitServices>();

/** What a wait has in common, whichever messages it is for. */
const wait = {
  waits: true,
  method: 'GET',
  tag,
  query: waitQuery,
  gives: { 200: dataOf(Message), 204: null },
  sends: { 200: ['X-Wait-Since'], 204: ['X-Wait-Since', 'X-Wait-Arrived', 'X-Wait-Reason'] },
  fails: ['too_many_wait_requests', 'wait_capacity'],
} as const;

const stream = {
  waits: true,
  method: 'GET',
  tag,
  query: streamQuery,
  gives: { 200: z.string().meta({ id: 'EventStream' }) },
  content: ['text/event-stream'],
  fails: ['too_many_wait_requests', 'wait_capacity'],
} as const;

export const waitRoutes = [
  route({
    ...wait,
    name: 'waitForMessage',
    path: '/api/v1/inboxes/:id/messages/wait',
    summary: 'Waits until a matching message is there',
    run: (call) => answerWait(call, inboxScope(call)),
  }),
  route({
    ...wait,
    name: 'waitForAnyMessage',
    path: '/api/v1/messages/wait',
    summary: 'Waits for a matching message in any inbox of the account',
    run: (call) => answerWait(call, accountScope(call)),
  }),
  route({
    ...stream,
    name: 'streamMessages',
    path: '/api/v1/inboxes/:id/stream',
    summary: 'Messages as they come, as Server-Sent Events',
    run: (call) => answerStream(call, inboxScope(call)),
  }),
  route({
    ...stream,
    name: 'streamAllMessages',
    path: '/api/v1/messages/stream',
    summary: 'Messages of all inboxes of the account as they come, as Server-Sent Events',
    run: (call) => answerStream(call, accountScope(call)),
  }),
];

type WaitCall<Query = unknown> = Pick<
  Call<unknown, Query, Principal, WaitServices>,
  'services' | 'caller' | 'params' | 'query' | 'request' | 'nowUs'
>;

async function answerWait(call: WaitCall<QueryOf<typeof waitQuery>>, scope: Scope): Promise<Answer> {
  const { services, caller, query, request, nowUs } = call;
  const since = sinceOf(services, caller, query.since);
  const wish = {
    scope,
    condition: conditionOf(query),
    since,
    timeoutS: query.timeout,
    mark_read: query.mark_read,
    show: (id: string) => showMessage(services, caller, id),
  };
  // It gives no message, so it may neither claim one nor hold a slot for it.
  if (request.method === 'HEAD') return answer(call, await lookOnce(services, wish));
  const endsUs = nowUs + query.timeout * 1_000_000;
  const release = services.waits.slots.take(caller.account, endsUs, nowUs);
  try {
    return answer(call, await waitForMessage(services, wish, request.signal));
  } finally {
    release();
  }
}

function answerStream(call: WaitCall<QueryOf<typeof streamQuery>>, scope: Scope): Answer {
  const { services, caller, query, request, nowUs } = call;
  // What a browser saw last goes before what the page asked for at first.
  const since = sinceOf(services, caller, request.headers.get('last-event-id') || query.since);
  if (request.method === 'HEAD') return { status: 200, headers: sseHeaders };
  const release = services.waits.slots.take(caller.account, nowUs + STREAM_S * 1_000_000, nowUs);
  try {
    const wish = {
      scope,
      condition: conditionOf(query),
      since,
      show: (id: string) => showMessage(services, caller, id),
      onEnd: release,
    };
    return { status: 200, bytes: openStream(services, wish, request.signal), headers: sseHeaders };
  } catch (fault) {
    release();
    throw fault;
  }
}

function inboxScope({ services, caller, params }: WaitCall): Scope {
  const inbox = seenInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
  return { account_no: inbox.account_no, inbox_no: inbox.no, recipient: inbox.recipient };
}

function accountScope({ caller }: WaitCall): Scope {
  return { account_no: caller.account.no, inbox_no: null };
}

function sinceOf(services: PlatformServices, caller: Principal, text: string | null): Since {
  return readSince(services.store, caller.account.no, text) ?? failField('since', SINCE_FORMS);
}

function conditionOf({ require, min_confidence, from, subject_contains }: Condition): Condition {
  return { require, min_confidence, from, subject_contains };
}

function showMessage(services: PlatformServices, caller: Principal, id: string) {
  admitAgain(services, caller);
  const row = ownMessage(services.store, caller.account.no, id);
  return row ? messageView(row) : null;
}

/** A wait that gave nothing says how many messages came, and why the nearest of them was not the one. */
function answer({ services, params }: WaitCall, end: WaitEnd<object>): Answer {
  const next = { 'x-wait-since': end.since };
  if (end.message !== null) return { ...ok(end.message), headers: next };
  // With the account its key is gone; with an inbox, what the path names.
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
