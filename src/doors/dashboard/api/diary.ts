import { type DiaryEntry, listAccountDiary, listWholeDiary } from '../../../features/ingest/diary/sql.ts';
import { isoTime } from '../../../platform/core/clock.ts';
import { byNo, page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../../platform/http/query.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import type { RefusedMail } from '../wire.ts';
import { ownerRoute } from './owner-route.ts';

const query = { limit: defineLimitParam(100, 50), cursor: cursorParam };

function viewDiary(entry: DiaryEntry): RefusedMail {
  const { no, account_no, first_at, at, ...rest } = entry;
  return {
    ...rest,
    id: String(no),
    is_ours: account_no !== null,
    first_at: isoTime(first_at),
    at: isoTime(at),
  };
}

export const diaryRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardDiary',
    method: 'GET',
    path: '/dashboard/api/diary',
    query,
    async run({ services, visitor, query }) {
      // People look here for mail that was rejected a moment ago.
      await services.diary.flush();
      const scope = ['diary', visitor.account.id];
      const range = readPageRange(services, scope, query);
      const rows = listAccountDiary(services.store, visitor.account.no, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewDiary);
    },
  }),
  ownerRoute({
    name: 'operatorDiary',
    method: 'GET',
    path: '/dashboard/api/operator/diary',
    who: 'operator',
    query,
    async run({ services, query }) {
      await services.diary.flush();
      const scope = ['diary', 'operator'];
      const range = readPageRange(services, scope, query);
      const rows = listWholeDiary(services.store, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewDiary);
    },
  }),
];
