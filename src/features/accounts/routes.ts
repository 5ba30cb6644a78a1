import { z } from 'zod';
import { formatMonth, isoTime } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { describeData } from '../../platform/http/page.ts';
import { ok } from '../../platform/http/reply.ts';
import { routeOn } from '../../platform/http/route.ts';
import { findAccountByNo, readUsage } from './sql.ts';
import type { MeterServices } from './usage/meter.ts';

/** The caller's own account (docs/decisions.md, Objects: added to v1). */
const Account = z
  .object({
    id: z.string(),
    plan: z.string(),
    kind: z.string(),
    status: z.string(),
    caps: z.record(z.string(), z.number()).describe("The plan's caps, by name."),
    usage: z
      .object({
        month: z.string(),
        messages_received: z.int(),
        webhook_attempts: z.int(),
        outbound_recipients: z.int(),
        verifications: z.int(),
      })
      .meta({ id: 'AccountUsage' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Account' });

const route = routeOn<MeterServices>();

export const accountRoutes = [
  route({
    name: 'getAccount',
    method: 'GET',
    path: '/api/v1/account',
    summary: 'Get the account',
    description:
      'Returns the account that the key belongs to, the caps of its plan, and its usage in this calendar month (UTC).',
    tag: 'Account',
    responses: { 200: describeData(Account) },
    async run({ services, caller, nowUs }) {
      await services.meter.flush();
      const account = findAccountByNo(services.store, caller.account.no) ?? fail('not_found');
      const { id, plan, kind, status, created_at } = account;
      const usage = readUsage(services.store, account.no, formatMonth(nowUs));
      return ok({
        id,
        plan,
        kind,
        status,
        caps: services.plans[plan],
        usage,
        created_at: isoTime(created_at),
      });
    },
  }),
];
