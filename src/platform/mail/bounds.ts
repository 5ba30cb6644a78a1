/**
 * Bounds on what is derived from a stranger's mail. The raw message is always kept whole; a cut sets `truncated`.
 * Each bound stops an input that would otherwise cost unlimited time or memory.
 */

/** Octets of a header section; with more, only the headers are read. Stops address lists of 1 MB. */
export const HEADER_BYTES_MAX = 128 * 1024;
/** Octets of the headers that are read when the whole mail can't be parsed. */
export const HEADER_RESCUE_BYTES = 64 * 1024;
/** Lines of these headers: mailsplit counts at least 64 octets a line, and refuses more than HEADER_BYTES_MAX. */
export const HEADER_RESCUE_LINES = 1000;
/** MIME parts (docs/decisions.md, SMTP). */
export const PARTS_MAX = 1000;
/** Nested multiparts (docs/decisions.md, SMTP). */
export const LEVELS_MAX = 50;
/** Characters of text, and of html, that are kept. */
export const BODY_CHARS_MAX = 1024 * 1024;
/**
 * Control characters of a kept text, without white space. No honest text has many, and in JSON each is six bytes:
 * with 3 MiB of them, each read of the message would block the server for 0.1 s.
 */
export const BODY_CONTROLS_MAX = 64 * 1024;
/**
 * Decoded bytes of one kind of text (plain, html) that are read: as many as the kept characters can need in UTF-8. The
 * rest is dropped before it is split into lines: 24 MB of line ends took 8.5 s and 1.1 GB.
 */
export const TEXT_BYTES_MAX = 3 * BODY_CHARS_MAX;
/** Bytes of text before decoding: quoted-printable needs three per byte, and is collected before it is decoded. */
export const ENCODED_TEXT_BYTES_MAX = 4 * TEXT_BYTES_MAX;
/** Decoded bytes of text in a charset other than UTF-8: two per character are enough. */
export const CHARSET_TEXT_BYTES_MAX = 2 * BODY_CHARS_MAX;
/** Characters of a subject, an address or another single value. */
export const VALUE_CHARS_MAX = 2000;
/** Addresses in one list. They are stored in the hot table, so no more than a person would read. */
export const ADDRESSES_MAX = 200;
/** Characters of one list of addresses. */
export const ADDRESS_LIST_CHARS_MAX = 16 * 1024;
/**
 * Addresses in From that an inbox's lists of senders are applied to. Honest mail has one; a mail with more than this
 * counts as from nobody, so that a blocked sender can't hide among strangers.
 */
export const SENDERS_MAX = 10;
/** Attachments listed. */
export const ATTACHMENTS_MAX = 1000;
/** Characters of all their names, types and ids: a thousand of VALUE_CHARS_MAX would block each read for long. */
export const ATTACHMENT_CHARS_MAX = 512 * 1024;
/** Links listed, and characters of one. */
export const LINKS_MAX = 100;
export const LINK_CHARS_MAX = 2000;
/** Characters of a link's address in HTML. */
export const HREF_CHARS_MAX = 8 * 1024;
/** Characters of a code: eight groups of six. */
export const CODE_CHARS_MAX = 64;
/** Codes that are reported as candidates. */
export const CANDIDATES_MAX = 10;
/** Characters of text around a code. */
export const CONTEXT_CHARS_MAX = 80;
/** More Received headers mean a mail loop (RFC 5321 6.3). */
export const RECEIVED_MAX = 100;
/** Message-IDs kept of a conversation: the first, which identifies it, and the last ones. */
export const REFERENCES_MAX = 30;
/** Characters of a mail's text, and of its html, that a forwarded email quotes. */
export const QUOTED_TEXT_CHARS_MAX = 64 * 1024;
export const QUOTED_HTML_CHARS_MAX = 256 * 1024;
/** Nested elements in quoted html; the parser's time grows with their square. */
export const QUOTED_HTML_LEVELS_MAX = 200;
