/**
 * Bounds on what is made of a stranger's mail. The raw message is kept whole whatever they cut;
 * a cut sets `truncated`. Each stops an input that would otherwise cost time or memory without end.
 */

/** Octets of one header section; more is read as headers only (traps part 1, section 3: address lists of 1 MB). */
export const HEADER_BYTES_MAX = 128 * 1024;
/** What is read of the headers when the whole mail can't be parsed. */
export const HEADER_RESCUE_BYTES = 64 * 1024;
/** MIME parts (decisions.md, SMTP). */
export const PARTS_MAX = 1000;
/** Levels of multiparts inside each other (decisions.md, SMTP). */
export const LEVELS_MAX = 50;
/** Characters of text and of html that are kept. */
export const BODY_CHARS_MAX = 1024 * 1024;
/**
 * Bytes of decoded text of one kind (plain, html) that are read: what UTF-8 needs at most for the characters kept. The
 * rest is dropped before anything splits it into lines: 24 MB of line ends took 8.5 s and 1.1 GB.
 */
export const TEXT_BYTES_MAX = 3 * BODY_CHARS_MAX;
/** Bytes of text before it is decoded: quoted-printable writes three for one, and is gathered before it is decoded. */
export const ENCODED_TEXT_BYTES_MAX = 4 * TEXT_BYTES_MAX;
/** Bytes of text in a charset other than UTF-8: two for a character are enough. */
export const CHARSET_TEXT_BYTES_MAX = 2 * BODY_CHARS_MAX;
/** Characters of a subject, an address or another single value. */
export const VALUE_CHARS_MAX = 2000;
/** Addresses in one list; they stand in the hot table, so no more of them than a person would read. */
export const ADDRESSES_MAX = 200;
/** Characters of one list of addresses. */
export const ADDRESS_LIST_CHARS_MAX = 16 * 1024;
/** Attachments listed. */
export const ATTACHMENTS_MAX = 1000;
/** A mail with more Received headers goes round in circles (RFC 5321 6.3). */
export const RECEIVED_MAX = 100;
/** Message-IDs of a conversation that are kept: the first, which names it, and the last ones. */
export const REFERENCES_MAX = 30;
/** Characters of text and of html of a mail that are quoted when it is forwarded. */
export const QUOTED_TEXT_CHARS_MAX = 64 * 1024;
export const QUOTED_HTML_CHARS_MAX = 256 * 1024;
/** Elements inside each other in html that is quoted; the parser takes time by their square. */
export const QUOTED_HTML_LEVELS_MAX = 200;
