/** Finds the label of a value ("Meter reading: 88345"): in its line, in the cell before, or in the line above. */
import type { Occurrence } from './candidates.ts';
import type { ReadLine, ReadPart } from './reading.ts';

const LABEL_CHARS_MAX = 60;
const COLON_AT_END = /[:：﹕]\s?["“«*([]{0,3}\s?$/;
/** A full stop inside a word, a sum or a masked number ends no sentence: "1.482,91", "DE02...2051". */
const LAST_SENTENCE = /(?:[^.!?。！？।;；]|[.!?](?!\s))*$/;
const ONLY_MARKS = /^[^\p{L}\p{N}]*$/u;
const LETTERS = /\p{L}{2}/u;

/** Returns the kinds of the words in the label; null if the value has no label. */
export function findLabelKinds(part: ReadPart, index: number, { start, end }: Occurrence): number | null {
  const line = part.lines[index]!;
  const before = line.text.slice(0, start);
  if (COLON_AT_END.test(before)) return readKinds(line, start);
  if (!ONLY_MARKS.test(before) || !ONLY_MARKS.test(line.text.slice(end))) return null;
  const above = part.lines[index - 1];
  if (!above) return null;
  const isLabel = COLON_AT_END.test(above.text) || (line.row >= 0 && above.row === line.row);
  return isLabel ? readKinds(above, above.text.length) : null;
}

/** Returns the kinds of words in the last sentence before a position; null if it is too long for a label. */
function readKinds({ text, words }: ReadLine, to: number): number | null {
  const label = LAST_SENTENCE.exec(text.slice(Math.max(0, to - LABEL_CHARS_MAX - 1), to))![0];
  if (label.length > LABEL_CHARS_MAX || !LETTERS.test(label)) return null;
  let kinds = 0;
  for (const hit of words.trueHits) if (hit.start >= to - label.length && hit.end <= to) kinds |= hit.kinds;
  return kinds;
}
