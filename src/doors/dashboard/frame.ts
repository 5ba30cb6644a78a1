import { readAttachmentBytes } from '../../features/messages/attachment.ts';
import { findOwnMessage, findOwnRaw, type RawRow } from '../../features/messages/sql.ts';
import type { MessageServices } from '../../features/messages/streamed.ts';
import { fail } from '../../platform/core/failure.ts';
import type { AttachmentInfo } from '../../platform/mail/parsed.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';

/*
 * A mail's HTML as a document of its own, shown in a frame. Its policy is in its own headers, so it also applies when
 * somebody opens the address directly: no script, no form, no request, an opaque origin.
 */

/** Bounds on the number and total size of the mail's own images (`cid:`) that go into the document. */
const INLINE_MAX = 30;
const INLINE_BYTES_MAX = 8 * 1024 * 1024;

/** Types that a browser shows as a picture and that can't contain a script. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

export function makeFrameHeaders(remoteImages: boolean): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      // A click may open a link in a new tab. Without a click nothing happens, since there is no script.
      'sandbox allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
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

/** The document; 404 when the message is not this account's. */
export async function renderFrame(
  services: MessageServices,
  accountNo: number,
  id: string,
  remoteImages: boolean,
): Promise<string> {
  const row = findOwnMessage(services.store, accountNo, id) ?? fail('not_found');
  const raw = findOwnRaw(services.store, accountNo, id) ?? fail('not_found');
  const { html, attachments } = readContent(row);
  // HTML that waits for the sanitiser is in memory, so its total is bounded; beyond that 429.
  const pictures = attachments.reduce((sum, { size, inline }) => sum + (inline ? size : 0), 0);
  const giveBack = services.heldBytes.take(html.length + Math.min(pictures, INLINE_BYTES_MAX));
  try {
    const safe = await services.mailReader.safeHtml(html, remoteImages, accountNo);
    return page(
      safe === null ? REFUSED : await withInlineImages(services, accountNo, raw, attachments, safe),
    );
  } finally {
    giveBack();
  }
}

const REFUSED = '<p>This HTML took too long to make safe. Read the mail as text or source instead.</p>';

/** Our style comes first, so that the mail's own overrides it. White, because mail is designed for that. */
function page(body: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>:root{color-scheme:light}html{background:#fff}body{margin:16px;font:15px/1.5 system-ui,sans-serif;color:#1b1e1c;overflow-wrap:anywhere}img{max-width:100%;height:auto}pre{white-space:pre-wrap}</style>
</head><body>${body}</body></html>`;
}

async function withInlineImages(
  services: PlatformServices,
  accountNo: number,
  raw: RawRow,
  attachments: readonly AttachmentInfo[],
  html: string,
): Promise<string> {
  const wanted = new Map<string, AttachmentInfo>();
  let bytesLeft = INLINE_BYTES_MAX;
  for (const info of attachments) {
    const cid = info.content_id?.replace(/^<|>$/g, '');
    const isShown =
      cid && pictureTypes.includes(info.content_type) && html.includes(`"cid:${escapeAttribute(cid)}"`);
    if (!isShown || wanted.size >= INLINE_MAX || info.size > bytesLeft) continue;
    bytesLeft -= info.size;
    wanted.set(cid, info);
  }
  let shown = html;
  for (const [cid, { index, content_type }] of wanted) {
    const bytes = await readAttachmentBytes(services, accountNo, raw, index);
    if (!bytes) continue;
    const data = `"data:${content_type};base64,${Buffer.from(bytes).toString('base64')}"`;
    shown = shown.replaceAll(`"cid:${escapeAttribute(cid)}"`, () => data);
  }
  return shown;
}

/** Escapes as the sanitiser does. */
function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
