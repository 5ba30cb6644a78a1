import { z } from 'zod';

const fields = {
  id: z.string(),
  address: z.string(),
  routing_key: z.string(),
  label: z.string().describe('Empty if none was set.'),
  domain: z.string().nullable().describe('The id of the custom domain; null on the shared domain.'),
  is_public: z.boolean(),
  is_enabled: z.boolean(),
  is_catch_all: z
    .boolean()
    .describe("Whether it gets its domain's catch-all mail. Then it can't be deleted or disabled."),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** The operations to which the OpenAPI document links an inbox. */
export const inboxLinks = {
  getInbox: { id: 'id' },
  updateInbox: { id: 'id' },
  listMessages: { id: 'id' },
  getLatestMessage: { id: 'id' },
  waitForMessage: { id: 'id' },
  streamMessages: { id: 'id' },
  composeEmail: { id: 'id' },
  testWebhook: { id: 'id' },
  readPublicMessages: { email: 'address' },
  deleteInbox: { id: 'id' },
};

/** An inbox on the wire (docs/decisions.md, Objects). */
export const InboxShape = z.object(fields).meta({ id: 'Inbox' });

export type InboxView = z.output<typeof InboxShape>;

export const InboxDetail = z
  .object({
    ...fields,
    message_count_month: z.int().describe('Messages received this calendar month (UTC).'),
    webhook_configured: z.boolean(),
  })
  .meta({ id: 'InboxDetail' });

export type InboxDetailView = z.output<typeof InboxDetail>;
