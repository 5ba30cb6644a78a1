import { z } from 'zod';
import { isoTime, monthOf } from '../../platform/core/clock.ts';
import type { Inbox as InboxRow } from './sql.ts';

const fields = {
  id: z.string(),
  address: z.string(),
  routing_key: z.string(),
  label: z.string().describe('Empty when none.'),
  domain: z.string().nullable().describe('Id of the custom domain; null on the shared domain.'),
  is_public: z.boolean(),
  is_enabled: z.boolean(),
  is_catch_all: z
    .boolean()
    .describe("The target of its domain's catch-all, which is on: it can not be deleted."),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** An inbox on the wire (decisions.md, Objects). */
export const InboxShape = z.object(fields).meta({ id: 'Inbox' });

export const InboxDetail = z
  .object({
    ...fields,
    message_count_month: z.int().describe('Messages received this calendar month (UTC).'),
    webhook_configured: z.boolean(),
  })
  .meta({ id: 'InboxDetail' });

export function inboxView(row: InboxRow): z.output<typeof InboxShape> {
  return {
    id: row.id,
    address: row.address,
    routing_key: row.routing_key,
    label: row.label,
    domain: row.domain_id,
    is_public: row.is_public === 1,
    is_enabled: row.is_enabled === 1,
    is_catch_all: row.is_catch_all === 1,
    metadata: JSON.parse(row.metadata),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function inboxDetailView(
  row: InboxRow,
  webhookConfigured: boolean,
  nowUs: number,
): z.output<typeof InboxDetail> {
  return {
    ...inboxView(row),
    message_count_month: row.month === monthOf(nowUs) ? row.month_count : 0,
    webhook_configured: webhookConfigured,
  };
}
