import { z } from 'zod';
import { DAY_US, isoTime } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { describePage, makePagination } from '../../platform/http/page.ts';
import {
  cursorParam,
  defineChoiceParam,
  defineLimitParam,
  type Param,
  QueryRefused,
} from '../../platform/http/query.ts';
import { route } from '../../platform/http/route.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { readCursor } from '../../platform/store/cursor.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { eventKindNames } from '../../rules/events.ts';
import { DomainShape } from '../domains/wire.ts';
import { findInboxIdByNo, findOwnInbox } from '../inboxes/sql.ts';
import { MessageSummary } from '../messages/wire.ts';
import { OutboundEmailShape } from '../outbound/wire.ts';
import { parseIsoTime } from '../waits/since.ts';
import { readEventSummary } from '../webhooks/body.ts';
import { findReadAt, listEventsAfter, type StoredEvent } from './sql.ts';
import { DeletedMessage, shapeEvent } from './wire.ts';
import { recordReaderOp } from './writes.ts';

/** Minimum time between two records that an account reads its events. */
const RECORD_READER_EVERY_US = DAY_US;

const EventShape = shapeEvent(z.union([MessageSummary, DeletedMessage]), OutboundEmailShape, DomainShape);

const since: Param<number> = {
  schema: z.string().min(1),
  about:
    'Only events after this ISO 8601 time: the `created_at` of the last event you have. All if absent or `0`.',
  read(text) {
    if (text === null || text === '0') return 0;
    const afterUs = parseIsoTime(text);
    if (afterUs === null) throw new QueryRefused('must be an ISO 8601 time');
    return afterUs;
  },
};

const inboxId: Param<string | null> = {
  schema: z.string(),
  about: 'Only events of this inbox, by its id or its address.',
  read: (text) => text,
};

export const eventRoutes = [
  route({
    name: 'listEvents',
    method: 'GET',
    path: '/api/v1/events',
    summary: 'List events',
    description:
      'Returns the events of the account, oldest first. The first request starts recording them: each event from then ' +
      'on is kept for 30 days. With a filter, a page may have fewer events than `limit` although `has_more` is true.',
    tag: 'Events',
    entitle({ account }, { plans }) {
      if (plans[account.plan].webhooks === 0) fail('webhook_entitlement_required');
    },
    query: {
      limit: defineLimitParam(100, 25),
      cursor: cursorParam,
      since,
      event: defineChoiceParam(eventKindNames, 'Only events of this kind.'),
      inbox_id: inboxId,
    },
    responses: { 200: describePage(EventShape) },
    fails: ['webhook_entitlement_required', 'storage_unavailable', 'not_found'],
    async run({ services, caller, query, nowUs }) {
      const { no: accountNo } = caller.account;
      const { limit, event: kind } = query;
      await recordReader(services, accountNo, nowUs);
      const inboxNo = query.inbox_id === null ? null : findInboxNo(services, accountNo, query.inbox_id);
      const scope = ['events', accountNo, query.since, kind, inboxNo];
      const after = query.cursor === null ? query.since : readCursor(services.key, scope, query.cursor);
      // Rows that the filters leave out are read too, so reading is bounded, and a page may have fewer rows than its
      // limit.
      const rowsMax = kind === null && inboxNo === null ? limit + 1 : rules.lookedThroughMax;
      const found = listEventsAfter(services.store, accountNo, after, rowsMax);
      const matching = found.filter(
        (event) => (kind ?? event.kind) === event.kind && (inboxNo ?? event.inbox_no) === event.inbox_no,
      );
      const shown = matching.slice(0, limit);
      const last =
        matching.length > limit ? shown.at(-1) : found.length === rowsMax ? found.at(-1) : undefined;
      const pagination = makePagination(services, scope, last?.created_at ?? null);
      return { status: 200, json: { data: shown.map((event) => viewEvent(services, event)), pagination } };
    },
  }),
];

async function recordReader({ store }: PlatformServices, accountNo: number, nowUs: number): Promise<void> {
  const readAt = findReadAt(store, accountNo);
  // If the clock was set back, the difference can be negative.
  if (readAt !== null && Math.abs(nowUs - readAt) < RECORD_READER_EVERY_US) return;
  await store.write(recordReaderOp, { account_no: accountNo });
}

function findInboxNo({ store }: PlatformServices, accountNo: number, id: string): number {
  return (findOwnInbox(store, accountNo, id) ?? fail('not_found')).no;
}

function viewEvent(services: PlatformServices, event: StoredEvent) {
  const { id, kind, inbox_no, created_at } = event;
  return {
    id,
    event: kind,
    created_at: isoTime(created_at),
    inbox_id: inbox_no === null ? null : findInboxIdByNo(services.store, inbox_no),
    data: readEventSummary(services, event),
  };
}
