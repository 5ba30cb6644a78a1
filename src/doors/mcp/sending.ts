import { z } from 'zod';
import { findMessage } from './mail.ts';
import { messagePath, writeSegment } from './paths.ts';
import { askData, defineTool, type Tool, type ToolCall, ToolRefused } from './tool.ts';

const bodies = {
  body_text: z.string().optional().describe('The text. It or body_html is required.'),
  body_html: z.string().optional().describe('The same as HTML.'),
};
const addresses = z.array(z.string());

const attachments = z
  .array(
    z.strictObject({
      filename: z.string().optional().describe('Required with content.'),
      content_type: z.string().optional(),
      content: z.string().optional().describe('Base64. Only for small files.'),
      message_id: z.string().optional().describe('Instead of content: a received message.'),
      index: z.int().min(0).optional().describe('Which of its attachments.'),
    }),
  )
  .optional()
  .describe('Files: content, or an attachment that you received.');

interface Queued {
  id: string;
  status: string;
  from_address?: string;
}

const QUEUED =
  'Returns the id and the status of the queued email; it is sent within seconds. With the status `held`, a person has ' +
  'to approve it first: do not send it again.';
/** The note for the model when an email is held. */
const HELD =
  'This email is not sent yet. An owner of the account has to approve it, and may reject it. Do not send it again; go on ' +
  'with something else, or tell the user.';

export const sendingTools: readonly Tool[] = [
  defineTool({
    name: 'send_email',
    title: 'Send an email',
    description: `Sends an email from an inbox of yours, or from any address of a verified domain of yours. ${QUEUED} Needs a plan and a server that may send.`,
    isOpenWorld: true,
    args: z.strictObject({
      inbox: z.string().optional().describe('Id or address of the inbox to send from.'),
      from_address: z
        .string()
        .optional()
        .describe('Instead of `inbox`: an address on a verified domain of yours.'),
      to: addresses.describe('At most 10 recipients with cc and bcc.'),
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
    description: `Replies to an email that you received, from the inbox that it came to. ${QUEUED}`,
    isOpenWorld: true,
    args: z.strictObject({
      message_id: z.string().describe('Id of the message to reply to.'),
      ...bodies,
      attachments,
      cc: addresses.optional(),
      reply_all: z.boolean().optional().describe('Also to the other recipients of the original.'),
    }),
    async run(call) {
      const { message_id, ...body } = call.args;
      const { inbox_id } = await findMessage(call, message_id);
      return queue(call, `/inboxes/${inbox_id}${messagePath(message_id)}/reply`, body);
    },
  }),
  defineTool({
    name: 'forward_message',
    title: 'Forward an email',
    description: `Forwards an email that you received, quoted. ${QUEUED}`,
    isOpenWorld: true,
    args: z.strictObject({
      message_id: z.string().describe('Id of the message to forward.'),
      to: addresses,
      body_text: z.string().optional().describe('Text above the quoted email.'),
      attachments,
      include_attachments: z.boolean().optional().describe('With the attachments of the email.'),
      as_attachment: z.boolean().optional().describe('The whole email as a file instead of quoted.'),
    }),
    async run(call) {
      const { message_id, ...body } = call.args;
      const { inbox_id } = await findMessage(call, message_id);
      return queue(call, `/inboxes/${inbox_id}${messagePath(message_id)}/forward`, body);
    },
  }),
  defineTool({
    name: 'verify_address',
    title: 'Check an email address',
    description:
      'Says whether an email address could receive mail: syntax, domain, mail servers, disposable or role address. ' +
      'It sends nothing.',
    isReadOnly: true,
    isOpenWorld: true,
    args: z.strictObject({
      email: z.string(),
      mode: z.enum(['safe', 'full']).optional().describe('full also asks its mail server, if allowed here.'),
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
    // The API hides its sending routes where sending is off, which a model can't guess.
    if (!(fault instanceof ToolRefused) || fault.error.code !== 'not_found') throw fault;
    const hint =
      'Either sending is off on this server (POSTERN_OUTBOUND), or there is no such inbox or message.';
    throw new ToolRefused({ ...fault.error, hint });
  }
}
