import { fail } from '../../core/failure.ts';
import { lookAtRecords } from '../../domains/records.ts';
import { domainRoutes } from '../../domains/routes.ts';
import { ownDomain } from '../../domains/sql.ts';
import { zoneLine } from '../../domains/zone-line.ts';
import { ok } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { ownerBorrowed, ownerRoute } from './owner-route.ts';

export const dashboardDomainRoutes: readonly Route[] = [
  ...domainRoutes.map((lent) => ownerBorrowed(lent)),
  ownerRoute({
    name: 'dashboardDomainRecords',
    method: 'GET',
    path: '/dashboard/api/domains/:id/records',
    limits: ['dashboard_looks_per_minute'],
    async run({ floor, visitor, params }) {
      const domain = ownDomain(floor.store, visitor.account.no, params.id ?? '') ?? fail('not_found');
      const records = await lookAtRecords(floor, domain);
      return ok(records.map((record) => ({ ...record, zone_line: zoneLine(record) })));
    },
  }),
];
