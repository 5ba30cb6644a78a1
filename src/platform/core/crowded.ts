/**
 * Returns the owner with the most places, which has to give one up when no place is free, so that no single owner keeps
 * others out. Null if the newcomer's owner would then have as many: it must not push out its equals.
 *
 * @param places by owner; not empty.
 * @param newcomer the owner of what needs a place.
 */
export function findMostCrowded<Place>(
  places: ReadonlyMap<string, readonly Place[]>,
  newcomer: string,
): string | null {
  const [owner, held] = [...places].reduce((one, other) => (other[1].length > one[1].length ? other : one));
  return held.length > (places.get(newcomer)?.length ?? 0) + 1 ? owner : null;
}
