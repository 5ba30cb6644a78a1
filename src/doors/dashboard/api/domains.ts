import { checkRecords } from '../../../features/domains/records.ts';
import { domainRoutes } from '../../../features/domains/routes.ts';
import { findOwnDomain } from '../../../features/domains/sql.ts';
import { formatZoneLine } from '../../../features/domains/zone-line.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { DashboardServices } from '../services.ts';
import type { DnsRecord } from '../wire.ts';
import { mirrorOwnerRoute, ownerRoute } from './owner-route.ts';

export const dashboardDomainRoutes: readonly Route<DashboardServices>[] = [
  ...domainRoutes.map(mirrorOwnerRoute),
  ownerRoute({
    name: 'dashboardDomainRecords',
    method: 'GET',
    path: '/dashboard/api/domains/:id/records',
    limits: ['dashboard_looks_per_minute'],
    async run({ services, visitor, params }) {
      const domain = findOwnDomain(services.store, visitor.account.no, params.id ?? '') ?? fail('not_found');
      const records = await checkRecords(services, domain);
      return ok<DnsRecord[]>(records.map((record) => ({ ...record, zone_line: formatZoneLine(record) })));
    },
  }),
];
