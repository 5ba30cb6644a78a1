/** 255 octets in the DNS are 253 characters in text, without the trailing dot (RFC 1035 2.3.4). */
export const HOST_NAME_CHARS_MAX = 253;

/**
 * Letters, digits and inner hyphens (RFC 1123 2.1). The last label is not a number, which could be read as an IPv4
 * address (RFC 3696 2).
 */
const HOST_NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?![0-9]+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a text is a host name in lower-case ASCII. It may be a single label. */
export function isHostName(text: string): boolean {
  return text.length <= HOST_NAME_CHARS_MAX && HOST_NAME.test(text);
}
