import { z } from 'zod';
import { readAttachmentBytes } from '../../../features/messages/attachment.ts';
import { findOwnRaw } from '../../../features/messages/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import type { Param } from '../../../platform/http/query.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { AttachedContent, AttachmentInfo } from '../../../platform/mail/parsed.ts';
import { readContent } from '../../../platform/mail/stored-mail.ts';
import { makeFrameHeaders, wrapFrame } from '../frame.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import type { AttachedMail } from '../wire.ts';
import { loadsRemote } from './remote-content.ts';

/** A mail that is attached to a mail, as a forwarded one is. It is read when it is opened, and stored nowhere. */

/** Larger ones can be downloaded. It is read again for its frame, so it stays small. */
const ATTACHED_BYTES_MAX = 2 * 1024 * 1024;

/** Whether an attachment can be opened as a mail. */
export function isMail({ content_type, size }: Pick<AttachmentInfo, 'content_type' | 'size'>): boolean {
  return content_type === 'message/rfc822' && size <= ATTACHED_BYTES_MAX;
}

const flag = (about: string): Param<boolean> => ({
  schema: z.boolean(),
  about,
  read: (text) => text === 'true',
});

const PATH = '/dashboard/api/messages/:id/attachments/:index/mail';

export const attachedMailRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardAttachedMail',
    method: 'GET',
    path: PATH,
    async run({ services, visitor, params }) {
      const found = await readAttached(services, visitor.account.no, params);
      const { summary, content } = found;
      return ok<AttachedMail>({
        subject: summary.subject,
        from: summary.from,
        to: summary.to,
        cc: summary.cc,
        sent_at: content.sent_at,
        text: content.text,
        html: content.html,
        remote_content: loadsRemote(content.html),
        attachments: content.attachments.map(({ filename, size }) => ({ filename, size })),
      });
    },
  }),
  dashboardRoute({
    name: 'dashboardAttachedFrame',
    method: 'GET',
    path: `${PATH}/frame`,
    content: ['text/html'],
    query: {
      images: flag('true lets the HTML load images from other hosts.'),
      dark: flag('true shows the HTML as to a reader who prefers dark.'),
    },
    async run({ services, visitor, params, query, request }) {
      const kind = request.headers.get('sec-fetch-dest') === 'document' ? 'alone' : 'framed';
      const { content } = await readAttached(services, visitor.account.no, params);
      const look = { remoteImages: query.images, dark: query.dark };
      const giveBack = services.heldBytes.take(content.html.length);
      try {
        const safe = await services.mailReader.safeHtml(content.html, look, visitor.account.no);
        // Its own pictures are left out: they are in a mail that nothing indexes.
        const bytes = Buffer.from(wrapFrame(safe, safe?.html, kind));
        return { status: 200, bytes, headers: makeFrameHeaders(query.images, kind) };
      } finally {
        giveBack();
      }
    },
  }),
];

async function readAttached(
  services: DashboardServices,
  accountNo: number,
  params: Record<string, string | undefined>,
): Promise<AttachedContent> {
  const raw = findOwnRaw(services.store, accountNo, params.id ?? '') ?? fail('not_found');
  const info = readContent(raw).attachments.find(({ index }) => String(index) === params.index);
  if (!info || !isMail(info)) return fail('not_found');
  const giveBack = services.heldBytes.take(info.size);
  try {
    const bytes = await readAttachmentBytes(services, accountNo, raw, info.index);
    const found = bytes && (await services.mailReader.attachedMail(bytes, accountNo));
    return found || fail('not_found');
  } finally {
    giveBack();
  }
}
