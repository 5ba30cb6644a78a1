/**
 * The owner with the most places, who gives one up when all are taken, so that no single owner keeps others out. Null
 * when the newcomer's owner would then have as many: it must not push out its equals.
 */
export function findMostCrowded<Place>(
  places: ReadonlyMap<string, readonly Place[]>,
  newcomer: string,
): string | null {
  const [owner, held] = [...places].reduce((one, other) => (other[1].length > one[1].length ? other : one));
  return held.length > (places.get(newcomer)?.length ?? 0) + 1 ? owner : null;
}
