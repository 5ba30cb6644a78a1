/** Fits a model's weights: a logistic choice between a mail's candidates and none, regularised towards priors. */
import type { Model } from '../../src/platform/mail/extract/score.ts';
import { computeChances } from '../../src/platform/mail/extract/score.ts';
import type { Vector } from '../../src/platform/mail/extract/vector.ts';

/** A mail as a choice: the features of its candidates, and the index of the right one (-1 if there is none). */
export interface Choice {
  vectors: Vector[];
  right: number;
  weight: number;
}

export interface Prior {
  bias: number;
  weights: Record<string, number>;
  strength: number;
}

const STEPS = 400;
const RATE = 0.1;

/** Finds weights that make the right choices likely, by gradient descent (Adam); deterministic. */
export function fit(
  choices: Choice[],
  names: readonly string[],
  prior: Prior,
): Pick<Model, 'bias' | 'weights'> {
  const center = [...names.map((name) => prior.weights[name] ?? 0), prior.bias];
  const values = [...center];
  const size = center.length;
  const total = choices.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const sparse = choices.map((choice) => ({
    ...choice,
    rows: choice.vectors.map((vector) => makeRow(vector)),
  }));
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let step = 1; step <= STEPS; step++) {
    const gradient = Float64Array.from(
      values,
      (value, index) => ((value - center[index]!) * prior.strength) / total,
    );
    for (const { rows, right, weight } of sparse) addGradient(gradient, rows, right, weight / total, values);
    const rate = RATE / (1 + step / 150);
    for (let index = 0; index < size; index++) {
      mean[index] = 0.9 * mean[index]! + 0.1 * gradient[index]!;
      square[index] = 0.999 * square[index]! + 0.001 * gradient[index]! ** 2;
      const corrected =
        mean[index]! / (1 - 0.9 ** step) / (Math.sqrt(square[index]! / (1 - 0.999 ** step)) + 1e-6);
      values[index] = keepSign(values[index]! - rate * corrected, center[index]!);
    }
  }
  const weights = Object.fromEntries(names.map((name, index) => [name, round(values[index]!)]));
  return { bias: round(values[size - 1]!), weights };
}

/** Keeps the sign of a weight's prior: a few mails may shrink it, but not reverse it. */
const keepSign = (value: number, expected: number) =>
  expected > 0 ? Math.max(0, value) : expected < 0 ? Math.min(0, value) : value;

const round = (value: number) => Math.round(value * 100) / 100;

type Row = [index: number, value: number][];

function makeRow(vector: Vector): Row {
  const row: Row = [];
  for (const [index, value] of vector.entries()) if (value) row.push([index, value]);
  row.push([vector.length, 1]);
  return row;
}

function addGradient(
  gradient: Float64Array,
  rows: Row[],
  right: number,
  weight: number,
  values: number[],
): void {
  const scores = rows.map((row) => row.reduce((sum, [index, value]) => sum + values[index]! * value, 0));
  const top = Math.max(0, ...scores);
  const parts = scores.map((score) => Math.exp(score - top));
  const sum = parts.reduce((all, part) => all + part, Math.exp(-top));
  for (const [at, row] of rows.entries()) {
    const error = (parts[at]! / sum - (at === right ? 1 : 0)) * weight;
    for (const [index, value] of row) gradient[index] = gradient[index]! + error * value;
  }
}

/** What models predict for mails of sources that they have not seen. */
export interface Unseen {
  /** The probabilities for each choice. */
  found: number[][];
  /** The weights fitted on all other sources, by source. */
  models: Map<string, Pick<Model, 'bias' | 'weights'>>;
}

export function crossValidate(
  choices: (Choice & { source: string })[],
  names: readonly string[],
  prior: Prior,
): Unseen {
  const found: number[][] = [];
  const models: Unseen['models'] = new Map();
  for (const source of new Set(choices.map((choice) => choice.source))) {
    const others = choices.filter((choice) => choice.source !== source);
    const model = { ...fit(others, names, prior), calibration: [], floor: 0 };
    models.set(source, model);
    for (const [index, choice] of choices.entries())
      if (choice.source === source) found[index] = computeChances(choice.vectors, model, names);
  }
  return { found, models };
}

/**
 * Returns how often the best candidate was right, by its probability. The curve never falls (pool adjacent violators), and
 * each step is pulled towards the raw value by the weight of a few mails, because a few mails prove little.
 */
export function calibrate(pairs: { raw: number; right: boolean; weight: number }[]): [number, number][] {
  const sorted = pairs.filter(({ raw }) => raw > 0).sort((one, other) => one.raw - other.raw);
  const bins: { raw: number; right: number; count: number }[] = [];
  const perBin = Math.max(8, Math.floor(sorted.length / 12));
  for (let from = 0; from < sorted.length; from += perBin) {
    const bin = sorted.slice(from, from + perBin);
    const count = bin.reduce((sum, { weight }) => sum + weight, 0);
    const raw = bin.reduce((sum, one) => sum + one.raw * one.weight, 0) / count;
    const right = bin.reduce((sum, one) => sum + Number(one.right) * one.weight, 0);
    bins.push({ raw: raw * count, right: right + raw * 3, count: count + 3 });
    bins.at(-1)!.raw += raw * 3;
    while (
      bins.length > 1 &&
      bins.at(-2)!.right / bins.at(-2)!.count >= bins.at(-1)!.right / bins.at(-1)!.count
    ) {
      const last = bins.pop()!;
      const before = bins.at(-1)!;
      bins[bins.length - 1] = {
        raw: before.raw + last.raw,
        right: before.right + last.right,
        count: before.count + last.count,
      };
    }
  }
  return bins.map(({ raw, right, count }) => [roundToThree(raw / count), roundToThree(right / count)]);
}

const roundToThree = (value: number) => Math.round(value * 1000) / 1000;
