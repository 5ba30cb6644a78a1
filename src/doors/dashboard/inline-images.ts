import { readAttachmentBytes } from '../../features/messages/attachment.ts';
import type { RawRow } from '../../features/messages/sql.ts';
import type { AttachmentInfo } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';

/** The mail's own images (`cid:`), put into its document, since its frame may load nothing. */

/** Bounds on their number and total size; the second stops one image that is shown ten thousand times. */
const INLINE_MAX = 30;
export const INLINE_BYTES_MAX = 8 * 1024 * 1024;
const SHOWN_CHARS_MAX = 24 * 1024 * 1024;

/** Types that a browser shows as a picture and that can't contain a script. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

/** An address as an attribute, or in `url()`, as the sanitiser leaves it. */
const CID = /(["'(]|&quot;)cid:([^"'()<>\s]{1,500}?)(?=["')]|&quot;)/gi;

export async function withInlineImages(
  services: PlatformServices,
  accountNo: number,
  raw: RawRow,
  attachments: readonly AttachmentInfo[],
  html: string,
): Promise<string> {
  const named = new Set([...html.matchAll(CID)].map(([, , cid = '']) => cid));
  if (named.size === 0) return html;
  const addresses = new Map<string, string>();
  let bytesLeft = INLINE_BYTES_MAX;
  for (const { content_id, content_type, size, index } of attachments) {
    const cid = escapeAttribute(content_id?.replace(/^<|>$/g, '') ?? '');
    const isShown = pictureTypes.includes(content_type) && (named.has(cid) || named.has(encodeURI(cid)));
    if (!isShown || addresses.size >= INLINE_MAX || size > bytesLeft) continue;
    bytesLeft -= size;
    const bytes = await readAttachmentBytes(services, accountNo, raw, index);
    if (!bytes) continue;
    const address = `data:${content_type};base64,${Buffer.from(bytes).toString('base64')}`;
    addresses.set(cid, address);
    addresses.set(encodeURI(cid), address);
  }
  let charsLeft = SHOWN_CHARS_MAX;
  return html.replace(CID, (whole, before: string, cid: string) => {
    const address = addresses.get(cid);
    if (address === undefined || address.length > charsLeft) return whole;
    charsLeft -= address.length;
    return before + address;
  });
}

/** Escapes as the sanitiser does. */
function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
