/** Features of a candidate: numbers between 0 and 1, in the order of a list of names. */
export type Vector = Float64Array;

export const indexNames = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;

/** Keeps the largest value. */
export function raise(vector: Vector, index: number, value: number): void {
  if (value > vector[index]!) vector[index] = value;
}

/** Records a condition. */
export function mark(vector: Vector, index: number, holds: boolean | number): void {
  if (holds) vector[index] = 1;
}
