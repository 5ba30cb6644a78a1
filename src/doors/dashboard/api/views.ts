import { readAttachmentBytes } from '../../../features/messages/attachment.ts';
import { readPieces } from '../../../features/messages/raw.ts';
import { findOwnRaw } from '../../../features/messages/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { AttachmentInfo } from '../../../platform/mail/parsed.ts';
import { readContent } from '../../../platform/mail/stored-mail.ts';
import { renderFrame } from '../frame.ts';
import { pictureTypes } from '../inline-images.ts';
import { dashboardRoute } from '../route.ts';
import type { DashboardServices } from '../services.ts';
import { answerFrame, frameQuery } from './frame-answer.ts';

/** Views of a mail: its HTML in a frame, its source, its pictures. */

/** Most bytes of a source to show; the download has the rest. */
const SOURCE_BYTES_MAX = 512 * 1024;
const PICTURE_BYTES_MAX = 16 * 1024 * 1024;

/** For bytes of a stranger that are opened by themselves: they run and load nothing. */
const INERT = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };

/** Whether an attachment can be shown as a picture. */
export function isPicture({ content_type, size }: Pick<AttachmentInfo, 'content_type' | 'size'>): boolean {
  return pictureTypes.includes(content_type) && size <= PICTURE_BYTES_MAX;
}

export const viewRoutes: readonly Route<DashboardServices>[] = [
  dashboardRoute({
    name: 'dashboardFrame',
    method: 'GET',
    path: '/dashboard/api/messages/:id/frame',
    content: ['text/html'],
    query: frameQuery,
    run: ({ services, visitor, params, query, request }) =>
      answerFrame(request, query, (look, kind) =>
        renderFrame(services, visitor.account.no, params.id ?? '', look, kind),
      ),
  }),
  dashboardRoute({
    name: 'dashboardSource',
    method: 'GET',
    path: '/dashboard/api/messages/:id/source',
    content: ['text/plain'],
    run({ services, visitor, params }) {
      const raw = findOwnRaw(services.store, visitor.account.no, params.id ?? '') ?? fail('not_found');
      const pieces: Uint8Array[] = [];
      let size = 0;
      for (const piece of readPieces(services.store, raw)) {
        pieces.push(piece);
        size += piece.length;
        if (size > SOURCE_BYTES_MAX) break;
      }
      const bytes = Buffer.concat(pieces).subarray(0, SOURCE_BYTES_MAX);
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        ...INERT,
        'x-cut': String(size > SOURCE_BYTES_MAX),
      };
      return { status: 200, bytes, headers };
    },
  }),
  dashboardRoute({
    name: 'dashboardPicture',
    method: 'GET',
    path: '/dashboard/api/messages/:id/attachments/:index/picture',
    content: ['image/*'],
    async run({ services, visitor, params }) {
      const raw = findOwnRaw(services.store, visitor.account.no, params.id ?? '') ?? fail('not_found');
      const info = readContent(raw).attachments.find(({ index }) => String(index) === params.index);
      if (!info || !isPicture(info)) return fail('not_found');
      const held = services.heldBytes.take(visitor.account.no, info.size);
      try {
        const bytes = await readAttachmentBytes(services, visitor.account.no, raw, info.index);
        if (!bytes) throw new Error(`attachment ${info.index} of ${raw.id} could not be read`);
        const headers = {
          'content-type': info.content_type,
          'content-disposition': 'inline',
          ...INERT,
        };
        return { status: 200, bytes, headers };
      } finally {
        held.release();
      }
    },
  }),
];
