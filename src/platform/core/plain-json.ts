/**
 * Writes JSON for a place that may be a terminal. JSON escapes only the control characters below U+0020; some terminals also act
 * on those above U+007F, and on characters that change the direction of text. A parser reads the same value.
 */
export function writePlainJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\u2028\u2029]/gu, escapeUnits);
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
