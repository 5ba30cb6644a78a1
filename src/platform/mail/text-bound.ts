import type { Transform } from 'node:stream';
import {
  CHARSET_TEXT_BYTES_MAX,
  ENCODED_TEXT_BYTES_MAX,
  TEXT_BYTES_MAX,
  UTF_7_TEXT_BYTES_MAX,
} from './bounds.ts';

/*
 * Bounds a mail's text right after its transfer decoding, before mailparser collects it, decodes its charset and
 * splits it into lines, which takes many times the memory of the text.
 */

/** A part as mailparser creates it. `decoder` undoes the transfer encoding; a multipart has none. */
export interface MadeNode {
  contentType?: string | false;
  charset?: string;
  isAttachment?: boolean;
  decoder?: Transform;
}

/** How much may still be read of one kind of text. */
export interface TextBudget {
  encodedBytes: number;
  bytes: number;
}

/** Parts of one kind share a budget, so that a thousand parts can't get around it. */
export class TextBudgets {
  private readonly budgets = new Map<string, TextBudget>();

  of({ contentType, charset = 'utf-8' }: MadeNode): TextBudget {
    const family = readCharsetFamily(charset);
    const kind = `${contentType === 'text/html' ? 'html' : 'plain'} ${family}`;
    const known = this.budgets.get(kind);
    if (known) return known;
    const bytes = bytesMax[family];
    const budget = { encodedBytes: ENCODED_TEXT_BYTES_MAX, bytes };
    this.budgets.set(kind, budget);
    return budget;
  }
}

const bytesMax = { 'utf-8': TEXT_BYTES_MAX, 'utf-7': UTF_7_TEXT_BYTES_MAX, other: CHARSET_TEXT_BYTES_MAX };

function readCharsetFamily(charset: string): keyof typeof bytesMax {
  // The same normalisation as in iconv-lite.
  const name = charset.toLowerCase().replace(/[^a-z0-9]+/g, '');
  if (['ascii', 'usascii', 'utf8'].includes(name)) return 'utf-8';
  // Also unicode-1-1-utf-7 and utf-7-imap.
  return name.includes('utf7') || name === 'csunicode11' ? 'utf-7' : 'other';
}

/** Limits a decoder's input and output to its budget; the rest is dropped, and `onCut` called. */
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
