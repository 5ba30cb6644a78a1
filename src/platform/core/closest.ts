/** Returns the known word that a mistyped one was probably meant to be; undefined if none is close. */
export function findClosest(word: string, known: Iterable<string>): string | undefined {
  const far = Math.max(2, Math.floor(word.length / 4));
  let best: string | undefined;
  let bestSteps = far + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > far) continue;
    const steps = countEdits(word, candidate);
    if (steps < bestSteps) {
      best = candidate;
      bestSteps = steps;
    }
  }
  return best;
}

function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const change = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(change, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
