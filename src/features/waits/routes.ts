import { z } from 'zod';
import { fail, failField } from '../../platform/core/failure.ts';
import { sseHeaders } from '../../platform/core/sse.ts';
import { dataOf } from '../../platform/http/page.ts';
import { nothing, ok } from '../../platform/http/reply.ts';
import { type Call, type Principal, routeOn } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { admitAgain } from '../accounts/authenticate.ts';
import { findOwnInbox } from '../inboxes/sql.ts';
import { findOwnMessage } from '../messages/sql.ts';
import { viewMessage } from '../messages/view.ts';
import { Message } from '../messages/wire.ts';
import type { Condition } from './condition.ts';
import { SINCE_FORMS, streamQuery, waitQuery } from './query.ts';
import { readSince, type Since } from './since.ts';
import { openStream, STREAM_S } from './stream.ts';
import { lookOnce, type WaitEnd, waitForMessage } from './wait.ts';
import type { WaitServices } from './waits.ts';

const tag = 'Waiting';
const route = routeOn<WaitServices>();

export const waitRoutes = [
  route({
    name: 'waitForMessage',
    waits: true,
    method: 'GET',
    path: '/api/v1/inboxes/:id/messages/wait',
    summary: 'Waits for a matching message',
    tag,
    query: waitQuery,
    gives: { 200: dataOf(Message), 204: null },
    sends: { 204: ['X-Wait-Arrived', 'X-Wait-Reason'] },
    fails: ['too_many_wait_requests', 'wait_capacity'],
    async run(call) {
      const { services, caller, query, request, nowUs } = call;
      const inbox = requireInbox(call);
      const since = requireSince(services, caller, query.since);
      const wait = {
        ...pickOwner(inbox),
        condition: pickCondition(query),
        since,
        timeoutS: query.timeout,
        mark_read: query.mark_read,
        show: (id: string) => showMessage(services, caller, id),
      };
      // HEAD returns no message, so it must not claim one or hold a slot.
      if (request.method === 'HEAD') return answer(services, inbox.id, await lookOnce(services, wait));
      const endsUs = nowUs + query.timeout * 1_000_000;
      const release = services.waits.slots.take(caller.account, endsUs, nowUs);
      try {
        return answer(services, inbox.id, await waitForMessage(services, wait, request.signal));
      } finally {
        release();
      }
    },
  }),
  route({
    name: 'streamMessages',
    waits: true,
    method: 'GET',
    path: '/api/v1/inboxes/:id/stream',
    summary: 'Streams messages as they arrive, as Server-Sent Events',
    tag,
    query: streamQuery,
    gives: { 200: z.string().meta({ id: 'EventStream' }) },
    content: ['text/event-stream'],
    fails: ['too_many_wait_requests', 'wait_capacity'],
    run(call) {
      const { services, caller, query, request, nowUs } = call;
      const inbox = requireInbox(call);
      // On a reconnect the browser sends the last id it saw, which takes precedence over the URL's `since`.
      const since = requireSince(services, caller, request.headers.get('last-event-id') || query.since);
      if (request.method === 'HEAD') return { status: 200, headers: sseHeaders };
      const release = services.waits.slots.take(caller.account, nowUs + STREAM_S * 1_000_000, nowUs);
      try {
        const wait = {
          ...pickOwner(inbox),
          condition: pickCondition(query),
          since,
          show: (id: string) => showMessage(services, caller, id),
          onEnd: release,
        };
        return { status: 200, bytes: openStream(services, wait, request.signal), headers: sseHeaders };
      } catch (fault) {
        release();
        throw fault;
      }
    },
  }),
];

type WaitCall = Pick<Call<unknown, unknown, Principal>, 'services' | 'caller' | 'params'>;

function requireInbox({ services, caller, params }: WaitCall) {
  return findOwnInbox(services.store, caller.account.no, params.id ?? '') ?? fail('not_found');
}

function pickOwner(inbox: { no: number; account_no: number }) {
  return { inbox_no: inbox.no, account_no: inbox.account_no };
}

function requireSince(services: PlatformServices, caller: Principal, text: string | null): Since {
  return readSince(services.store, caller.account.no, text) ?? failField('since', SINCE_FORMS);
}

function pickCondition({ require, min_confidence, from, subject_contains }: Condition): Condition {
  return { require, min_confidence, from, subject_contains };
}

function showMessage(services: PlatformServices, caller: Principal, id: string) {
  admitAgain(services, caller);
  const row = findOwnMessage(services.store, caller.account.no, id);
  return row ? viewMessage(row) : null;
}

/** A wait that found nothing reports how many messages arrived, and why the closest one did not match. */
function answer(services: PlatformServices, inbox: string, end: WaitEnd<object>) {
  if (end.message !== null) return ok(end.message);
  if (end.why === 'deleted') fail('not_found');
  const arrived = String(end.arrived);
  const reason = end.nearest?.[0] ?? (end.arrived > 0 ? 'taken' : 'no_message');
  services.log.info('a wait ended without a message', { inbox, why: end.why, arrived, reason });
  return { ...nothing(), headers: { 'x-wait-arrived': arrived, 'x-wait-reason': reason } };
}
