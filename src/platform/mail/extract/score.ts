/**
 * Turns features into probabilities. Each candidate competes with the others, and with there being none: a softmax over
 * their weighted sums, in which "none" has the sum 0.
 */
import type { Vector } from './vector.ts';

export interface Model {
  /** Added to the sum of every candidate. It is negative: the features must outweigh it to be more likely than none. */
  bias: number;
  /** By feature. */
  weights: Record<string, number>;
  /** Probabilities, and how often each was right. Rising; values in between are interpolated linearly. */
  calibration: readonly (readonly [raw: number, right: number])[];
  /** The least confidence that is reported. */
  floor: number;
}

/** The models for codes and for links. */
export interface Models {
  code: Model;
  link: Model;
}

/** The weights of each model, in the order of its vectors. */
const inOrder = new WeakMap<Model, Vector>();

/** Returns a model's weights in the order of the features' names. */
export function orderWeights(model: Model, names: readonly string[]): Vector {
  const known = inOrder.get(model);
  if (known) return known;
  const weights = Float64Array.from(names, (name) => model.weights[name] ?? 0);
  inOrder.set(model, weights);
  return weights;
}

function computeScore(vector: Vector, weights: Vector, bias: number): number {
  let sum = bias;
  for (let index = 0; index < vector.length; index++)
    if (vector[index] !== 0) sum += vector[index]! * weights[index]!;
  return sum;
}

/**
 * Returns the probability of each candidate. The rest up to 1 is that of none.
 *
 * @param names of the vectors' features.
 */
export function computeChances(vectors: Vector[], model: Model, names: readonly string[]): number[] {
  const weights = orderWeights(model, names);
  const scores = vectors.map((vector) => computeScore(vector, weights, model.bias));
  const top = Math.max(0, ...scores);
  const parts = scores.map((score) => Math.exp(score - top));
  const sum = parts.reduce((total, part) => total + part, Math.exp(-top));
  return parts.map((part) => part / sum);
}

/** Returns how often a probability was right on mails outside the fit, with three decimals. */
export function calibrate(raw: number, table: Model['calibration']): number {
  const above = table.findIndex(([at]) => at >= raw);
  const to = table[above] ?? ([1, 1] as const);
  const from =
    above > 0 ? table[above - 1]! : above === 0 ? ([0, 0] as const) : (table.at(-1) ?? ([0, 0] as const));
  const share = to[0] === from[0] ? 1 : (raw - from[0]) / (to[0] - from[0]);
  return Math.round(Math.min(1, Math.max(0, from[1] + share * (to[1] - from[1]))) * 1000) / 1000;
}
