/** Source text as rows to show: with line numbers, coloured ranges, and what can be folded. No library: 2 KB, not 20. */

export type Kind = 'mark' | 'tag' | 'attribute' | 'value' | 'comment' | 'entity' | 'field' | 'boundary';

/** A range of the text, in its order. */
export interface Token {
  kind: Kind;
  from: number;
  to: number;
}

/** Lines that can be hidden, by index: those after `from` and before `to`. */
export interface Fold {
  from: number;
  to: number;
  /** Folded at first. */
  isClosed?: true;
}

/** Coloured source, by character and line. */
export interface Coloured {
  tokens: Token[];
  folds: Fold[];
}

export interface CodeRow {
  /** Index of the line. */
  line: number;
  /** Not the first row of its line: a very long one is shown as several. */
  isRest: boolean;
  /** Pieces of the text, coloured or not. */
  pieces: { kind: Kind | null; text: string }[];
}

/** A browser lays out a longer line slowly. */
const ROW_CHARS_MAX = 2_000;

export function listLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Index of the line with this character. */
export function findLine(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function splitRows(text: string, tokens: readonly Token[]): CodeRow[] {
  const rows: CodeRow[] = [];
  const starts = listLineStarts(text);
  let next = 0;
  starts.forEach((start, line) => {
    const end = (starts[line + 1] ?? text.length + 1) - 1;
    let from = start;
    do {
      const to = Math.min(end, from + ROW_CHARS_MAX);
      while (next < tokens.length && tokens[next]!.to <= from) next++;
      rows.push({ line, isRest: from > start, pieces: cutPieces(text, tokens, next, from, to) });
      from = to;
    } while (from < end);
  });
  return rows;
}

function cutPieces(text: string, tokens: readonly Token[], first: number, from: number, to: number) {
  const pieces: CodeRow['pieces'] = [];
  let at = from;
  for (let index = first; index < tokens.length && tokens[index]!.from < to; index++) {
    const token = tokens[index]!;
    const start = Math.max(token.from, from);
    if (start > at) pieces.push({ kind: null, text: text.slice(at, start) });
    at = Math.min(token.to, to);
    pieces.push({ kind: token.kind, text: text.slice(start, at) });
  }
  if (at < to) pieces.push({ kind: null, text: text.slice(at, to) });
  return pieces;
}

/** Keeps the longest fold of each line, and drops folds that would hide nothing. */
export function indexFolds(folds: readonly Fold[]): Map<number, Fold> {
  const byLine = new Map<number, Fold>();
  for (const fold of folds) {
    if (fold.to - fold.from < 2) continue;
    const known = byLine.get(fold.from);
    if (!known || known.to < fold.to) byLine.set(fold.from, fold);
  }
  return byLine;
}

/** Returns the rows that no closed fold hides. */
export function listShown(
  rows: readonly CodeRow[],
  folds: ReadonlyMap<number, Fold>,
  closed: ReadonlySet<number>,
): CodeRow[] {
  if (closed.size === 0) return [...rows];
  let hiddenUntil = -1;
  let hiddenFrom = -1;
  return rows.filter(({ line }) => {
    if (line > hiddenFrom && line < hiddenUntil) return false;
    const fold = closed.has(line) ? folds.get(line) : undefined;
    if (fold) [hiddenFrom, hiddenUntil] = [fold.from, fold.to];
    return true;
  });
}
