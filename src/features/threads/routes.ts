import { z } from 'zod';
import { fail } from '../../platform/core/failure.ts';
import { makePagination, page, pageOf, readPageRange } from '../../platform/http/page.ts';
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

export const threadRoutes = [
  route({
    name: 'listThreads',
    method: 'GET',
    path: '/api/v1/threads',
    summary: 'Conversations of all inboxes, the one with the latest message first',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    gives: { 200: pageOf(ThreadSummary) },
    async run({ services, caller: { account }, query, request: { signal } }) {
      const scope = ['threads', account.no];
      const range = readPageRange(services, scope, query);
      const asked = { account_no: account.no, before: range.before, limit: range.rowsWanted };
      const rows = await services.store.read(listThreadsRead, asked, { owner: account.id, signal });
      return page(
        services,
        scope,
        range,
        viewThreadSummaries(services.store, account.no, rows),
        ({ at }) => at,
        ({ view }) => view,
      );
    },
  }),
  route({
    name: 'getThread',
    method: 'GET',
    path: '/api/v1/threads/:id',
    summary: 'A conversation: what was received and sent, oldest first',
    tag,
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    gives: { 200: ThreadPage },
    async run({ services, caller: { account }, params, query, request: { signal } }) {
      const { store, key } = services;
      const id = params.id ?? '';
      const scope = ['thread', account.no, id];
      const after = query.cursor === null ? 0 : readCursor(key, scope, query.cursor);
      const thread = findOwnThread(store, account.no, id) ?? fail('not_found');
      const asked = { thread, after, limit: query.limit + 1 };
      const { first, members } = await store.read(readThreadRead, asked, { owner: account.id, signal });
      const shown = members.slice(0, query.limit);
      const data = viewThread(store, thread, first, shown) ?? fail('not_found');
      const next = members.length > shown.length ? shown.at(-1)!.at : null;
      return { status: 200, json: { data, pagination: makePagination(services, scope, next) } };
    },
  }),
];
