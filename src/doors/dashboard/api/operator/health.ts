import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { version } from '../../../../../package.json';
import type { Finding } from '../../../../features/doctor/wire.ts';
import { countAllQueued } from '../../../../features/outbound/sql.ts';
import { isoTime } from '../../../../platform/core/clock.ts';
import { viewSettings } from '../../../../platform/core/setting-view.ts';
import type { SettingView } from '../../../../platform/core/wire.ts';
import { type Param, QueryRefused } from '../../../../platform/http/query.ts';
import { ok } from '../../../../platform/http/reply.ts';
import type { Route } from '../../../../platform/http/route.ts';
import { STORE_FILE, STORE_LOG_FILE } from '../../../../platform/store/file-names.ts';
import type { DashboardServices } from '../../services.ts';
import type { Health, LogLineView, PlotSpan } from '../../wire.ts';
import { ownerRoute } from '../owner-route.ts';
import { viewCertificate } from './certificate.ts';

/** The health of the server. Only reads, except for the test message of the checks. */

/** An hour in minutes, a day in steps of ten: as many points as a small plot can show. */
const spans = { hour: { minutes: 60, step: 1 }, day: { minutes: 1_440, step: 10 } } as const satisfies Record<
  PlotSpan,
  object
>;

const spanParam: Param<PlotSpan> = {
  schema: z.enum(['hour', 'day']).default('hour'),
  about: 'How far back the plots go.',
  read(given) {
    if (given === null || given === 'hour') return 'hour';
    if (given === 'day') return 'day';
    throw new QueryRefused('must be hour or day');
  },
};

function measureFile(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // There is no write-ahead log before the first write.
    return 0;
  }
}

function groupValues(values: readonly number[], step: number): number[] {
  return Array.from({ length: values.length / step }, (_, at) =>
    values.slice(at * step, (at + 1) * step).reduce((sum, value) => sum + value, 0),
  );
}

export const operatorHealthRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    name: 'operatorHealth',
    method: 'GET',
    path: '/dashboard/api/operator/health',
    who: 'operator',
    query: { span: spanParam },
    run({ services, query }) {
      const { settings, dataDir, store } = services;
      const { observed, ready, startedAt } = services.backstage;
      const { minutes, step } = spans[query.span];
      const disk = statfsSync(dataDir);
      const { slots } = services.waits;
      const series = Object.entries(observed.series(minutes)).map(([name, values]) => [
        name,
        groupValues(values, step),
      ]);
      return ok<Health>({
        version,
        bun: Bun.version,
        started_at: isoTime(startedAt),
        trouble: ready(),
        listening: { http: services.listening.http, smtp: services.listening.smtp },
        certificate: viewCertificate(services),
        memory_bytes: process.memoryUsage.rss(),
        store: {
          bytes: measureFile(join(dataDir, STORE_FILE)),
          log_bytes: measureFile(join(dataDir, STORE_LOG_FILE)),
          disk_free_bytes: disk.bavail * disk.bsize,
          disk_bytes: disk.blocks * disk.bsize,
          disk_floor_bytes: settings.disk_floor,
        },
        queues: {
          writes: store.writesWaiting,
          webhooks: observed.read('webhook_queue'),
          outbound: countAllQueued(store),
          smtp_connections: observed.read('smtp_connections'),
          smtp_connections_max: settings.smtp_connections,
          waits: slots.size,
          waits_max: settings.wait_slots,
        },
        plots: { span: query.span, step_minutes: step, series: Object.fromEntries(series) },
      });
    },
  }),
  ownerRoute({
    name: 'operatorLog',
    method: 'GET',
    path: '/dashboard/api/operator/log',
    who: 'operator',
    run: ({ services }) =>
      ok<LogLineView[]>(
        services.backstage.logTail.lines().map(({ at, ...line }) => ({ ...line, at: isoTime(at) })),
      ),
  }),
  ownerRoute({
    name: 'operatorSettings',
    method: 'GET',
    path: '/dashboard/api/operator/settings',
    who: 'operator',
    run: ({ services }) => ok<SettingView[]>(viewSettings(services.backstage.sources)),
  }),
  ownerRoute({
    name: 'operatorDoctor',
    method: 'POST',
    path: '/dashboard/api/operator/doctor',
    who: 'operator',
    run: async ({ services }) => ok<{ checks: Finding[] }>({ checks: await services.doctor.examine() }),
  }),
];
