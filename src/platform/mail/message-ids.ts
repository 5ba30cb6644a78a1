/**
 * Reads the Message-IDs in a mail's header (RFC 5322 3.6.4) as they are written in practice: folded, without
 * brackets, with words around them. Threads find a mail by a number computed from its Message-ID (`makeRef`).
 */
import { isUtf8 } from 'node:buffer';
import { decodeAsciiWords } from './ascii-words.ts';
import { REFERENCES_MAX } from './bounds.ts';

/** With its brackets; no honest one is nearly this long. */
export const MESSAGE_ID_CHARS_MAX = 500;
/** Message-IDs of In-Reply-To. With more than one, a mail program is mistaken, or the mail answers several mails. */
const PARENTS_MAX = 3;
/**
 * Message-IDs by which a mail is put into a thread: those of In-Reply-To, the first and the last ones of References.
 */
export const REFS_MAX = 12;

const IN_BRACKETS = /<([^<>]{1,998})>/g;

/** What a mail says about its place in a conversation. */
export interface Placing {
  /** The number of its Message-ID; null if it has none. */
  ref: number | null;
  /** The numbers of the Message-IDs that it refers to: at most REFS_MAX, none twice, never its own. */
  refs: number[];
}

/**
 * Returns the ids of a field's value, each in angle brackets and without white space; none twice. Takes linear time.
 */
export function readMessageIds(written: string): string[] {
  const field = decodeAsciiWords(written);
  const bracketed = Array.from(field.matchAll(IN_BRACKETS), ([, id = '']) => id.replace(/\s+/g, ''));
  const found =
    bracketed.length > 0 ? bracketed : field.split(/[\s<>,;]+/).filter((word) => word.includes('@'));
  return [...new Set(found)].filter(isUsable).map((id) => `<${id}>`);
}

/** Returns a mail's own id without the words around it. A value without an id is returned unchanged. */
export function readShownId(field: string): string {
  return readMessageIds(field)[0] ?? field;
}

function isUsable(id: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  return id !== '' && id.length <= MESSAGE_ID_CHARS_MAX - 2 && !/[\x00-\x1f\x7f]/.test(id);
}

/** The values of the fields as written; each character is one byte. */
export interface WrittenIds {
  'message-id': readonly string[];
  'in-reply-to': readonly string[];
  references: readonly string[];
}

/** Reads what the header of a mail says about its conversation. The ids are in angle brackets. */
export function readConversation(written: WrittenIds): {
  in_reply_to: string | null;
  references: string[];
  placing: Placing;
} {
  const readAll = (name: keyof WrittenIds) => written[name].map(decodeUtf8);
  const parents = readAll('in-reply-to').flatMap(readMessageIds).slice(0, PARENTS_MAX);
  const references = readReferences(readAll('references'));
  // If there are several, the first counts. It is also the one that is shown.
  const [own = ''] = readAll('message-id');
  const placing = placeByIds(readMessageIds(own)[0] ?? null, parents, references);
  return { in_reply_to: parents[0] ?? null, references, placing };
}

/** Decodes a field in UTF-8 (RFC 6532). A field that is not UTF-8 is returned unchanged. */
function decodeUtf8(field: string): string {
  if (!/[\x80-\xff]/.test(field)) return field;
  const bytes = Buffer.from(field, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : field;
}

/**
 * Returns the References of a mail. If there are many, the first, which identifies the conversation, and the last
 * ones.
 */
function readReferences(fields: readonly string[]): string[] {
  const ids = [...new Set(fields.flatMap(readMessageIds))];
  return ids.length > REFERENCES_MAX ? [ids[0]!, ...ids.slice(1 - REFERENCES_MAX)] : ids;
}

/**
 * Computes a mail's place in its conversation from Message-IDs, all in angle brackets.
 *
 * @param messageId null if the mail has none.
 */
export function placeByIds(
  messageId: string | null,
  parents: readonly string[],
  references: readonly string[],
): Placing {
  const ref = messageId === null ? null : makeRef(messageId);
  if (parents.length + references.length === 0) return { ref, refs: [] };
  const others = new Set(references.slice(0, 1));
  for (const id of parents) others.add(id);
  // Newest first, so that the oldest are left out.
  for (const id of references.slice(1).reverse()) if (others.size < REFS_MAX) others.add(id);
  if (messageId !== null) others.delete(messageId);
  return { ref, refs: [...others].map(makeRef) };
}

/**
 * Computes the number of a Message-ID: 53 bits of XXH64. It is stored, so it must never change. Nobody gains by
 * finding two ids with the same number: to get into a thread, it is enough to refer to it.
 */
export function makeRef(id: string): number {
  return Number(Bun.hash.xxHash64(id) >> 11n);
}
