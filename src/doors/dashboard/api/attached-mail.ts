import { readAttachmentBytes } from '../../../features/messages/attachment.ts';
import { findOwnRaw } from '../../../features/messages/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { AttachmentInfo, UnstoredMail } from '../../../platform/mail/parsed.ts';
import { readContent } from '../../../platform/mail/stored-mail.ts';
import { renderUnstored } from '../frame.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import type { ReadOnlyMail } from '../wire.ts';
import { answerFrame, frameQuery } from './frame-answer.ts';
import { loadsRemote } from './remote-content.ts';

/** A mail that is attached to a mail, as a forwarded one is. It is read when it is opened, and stored nowhere. */

/** Larger ones can be downloaded. It is read again for its frame, so it stays small. */
const ATTACHED_BYTES_MAX = 2 * 1024 * 1024;

/** Whether an attachment can be opened as a mail. */
export function isMail({ content_type, size }: Pick<AttachmentInfo, 'content_type' | 'size'>): boolean {
  return content_type === 'message/rfc822' && size <= ATTACHED_BYTES_MAX;
}

const PATH = '/dashboard/api/messages/:id/attachments/:index/mail';

export const attachedMailRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardAttachedMail',
    method: 'GET',
    path: PATH,
    async run({ services, visitor, params }) {
      return ok<ReadOnlyMail>(viewUnstored(await readAttached(services, visitor.account.no, params)));
    },
  }),
  dashboardRoute({
    name: 'dashboardAttachedFrame',
    method: 'GET',
    path: `${PATH}/frame`,
    content: ['text/html'],
    query: frameQuery,
    async run({ services, visitor, params, query, request }) {
      const accountNo = visitor.account.no;
      const { content } = await readAttached(services, accountNo, params);
      return answerFrame(request, query, (look, kind) =>
        renderUnstored(services, accountNo, content.html, look, kind),
      );
    },
  }),
];

/** Returns what is shown of a mail that is not stored, as its own headers and text say. */
export function viewUnstored({ summary, content }: UnstoredMail): ReadOnlyMail {
  return {
    subject: summary.subject,
    from: summary.from,
    to: summary.to,
    cc: summary.cc,
    sent_at: content.sent_at,
    text: content.text,
    html: content.html,
    remote_content: loadsRemote(content.html),
    attachments: content.attachments.map(({ filename, size }) => ({ filename, size })),
  };
}

async function readAttached(
  services: DashboardServices,
  accountNo: number,
  params: Record<string, string | undefined>,
): Promise<UnstoredMail> {
  const raw = findOwnRaw(services.store, accountNo, params.id ?? '') ?? fail('not_found');
  const info = readContent(raw).attachments.find(({ index }) => String(index) === params.index);
  if (!info || !isMail(info)) return fail('not_found');
  const held = services.heldBytes.take(accountNo, info.size);
  try {
    const bytes = await readAttachmentBytes(services, accountNo, raw, info.index);
    const found = bytes && (await services.mailReader.unstoredMail(bytes, accountNo));
    return found || fail('not_found');
  } finally {
    held.release();
  }
}
