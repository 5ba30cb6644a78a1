/** Finds cycles among files that import one another (Tarjan's strongly connected components). */
import type { Source } from './source.ts';

/** Returns each cycle as a sorted list of files. Type-only imports count too. */
export function findCycles(sources: readonly Source[]): string[][] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports.map(({ file }) => file)]));
  const found = new Map<string, { index: number; lowest: number }>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string) => {
    const mine = { index: found.size, lowest: found.size };
    found.set(path, mine);
    open.push(path);
    for (const next of importsOf.get(path) ?? []) {
      if (next === undefined || !importsOf.has(next)) continue;
      const seen = found.get(next);
      if (!seen) mine.lowest = Math.min(mine.lowest, visit(next).lowest);
      else if (open.includes(next)) mine.lowest = Math.min(mine.lowest, seen.index);
    }
    if (mine.lowest === mine.index) {
      const cycle = open.splice(open.indexOf(path));
      if (cycle.length > 1) cycles.push(cycle.sort());
    }
    return mine;
  };
  for (const path of importsOf.keys()) if (!found.has(path)) visit(path);
  return cycles;
}
