/** Judges whether what a soak measures grows over time. */

export interface Sample {
  atS: number;
  /** Of all processes, with shared pages divided among them. */
  pssMb: number;
  descriptors: number;
  walMb: number;
}

export type Measured = Exclude<keyof Sample, 'atS'>;

/**
 * The most that each may rise over the second half, by its slope. In a soak of 30 minutes, that is 1 MB of memory per
 * minute. A shorter soak has the same allowance, because with fewer samples its slope is noisier.
 */
export const RISE_MAX: Record<Measured, number> = { pssMb: 15, descriptors: 20, walMb: 8 };

/** Below this duration the slope is noise (a parser process starts or ends), and is not judged. */
export const JUDGED_FROM_S = 240;

/** Returns the slope over the second half in units per minute, by least squares. */
export function slopePerMinute(samples: readonly Sample[], measured: Measured): number {
  const half = takeSecondHalf(samples);
  if (half.length < 2) return 0;
  const computeMean = (pick: (sample: Sample) => number) =>
    half.reduce((sum, one) => sum + pick(one), 0) / half.length;
  const meanAt = computeMean(({ atS }) => atS / 60);
  const mean = computeMean((one) => one[measured]);
  let across = 0;
  let along = 0;
  for (const one of half) {
    across += (one.atS / 60 - meanAt) * (one[measured] - mean);
    along += (one.atS / 60 - meanAt) ** 2;
  }
  return along === 0 ? 0 : across / along;
}

export function growthFaults(samples: readonly Sample[]): string[] {
  const half = takeSecondHalf(samples);
  const minutes = ((half.at(-1)?.atS ?? 0) - (half[0]?.atS ?? 0)) / 60;
  if ((samples.at(-1)?.atS ?? 0) < JUDGED_FROM_S) return [];
  return (Object.keys(RISE_MAX) as Measured[]).flatMap((measured) => {
    const slope = slopePerMinute(samples, measured);
    const rise = slope * minutes;
    if (rise <= RISE_MAX[measured]) return [];
    return `${measured} rose by ${rise.toFixed(1)} over the second half (${slope.toFixed(2)} per minute); ${RISE_MAX[measured]} is allowed`;
  });
}

function takeSecondHalf(samples: readonly Sample[]): readonly Sample[] {
  const middleS = ((samples[0]?.atS ?? 0) + (samples.at(-1)?.atS ?? 0)) / 2;
  return samples.filter(({ atS }) => atS >= middleS);
}
