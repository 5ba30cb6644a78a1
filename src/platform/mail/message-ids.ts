/**
 * The Message-IDs in a mail's header (RFC 5322 3.6.4), as they are written in practice: folded, without brackets, with
 * words around them. A mail is found by a number made from its Message-ID.
 */
import { isUtf8 } from 'node:buffer';
import { REFERENCES_MAX } from './bounds.ts';

/** With its brackets; no honest one is nearly this long. */
const ID_CHARS_MAX = 500;
/** Message-IDs of In-Reply-To. More than one is a mail program's mistake, or a mail that answers several. */
const PARENTS_MAX = 3;
/** Message-IDs by which a mail is put into a thread: In-Reply-To, the first, and the last ones of References. */
export const REFS_MAX = 12;

const IN_BRACKETS = /<([^<>]{1,998})>/g;

/** What a mail says about its place in a conversation. */
export interface Placing {
  /** The number of its Message-ID; null without one. */
  ref: number | null;
  /** The numbers of those that it refers to: REFS_MAX at most, none twice, never its own. */
  refs: number[];
}

/** The ids of a field's value, each in angle brackets and without white space; none twice. Takes linear time. */
export function readMessageIds(field: string): string[] {
  const bracketed = Array.from(field.matchAll(IN_BRACKETS), ([, id = '']) => id.replace(/\s+/g, ''));
  const found =
    bracketed.length > 0 ? bracketed : field.split(/[\s<>,;]+/).filter((word) => word.includes('@'));
  return [...new Set(found)].filter(isUsable).map((id) => `<${id}>`);
}

/** A mail's own id without the words around it. A value without an id is shown as it is. */
export function readShownId(field: string): string {
  return readMessageIds(field)[0] ?? field;
}

function isUsable(id: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  return id !== '' && id.length <= ID_CHARS_MAX - 2 && !/[\x00-\x1f\x7f]/.test(id);
}

/** The values of the fields, as they are written; a character is a byte. */
export interface WrittenIds {
  'message-id': readonly string[];
  'in-reply-to': readonly string[];
  references: readonly string[];
}

/** What the header of a mail says about its conversation; the ids in angle brackets. */
export function readConversation(written: WrittenIds): {
  in_reply_to: string | null;
  references: string[];
  placing: Placing;
} {
  const readAll = (name: keyof WrittenIds) => written[name].map(decodeUtf8);
  const parents = readAll('in-reply-to').flatMap(readMessageIds).slice(0, PARENTS_MAX);
  const references = readReferences(readAll('references'));
  // Of several the first counts, which is also the one that is shown.
  const [own = ''] = readAll('message-id');
  const placing = placeByIds(readMessageIds(own)[0] ?? null, parents, references);
  return { in_reply_to: parents[0] ?? null, references, placing };
}

/** A header may be UTF-8 (RFC 6532). Bytes that are not stay a character each. */
function decodeUtf8(field: string): string {
  if (!/[\x80-\xff]/.test(field)) return field;
  const bytes = Buffer.from(field, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : field;
}

/** The References of a mail. Of many, keeps the first, which identifies the conversation, and the last ones. */
function readReferences(fields: readonly string[]): string[] {
  const ids = [...new Set(fields.flatMap(readMessageIds))];
  return ids.length > REFERENCES_MAX ? [ids[0]!, ...ids.slice(1 - REFERENCES_MAX)] : ids;
}

/** @param messageId in angle brackets, null without one. */
export function placeByIds(
  messageId: string | null,
  parents: readonly string[],
  references: readonly string[],
): Placing {
  const ref = messageId === null ? null : makeRef(messageId);
  if (parents.length + references.length === 0) return { ref, refs: [] };
  const others = new Set(references.slice(0, 1));
  for (const id of parents) others.add(id);
  // Newest first: these are left out last.
  for (const id of references.slice(1).reverse()) if (others.size < REFS_MAX) others.add(id);
  if (messageId !== null) others.delete(messageId);
  return { ref, refs: [...others].map(makeRef) };
}

/**
 * The number of a Message-ID: 53 bits of XXH64. Stored, so it must never change. Nobody gains from finding two ids of
 * the same number: to get into a thread, it is enough to refer to it.
 */
export function makeRef(id: string): number {
  return Number(Bun.hash.xxHash64(id) >> 11n);
}
