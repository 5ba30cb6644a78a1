import { listAudit, listWholeAudit } from '../../../features/audit/sql.ts';
import { viewAudit } from '../../../features/audit/view.ts';
import { byNo, page, readPageRange } from '../../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../../platform/http/query.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import { ownerRoute } from './owner-route.ts';

const query = { limit: defineLimitParam(100, 50), cursor: cursorParam };

export const auditPageRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'dashboardAudit',
    method: 'GET',
    path: '/dashboard/api/audit',
    who: 'owner',
    query,
    run({ services, visitor, query }) {
      const scope = ['audit', visitor.account.id];
      const range = readPageRange(services, scope, query);
      const rows = listAudit(services.store, visitor.account.id, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewAudit);
    },
  }),
  ownerRoute({
    name: 'operatorAudit',
    method: 'GET',
    path: '/dashboard/api/operator/audit',
    who: 'operator',
    query,
    run({ services, query }) {
      const scope = ['audit', 'operator'];
      const range = readPageRange(services, scope, query);
      const rows = listWholeAudit(services.store, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewAudit);
    },
  }),
];
