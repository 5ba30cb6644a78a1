import { z } from 'zod';
import { findMessage } from './mail.ts';
import { formatMessagePath, writeSegment } from './paths.ts';
import { askData, defineTool, type Tool, type ToolCall, ToolRefused } from './tool.ts';

const bodies = {
  body_text: z.string().optional().describe('The body as plain text. Required without body_html.'),
  body_html: z.string().optional().describe('The body as HTML. Required without body_text.'),
};
const addresses = z.array(z.string());

const attachments = z
  .array(
    z.strictObject({
      filename: z.string().optional().describe('Required with content.'),
      content_type: z.string().optional(),
      content: z.string().optional().describe('The file in base64. Only for small files.'),
      message_id: z.string().optional().describe('Instead of content: id of a message with the attachment.'),
      index: z.int().min(0).optional().describe('With message_id: the `index` of the attachment.'),
    }),
  )
  .optional()
  .describe('Files to attach: each has either content and filename, or message_id and index.');

interface Queued {
  id: string;
  status: string;
  from_address?: string;
}

const QUEUED =
  'Returns the id and the status of the queued email, which is sent within seconds. With status `held`, a person must ' +
  'approve it first: do not send it again.';
/** The note for the model when an email is held. */
const HELD =
  'This email has not been sent yet. An owner of the account must approve it, and may reject it. Do not send it again: ' +
  'continue with something else, or tell the user.';

export const sendingTools: readonly Tool[] = [
  defineTool({
    name: 'send_email',
    title: 'Send an email',
    description: `Sends an email from one of your inboxes, or from any address on a verified domain of yours. ${QUEUED} The server and the account's plan must allow sending.`,
    isOpenWorld: true,
    args: z.strictObject({
      inbox: z
        .string()
        .optional()
        .describe('Id or address of the inbox to send from. Required without from_address.'),
      from_address: z
        .string()
        .optional()
        .describe('Instead of inbox: an address on one of your verified domains.'),
      to: addresses.describe('At most 10 recipients in total, including cc and bcc.'),
      cc: addresses.optional(),
      bcc: addresses.optional().describe('Only with from_address.'),
      reply_to: z.string().optional().describe('Only with from_address.'),
      subject: z.string(),
      ...bodies,
      attachments,
    }),
    async run(call) {
      const { inbox, ...email } = call.args;
      const path = inbox === undefined ? '/outbound_emails' : `/inboxes/${writeSegment(inbox)}/compose`;
      return queue(call, path, email);
    },
  }),
  defineTool({
    name: 'reply_to_message',
    title: 'Reply to an email',
    description: `Replies to an email that you received, from the inbox that received it. ${QUEUED}`,
    isOpenWorld: true,
    args: z.strictObject({
      message_id: z.string().describe('Id of the message to reply to.'),
      ...bodies,
      attachments,
      cc: addresses.optional(),
      reply_all: z.boolean().optional().describe('true also sends to the other recipients of the original.'),
    }),
    async run(call) {
      const { message_id, ...body } = call.args;
      const { inbox_id } = await findMessage(call, message_id);
      return queue(call, `/inboxes/${inbox_id}${formatMessagePath(message_id)}/reply`, body);
    },
  }),
  defineTool({
    name: 'forward_message',
    title: 'Forward an email',
    description: `Forwards an email that you received, quoted below your text. ${QUEUED}`,
    isOpenWorld: true,
    args: z.strictObject({
      message_id: z.string().describe('Id of the message to forward.'),
      to: addresses,
      body_text: z.string().optional().describe('Your text above the quoted email.'),
      body_html: z.string().optional().describe('The same as HTML.'),
      attachments,
      include_attachments: z
        .boolean()
        .optional()
        .describe('true also forwards the attachments of the email.'),
      as_attachment: z
        .boolean()
        .optional()
        .describe(
          'true attaches the whole email as a file instead of quoting it. Not with include_attachments.',
        ),
    }),
    async run(call) {
      const { message_id, ...body } = call.args;
      const { inbox_id } = await findMessage(call, message_id);
      return queue(call, `/inboxes/${inbox_id}${formatMessagePath(message_id)}/forward`, body);
    },
  }),
  defineTool({
    name: 'verify_address',
    title: 'Check an email address',
    description:
      'Checks whether an email address can receive mail, without sending any: its syntax, domain and mail servers, and ' +
      'whether it is a disposable or a role address.',
    isReadOnly: true,
    isOpenWorld: true,
    args: z.strictObject({
      email: z.string(),
      mode: z
        .enum(['safe', 'full'])
        .optional()
        .describe(
          '"full" also asks the address\'s mail server, where this server allows that. "safe" by default.',
        ),
    }),
    async run(call) {
      const verification = await askData<Record<string, unknown>>(call, {
        method: 'POST',
        path: '/verify',
        body: call.args,
      });
      return { json: { verification } };
    },
  }),
];

async function queue(call: ToolCall<unknown>, path: string, body: unknown) {
  try {
    const { id, status, from_address } = await askData<Queued>(call, { method: 'POST', path, body });
    const note = status === 'held' ? { note: HELD } : {};
    return { json: { email: { id, status, from_address }, ...note } };
  } catch (fault) {
    // Where sending is off, the API answers as if its routes did not exist. A model can't guess that.
    if (!(fault instanceof ToolRefused) || fault.error.code !== 'not_found') throw fault;
    const hint =
      'Either sending is off on this server (POSTERN_OUTBOUND), or the inbox or message does not exist.';
    throw new ToolRefused({ ...fault.error, hint });
  }
}
