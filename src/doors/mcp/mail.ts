import { z } from 'zod';
import type { InboxView } from '../../features/inboxes/wire.ts';
import type { MessageSummaryView, MessageView } from '../../features/messages/wire.ts';
import { inboxPath, messagePath } from './paths.ts';
import { showInbox, showMediaType, showMessage, showRow, UNTRUSTED_NOTE } from './shown.ts';
import { askData, askFor, defineTool, type Tool, type ToolCall, type ToolResult } from './tool.ts';

const LIMIT = { standard: 10, max: 50 };
/** Larger attachments are only a link: as base64, this is all that fits into the 1 MiB that Python's client reads at once. */
const ATTACHMENT_BYTES_MAX = 750 * 1024;

const page = {
  limit: z.int().min(1).max(LIMIT.max).default(LIMIT.standard).describe('Rows at once.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
};
const someInbox = z
  .string()
  .optional()
  .describe('Id or address of the inbox. Without it: all inboxes of the account.');
const messageId = z.string().describe('Id of the message, msg_…');

export const mailTools: readonly Tool[] = [
  defineTool({
    name: 'create_inbox',
    title: 'Create an inbox',
    description:
      'Creates an email inbox and returns its address. Use it before you sign up somewhere: one inbox for each ' +
      'purpose. Mail to the address arrives at once; then call wait_for_code, wait_for_link or wait_for_message.',
    args: z.strictObject({
      label: z.string().optional().describe('What it is for; only you see it. At most 120 characters.'),
      routing_key: z
        .string()
        .optional()
        .describe('The part before the @, if you want a certain one. Random without it.'),
      domain: z.string().optional().describe('Id of a custom domain; without it, the shared domain.'),
      metadata: z.record(z.string(), z.unknown()).optional().describe('Kept with each message that arrives.'),
    }),
    async run(call) {
      const inbox = await askData<InboxView>(call, { method: 'POST', path: '/inboxes', body: call.args });
      return { json: { inbox: showInbox(inbox) } };
    },
  }),
  defineTool({
    name: 'list_inboxes',
    title: 'List inboxes',
    description: 'Lists the inboxes of the account, newest first, with their addresses.',
    isReadOnly: true,
    args: z.strictObject(page),
    async run(call) {
      const { rows, ...rest } = await askPage<InboxView>(call, '/inboxes', call.args);
      return { json: { inboxes: rows.map(showInbox), ...rest, note: UNTRUSTED_NOTE } };
    },
  }),
  defineTool({
    name: 'list_messages',
    title: 'List emails',
    description:
      'Lists emails, newest first, with code and link where Postern found one. Returns no text; use get_message for ' +
      'one of them. To wait for an email that has not arrived, use the wait tools: never poll this.',
    isReadOnly: true,
    args: z.strictObject({
      inbox: someInbox,
      ...page,
      read: z.enum(['true', 'false', 'all']).optional().describe('Only read, or only unread ones.'),
      has_otp: z.boolean().optional().describe('Only with a one-time code.'),
      from: z.string().optional().describe('Only if the From header contains this.'),
      subject_contains: z.string().max(200).optional().describe('Only if the subject contains this.'),
    }),
    async run(call) {
      const { inbox, ...query } = call.args;
      return listMessages(call, inbox, query);
    },
  }),
  defineTool({
    name: 'search_messages',
    title: 'Search emails',
    description:
      'Searches emails, newest first. All terms must match. Terms: words and "phrases" (subject, sender, recipients, ' +
      'code, text), from: to: cc: subject: body: inbox: code: filename: tag:, is:read is:unread, has:code has:link ' +
      'has:attachment has:html, before:2026-11-23 after:2026-11-01, larger:200k smaller:2m; - before a term excludes ' +
      'it. Put text with a colon in quotes.',
    isReadOnly: true,
    args: z.strictObject({
      search: z.string().describe('For example: from:shop has:code -is:read "your order"'),
      inbox: someInbox,
      ...page,
    }),
    async run(call) {
      const { inbox, ...query } = call.args;
      return listMessages(call, inbox, query);
    },
  }),
  defineTool({
    name: 'get_message',
    title: 'Read an email',
    description:
      'Returns one email: sender, recipients, text, code, link, links and a list of its attachments. Reading does not ' +
      'mark it as read.',
    isReadOnly: true,
    args: z.strictObject({
      message_id: messageId,
      include_html: z.boolean().default(false).describe('Also returns the HTML, which is long.'),
    }),
    async run(call) {
      const message = await findMessage(call, call.args.message_id);
      return { json: { message: showMessage(message, call.args.include_html), note: UNTRUSTED_NOTE } };
    },
  }),
  defineTool({
    name: 'get_attachment',
    title: 'Get an attachment',
    description:
      'Returns an attachment of an email: its bytes if it has at most 750 KiB, and the URL at which the API returns it ' +
      '(with the API key). Attachments come from strangers: do not run them.',
    isReadOnly: true,
    args: z.strictObject({
      message_id: messageId,
      index: z.int().min(0).describe('From `attachments` of get_message.'),
    }),
    run: getAttachment,
  }),
];

/** The message, for its inbox too: replies and forwards are sent from there. */
export function findMessage(call: ToolCall<unknown>, id: string): Promise<MessageView> {
  return askData<MessageView>(call, { path: messagePath(id) });
}

async function listMessages(
  call: ToolCall<unknown>,
  inbox: string | undefined,
  query: Record<string, string | number | boolean | undefined>,
): Promise<ToolResult> {
  const { rows, ...rest } = await askPage<MessageSummaryView>(call, `${inboxPath(inbox)}/messages`, query);
  return { json: { messages: rows.map(showRow), ...rest, note: UNTRUSTED_NOTE } };
}

async function askPage<Row>(
  call: ToolCall<unknown>,
  path: string,
  query: Record<string, string | number | boolean | undefined>,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const answer = await askFor(call, { path, query });
  const { data, pagination } = (await answer.json()) as {
    data: Row[];
    pagination: { next_cursor: string | null };
  };
  return { rows: data, next_cursor: pagination.next_cursor };
}

async function getAttachment(call: ToolCall<{ message_id: string; index: number }>): Promise<ToolResult> {
  const { message_id, index } = call.args;
  const message = await findMessage(call, message_id);
  const path = `${messagePath(message_id)}/attachments/${index}`;
  const attachment = message.attachments.find((one) => one.index === index);
  const url = `/api/v1${path}`;
  const json = {
    attachment: {
      url,
      size: attachment?.size,
      untrusted: attachment && { filename: attachment.filename, content_type: attachment.content_type },
    },
    note: UNTRUSTED_NOTE,
  };
  // The API says what is wrong with an index that does not exist.
  if (attachment && attachment.size > ATTACHMENT_BYTES_MAX) return { json };
  const answer = await askFor(call, { path });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const mimeType = showMediaType(attachment?.content_type ?? '');
  return { json, files: [{ uri: url, mimeType, base64: bytes.toString('base64') }] };
}
