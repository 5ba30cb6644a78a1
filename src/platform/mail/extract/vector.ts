/** What is known of a candidate: numbers between 0 and 1, in the order of a list of names. */
export type Vector = Float64Array;

/** Where each name's number stands. */
export const indexesOf = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name, index) => [name, index])) as Record<Name, number>;

/** Of all that is found the largest counts. */
export function raise(vector: Vector, index: number, value: number): void {
  if (value > vector[index]!) vector[index] = value;
}

/** Something that holds or does not. */
export function mark(vector: Vector, index: number, holds: boolean | number): void {
  if (holds) vector[index] = 1;
}
