import { formatMonth, isoTime } from '../../platform/core/clock.ts';
import type { Inbox as InboxRow } from './sql.ts';
import type { InboxDetailView, InboxView } from './wire.ts';

export function viewInbox(row: InboxRow): InboxView {
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

export function viewInboxDetail(row: InboxRow, webhookConfigured: boolean, nowUs: number): InboxDetailView {
  return {
    ...viewInbox(row),
    message_count_month: row.month === formatMonth(nowUs) ? row.month_count : 0,
    webhook_configured: webhookConfigured,
  };
}
