import { formatMonth } from '../../platform/core/clock.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The length of every selector. */
export const SELECTOR_CHARS = 'pst202611a'.length;

/**
 * Returns the name of a new DKIM key, `pst<yyyymm><letter>` (docs/decisions.md, Domains). It has the letter after that
 * of the month's newest key, so that a name is reused as late as possible.
 * @param used selectors of the domain's keys, oldest first
 */
export function chooseSelector(used: readonly string[], nowUs: number): string {
  const month = `pst${formatMonth(nowUs).replace('-', '')}`;
  const newest = used.findLast((selector) => selector.startsWith(month));
  const from = newest === undefined ? 0 : LETTERS.indexOf(newest.slice(month.length)) + 1;
  const letters = [...LETTERS.slice(from), ...LETTERS.slice(0, from)];
  return month + (letters.find((letter) => !used.includes(month + letter)) ?? letters[0]);
}
