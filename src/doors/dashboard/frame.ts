import { findOwnMessage, findOwnRaw } from '../../features/messages/sql.ts';
import { fail } from '../../platform/core/failure.ts';
import type { FrameLook, SafeHtml } from '../../platform/mail/parsed.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import type { HeldServices } from '../../platform/services.ts';
import { FRAME_SCRIPT_HASH, makeFrameHead } from './frame-script.ts';
import { INLINE_BYTES_MAX, withInlineImages } from './inline-images.ts';

/*
 * A mail's HTML as a document of its own. Its policy is in its own headers, so it also applies when somebody opens the
 * address directly: no script but ours, no form, no request, an opaque origin.
 */

/** Where it is shown: in the dashboard's frame with our script, or by itself without any. */
export type FrameKind = 'framed' | 'alone';

export function makeFrameHeaders(remoteImages: boolean, kind: FrameKind): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      // In the frame, the page around it opens links, after asking. Alone, a click may open one in a new tab.
      kind === 'framed' ? 'sandbox allow-scripts' : 'sandbox allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
      ...(kind === 'framed' ? [`script-src ${FRAME_SCRIPT_HASH}`] : []),
      "style-src 'unsafe-inline'",
      `img-src data:${remoteImages ? ' https: http:' : ''}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-dns-prefetch-control': 'off',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()',
  };
}

/** Renders the document. Fails with 404 if the message is not this account's. */
export async function renderFrame(
  services: HeldServices,
  accountNo: number,
  id: string,
  look: FrameLook,
  kind: FrameKind,
): Promise<string> {
  const row = findOwnMessage(services.store, accountNo, id) ?? fail('not_found');
  const raw = findOwnRaw(services.store, accountNo, id) ?? fail('not_found');
  const { html, attachments } = readContent(row);
  // HTML that waits for the sanitiser is in memory, so its total is bounded; beyond that 429.
  const pictures = attachments.reduce((sum, { size, inline }) => sum + (inline ? size : 0), 0);
  const held = services.heldBytes.take(accountNo, html.length + Math.min(pictures, INLINE_BYTES_MAX));
  try {
    const safe = (await services.mailReader.safeHtml(html, look, accountNo)) ?? REFUSED;
    const shown = await withInlineImages(services, accountNo, raw, attachments, safe.html);
    return wrapFrame(safe, shown, kind);
  } finally {
    held.release();
  }
}

/** Renders the HTML of a mail that is not stored by itself, without its own pictures: nothing indexes them. */
export async function renderUnstored(
  services: HeldServices,
  accountNo: number,
  html: string,
  look: FrameLook,
  kind: FrameKind,
): Promise<string> {
  const held = services.heldBytes.take(accountNo, html.length);
  try {
    const safe = (await services.mailReader.safeHtml(html, look, accountNo)) ?? REFUSED;
    return wrapFrame(safe, safe.html, kind);
  } finally {
    held.release();
  }
}

function wrapFrame({ doctype, removed, hasDark }: SafeHtml, html: string, kind: FrameKind): string {
  return `${doctype}${kind === 'framed' ? makeFrameHead({ removed, hasDark }) : ''}${html}`;
}

/** Shown instead of HTML that took too long to make safe. */
const REFUSED: SafeHtml = {
  doctype: '<!DOCTYPE html>',
  html: '<p style="font:15px/1.5 system-ui,sans-serif">This HTML took too long to make safe. Read the mail as text or source instead.</p>',
  removed: {},
  hasDark: false,
};
