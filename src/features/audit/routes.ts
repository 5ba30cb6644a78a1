import { fail } from '../../platform/core/failure.ts';
import { byNo, describePage, page, readPageRange } from '../../platform/http/page.ts';
import { cursorParam, defineLimitParam } from '../../platform/http/query.ts';
import { route } from '../../platform/http/route.ts';
import { listAudit } from './sql.ts';
import { viewAudit } from './view.ts';
import { AuditEntry } from './wire.ts';

export const auditRoutes = [
  route({
    name: 'listAuditLog',
    method: 'GET',
    path: '/api/v1/audit_log',
    summary: 'List audit log entries',
    description: "Returns who did what in the account, newest first. Needs an owner's key.",
    tag: 'Account',
    entitle({ role }) {
      if (role !== 'owner')
        fail('account_forbidden', { text: 'Only keys of owners can read the audit log.' });
    },
    query: { limit: defineLimitParam(100, 25), cursor: cursorParam },
    responses: { 200: describePage(AuditEntry) },
    run({ services, caller, query }) {
      const scope = ['audit', caller.account.no];
      const range = readPageRange(services, scope, query);
      const rows = listAudit(services.store, caller.account.id, range.before, range.rowsWanted);
      return page(services, range, rows, byNo, viewAudit);
    },
  }),
];
