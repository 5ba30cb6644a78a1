import { z } from 'zod';
import { sseHeaders } from '../../../platform/core/sse.ts';
import type { Param } from '../../../platform/http/query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { openLive } from '../live.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import { findVisitor } from '../session.ts';

/** The position where a tab that takes over from another continues. The browser's Last-Event-ID takes precedence. */
const after: Param<string | null> = {
  schema: z.string(),
  about: 'The id of the last event.',
  read: (text) => text,
};

export const liveRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardLive',
    method: 'GET',
    path: '/dashboard/api/live',
    content: ['text/event-stream'],
    query: { after },
    run({ services, request, visitor, query, client }) {
      if (request.method === 'HEAD') return { status: 200, headers: sseHeaders };
      const seen = request.headers.get('last-event-id') ?? query.after ?? '';
      const input = {
        accountNo: visitor.account.no,
        after: /^\d{1,16}$/.test(seen) ? Number(seen) : null,
        isStillThere: () =>
          findVisitor(services, request, services.clock.nowUs(), client)?.account.no === visitor.account.no,
      };
      return { status: 200, bytes: openLive(services, input, request.signal), headers: sseHeaders };
    },
  }),
];
