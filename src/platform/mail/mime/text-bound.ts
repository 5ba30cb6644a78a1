import type { Transform } from 'node:stream';
import {
  BODY_CHARS_MAX,
  BODY_CONTROLS_MAX,
  CHARSET_TEXT_BYTES_MAX,
  ENCODED_TEXT_BYTES_MAX,
  TEXT_BYTES_MAX,
  VALUE_CHARS_MAX,
} from '../bounds.ts';
import { isUtf8Name } from './charset.ts';

/*
 * Bounds a mail's text right after its transfer decoding, before mailparser collects it, decodes its charset and
 * splits it into lines, which takes many times the memory of the text.
 */

/** A part as mailparser creates it. `decoder` decodes the transfer encoding; a multipart has none. */
export interface ParserNode {
  contentType?: string | false;
  charset?: string;
  isAttachment?: boolean;
  decoder?: Transform;
}

/** How many bytes of one kind of text may still be read, before and after its transfer decoding. */
export interface TextBudget {
  encodedBytes: number;
  bytes: number;
}

/** Parts of one kind share a budget, so that a thousand parts can't get around it. */
export class TextBudgets {
  private readonly budgets = new Map<string, TextBudget>();

  of({ contentType, charset = 'utf-8' }: ParserNode): TextBudget {
    const isUtf8 = isUtf8Name(charset);
    const kind = `${contentType === 'text/html' ? 'html' : 'plain'} ${isUtf8 ? 'utf-8' : 'other'}`;
    const known = this.budgets.get(kind);
    if (known) return known;
    const bytes = isUtf8 ? TEXT_BYTES_MAX : CHARSET_TEXT_BYTES_MAX;
    const budget = { encodedBytes: ENCODED_TEXT_BYTES_MAX, bytes };
    this.budgets.set(kind, budget);
    return budget;
  }
}

/** Limits a decoder's input and output to its budget. Drops the rest, and calls `onCut`. */
export function boundText(decoder: Transform, budget: TextBudget, onCut: () => void): void {
  const write = decoder.write.bind(decoder) as (chunk: Uint8Array) => boolean;
  const push = decoder.push.bind(decoder);
  decoder.write = (chunk: Uint8Array): boolean => {
    const room = budget.bytes > 0 ? budget.encodedBytes : 0;
    budget.encodedBytes -= Math.min(room, chunk.length);
    if (chunk.length > room) onCut();
    // Always true: after false, the writer would wait for a drain that never comes.
    return room === 0 || write(chunk.subarray(0, room));
  };
  decoder.push = (chunk: Uint8Array | null): boolean => {
    if (chunk === null) return push(null);
    const kept = chunk.subarray(0, budget.bytes);
    budget.bytes -= kept.length;
    if (kept.length < chunk.length) onCut();
    return kept.length === 0 || push(kept);
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are counted.
const CONTROL = /[\x00-\x07\x0b\x0e-\x1f]/g;

/** Cuts a text to BODY_CHARS_MAX and BODY_CONTROLS_MAX. */
export function cutBody(text: string): string {
  const kept = text.slice(0, BODY_CHARS_MAX);
  // Most texts are so short that their control characters need no counting.
  if (kept.length <= BODY_CONTROLS_MAX) return kept.toWellFormed();
  let controls = 0;
  for (const { index } of kept.matchAll(CONTROL))
    if (++controls > BODY_CONTROLS_MAX) return kept.slice(0, index).toWellFormed();
  return kept.toWellFormed();
}

/**
 * Characters that an encoded word can hide in a field of one line, most of all line ends. A folded field may have
 * tabs.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]+/g;

/**
 * Cuts a single value to VALUE_CHARS_MAX. Makes it well-formed, because a lone surrogate can't be stored or sent as
 * UTF-8, and one line: otherwise a client that puts a subject or a sender into a log, a header or a chat message
 * would let the sender write lines of their own.
 */
export function cutValue(text: string): string {
  const kept = text.slice(0, VALUE_CHARS_MAX).toWellFormed();
  const line = kept.replace(CONTROLS, ' ');
  return line === kept ? kept : line.trim();
}
