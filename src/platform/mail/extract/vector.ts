/** The features of a candidate: numbers between 0 and 1, in the order of a list of names. */
export type Vector = Float64Array;

/** Returns the index of each name. */
export const indexNames = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;

/** Raises a feature to a value, unless it is larger already. */
export function raise(vector: Vector, index: number, value: number): void {
  if (value > vector[index]!) vector[index] = value;
}

/** Sets a feature to 1 if a condition holds. */
export function mark(vector: Vector, index: number, holds: boolean | number): void {
  if (holds) vector[index] = 1;
}
