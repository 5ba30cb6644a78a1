/** What a soak counts as growth. */
import { describe, expect, test } from 'bun:test';
import { growthFaults, RISE_MAX, type Sample, slopePerMinute } from '../../scripts/soak/slope.ts';

/** Makes a sample for every 10 seconds. */
function samplesOver(minutes: number, pss: (minute: number) => number): Sample[] {
  return Array.from({ length: minutes * 6 + 1 }, (_, index) => ({
    atS: index * 10,
    pssMb: pss(index / 6),
    descriptors: 40,
    walMb: 4,
  }));
}

describe('a soak', () => {
  test('measures growth per minute only over its second half', () => {
    expect(
      slopePerMinute(
        samplesOver(30, (minute) => 100 + 3 * minute),
        'pssMb',
      ),
    ).toBeCloseTo(3);
    const warming = samplesOver(30, (minute) => (minute < 15 ? 10 * minute : 150));
    expect(slopePerMinute(warming, 'pssMb')).toBeCloseTo(0);
    expect(growthFaults(warming)).toEqual([]);
  });

  test('fails for a value that keeps rising, but not for one that goes up and down', () => {
    expect(growthFaults(samplesOver(30, (minute) => 100 + 2 * minute))).toEqual([
      expect.stringMatching(/^pssMb rose by 30\.0 over the second half \(2\.00 per minute\)/),
    ]);
    const swinging = samplesOver(30, (minute) => 150 + RISE_MAX.pssMb * Math.sin(minute * 4));
    expect(growthFaults(swinging)).toEqual([]);
  });

  test('of only a few seconds does not judge growth', () => {
    expect(growthFaults(samplesOver(1, (minute) => 100 + 60 * minute))).toEqual([]);
  });
});
