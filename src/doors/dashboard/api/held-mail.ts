import { isOutboundOn } from '../../../features/outbound/entitle.ts';
import { openMime } from '../../../features/outbound/mime/sql.ts';
import { findOwnEmail, type OutboundEmail } from '../../../features/outbound/sql.ts';
import { fail } from '../../../platform/core/failure.ts';
import { ok } from '../../../platform/http/reply.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { UnstoredMail } from '../../../platform/mail/parsed.ts';
import { renderUnstored } from '../frame.ts';
import type { DashboardServices } from '../services.ts';
import type { ReadOnlyMail } from '../wire.ts';
import { viewUnstored } from './attached-mail.ts';
import { answerFrame, frameQuery } from './frame-answer.ts';
import { ownerRoute } from './owner-route.ts';

/**
 * A held email, parsed from its bytes rather than from the request that created it, because an owner approves what will
 * be sent. A member may be an agent that a stranger misled, so it is read in the parser process and shown like a
 * stranger's mail.
 */

/** The texts come first in what Postern composes; attachments behind this are listed from the row. */
const READ_BYTES_MAX = 2 * 1024 * 1024;

const PATH = '/dashboard/api/outbound_emails/:id/mail';
const held = { method: 'GET', who: 'owner', open: isOutboundOn } as const;

export const heldMailRoutes: readonly Route<DashboardServices>[] = [
  ownerRoute({
    ...held,
    name: 'dashboardHeldMail',
    path: PATH,
    async run({ services, visitor, params }) {
      const { email, mail } = await readHeld(services, visitor.account.no, params.id);
      return ok<ReadOnlyMail>({
        ...viewUnstored(mail),
        // It has a Date header, but it has not been sent.
        sent_at: null,
        attachments: JSON.parse(email.attachments),
      });
    },
  }),
  ownerRoute({
    ...held,
    name: 'dashboardHeldFrame',
    path: `${PATH}/frame`,
    content: ['text/html'],
    query: frameQuery,
    async run({ services, visitor, params, query, request }) {
      const accountNo = visitor.account.no;
      const { mail } = await readHeld(services, accountNo, params.id);
      return answerFrame(request, query, (look, kind) =>
        renderUnstored(services, accountNo, mail.content.html, look, kind),
      );
    },
  }),
];

async function readHeld(
  services: DashboardServices,
  accountNo: number,
  id: string | undefined,
): Promise<{ email: OutboundEmail; mail: UnstoredMail }> {
  const email = findOwnEmail(services.store, accountNo, id ?? '') ?? fail('not_found');
  const mime = openMime(services.store, email.no) ?? fail('not_found');
  const held = services.heldBytes.take(accountNo, Math.min(mime.size, READ_BYTES_MAX));
  try {
    const pieces: Uint8Array[] = [];
    let left = READ_BYTES_MAX;
    for (const piece of mime.read()) {
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
    const mail = await services.mailReader.unstoredMail(Buffer.concat(pieces), accountNo);
    return { email, mail: mail ?? fail('not_found') };
  } finally {
    held.release();
  }
}
