/** Joins a code that a mail shows in pieces, each in a cell or block of its own. */
import type { Line } from './page.ts';

const ONE_CHARACTER = /^[0-9A-Za-z]$/;
const SEPARATOR = /^[-–•·]$/;
const DIGITS = /^\d{2,4}$/;
/** Characters of a group in a code. */
const PIECE_MAX = 4;

/** Joins a code into one line if each of its characters or groups is in a cell or block of its own. */
export function joinSplitCodes(lines: Line[]): void {
  for (let start = 0; start < lines.length; start++) {
    if (lines[start]!.text.length > PIECE_MAX) continue;
    const end = findEndOfCharacters(lines, start) || findEndOfGroups(lines, start);
    if (end === 0) continue;
    const parts = lines.slice(start, end);
    const first = parts[0]!;
    lines[start] = { ...first, text: parts.map(({ text }) => text).join('') };
    for (let index = start + 1; index < end; index++) lines[index] = { ...lines[index]!, text: '', runs: [] };
    start = end - 1;
  }
}

/** Finds the end of a run of four to ten one-character lines; 0 if there is none. A scale of links does not count. */
function findEndOfCharacters(lines: Line[], start: number): number {
  let end = start;
  let count = 0;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    if (line.runs[0]?.look.inLink) break;
    if (line.text.length > 1) break;
    if (ONE_CHARACTER.test(line.text)) count++;
    else if (count === 0 || !SEPARATOR.test(line.text)) break;
  }
  return count >= 4 && count <= 10 ? end : 0;
}

/** Finds the end of a row whose cells contain only the groups of a code; 0 if it is not such a row. */
function findEndOfGroups(lines: Line[], start: number): number {
  const first = lines[start]!;
  if (first.row < 0 || !DIGITS.test(first.text) || lines[start - 1]?.row === first.row) return 0;
  let end = start;
  let groups = 0;
  for (; lines[end]?.row === first.row; end++) {
    const { text } = lines[end]!;
    // "2020 – 2025" is a range of years, "0900 – 1700" one of hours.
    if (groups > 0 && first.text.length === 3 && SEPARATOR.test(text)) continue;
    if (text.length !== first.text.length || !DIGITS.test(text)) return 0;
    groups++;
  }
  const length = groups * first.text.length;
  return groups >= 2 && groups <= 3 && length >= 4 && length <= 9 ? end : 0;
}
