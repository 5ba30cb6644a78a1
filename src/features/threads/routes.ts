import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { describePage, makePagination, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../platform/http/query.ts';
import { routeOn } from '../../platform/http/route.ts';
import { Pagination } from '../../platform/http/wire.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { readCursor } from '../../platform/store/cursor.ts';
import { findOwnThread, listThreadsRead, readThreadRead } from './sql.ts';
import { viewThread, viewThreadSummaries } from './view.ts';
import { Thread, ThreadSummary } from './wire.ts';

const tag = 'Threads';
const ThreadPage = z.object({ data: Thread, pagination: Pagination }).meta({ id: 'ThreadPage' });
const route = routeOn<PlatformServices>();

/**
 * Bounds the reads of one request, which a client that deletes one mail after another could otherwise go on forever.
 */
const READS_MAX = 3;

/** The result of reading in two steps. */
interface Read<Data> {
  /** Whether everything that the first step found still existed in the second. */
  isWhole: boolean;
  data: Data;
  next: number | null;
}

/**
 * Reads in two steps: the reader thread finds members, and the main thread reads them a moment later. If some were
 * deleted in between, it starts again.
 */
async function readWhole<Data>(read: () => Promise<Read<Data>>): Promise<Read<Data>> {
  for (let reads = 1; ; reads++) {
    const found = await read();
    if (found.isWhole || reads === READS_MAX) return found;
  }
}

/** Returns at most `limit` of the rows, and the position of the last one if there are more. */
function cutPage<Row extends { at: number }>(rows: readonly Row[], limit: number) {
  const shown = rows.slice(0, limit);
  return { shown, next: rows.length > shown.length ? shown.at(-1)!.at : null };
}

export const threadRoutes = [
  route({
    name: 'listThreads',
    method: 'GET',
    path: '/api/v1/threads',
    summary: 'List threads',
    description: 'Returns the conversations of all inboxes, the one with the latest message first.',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(ThreadSummary) },
    async run({ services, caller: { account }, query, request: { signal } }) {
      const { store } = services;
      const scope = ['threads', account.no];
      const range = readPageRange(services, scope, query);
      const asked = { account_no: account.no, before: range.before, limit: range.rowsWanted };
      const { data, next } = await readWhole(async () => {
        const rows = await store.read(listThreadsRead, asked, { owner: account.id, signal });
        const { shown, next } = cutPage(rows, query.limit);
        const data = viewThreadSummaries(store, account.no, shown);
        return { isWhole: data.length === shown.length, data, next };
      });
      return { status: 200, json: { data, pagination: makePagination(services, scope, next) } };
    },
  }),
  route({
    name: 'getThread',
    method: 'GET',
    path: '/api/v1/threads/:id',
    summary: 'Get a thread',
    description: 'Returns a conversation and a page of its messages, received and sent, oldest first.',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: ThreadPage },
    async run({ services, caller: { account }, params, query, request: { signal } }) {
      const { store, key } = services;
      const id = params.id ?? '';
      const scope = ['thread', account.no, id];
      const after = query.cursor === null ? 0 : readCursor(key, scope, query.cursor);
      const { data, next } = await readWhole(async () => {
        const thread = findOwnThread(store, account.no, id) ?? fail('not_found');
        const asked = { thread, after, limit: query.limit + 1 };
        const { first, members } = await store.read(readThreadRead, asked, { owner: account.id, signal });
        const { shown, next } = cutPage(members, query.limit);
        const data = viewThread(store, thread, first, shown);
        return { isWhole: data?.messages.length === shown.length, data, next };
      });
      const json = { data: data ?? fail('not_found'), pagination: makePagination(services, scope, next) };
      return { status: 200, json };
    },
  }),
];
