import { describe, expect, test } from 'bun:test';
import {
  computeProbeDelay,
  computeRetryDelay,
  judgeStatus,
  readRetryAfter,
} from '../../../src/features/webhooks/backoff.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 21, 8) * 1000;

test('the eleven attempts follow the schedule, give or take a fifth', () => {
  const table = [5 * SECOND, 15 * SECOND, MINUTE, 4 * MINUTE, 10 * MINUTE, 30 * MINUTE];
  const later = [2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];
  for (const [index, delay] of [...table, ...later].entries()) {
    expect(computeRetryDelay(index + 1, 0, 0.5)).toBe(delay);
    expect(computeRetryDelay(index + 1, 0, 0)).toBe(delay * 0.8);
    expect(computeRetryDelay(index + 1, 0, 1)).toBe(delay * 1.2);
    const spread = Array.from({ length: 200 }, () => computeRetryDelay(index + 1, 0)!);
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(delay * 0.8);
    expect(Math.max(...spread)).toBeLessThanOrEqual(delay * 1.2);
    expect(new Set(spread).size).toBeGreaterThan(100);
  }
  expect(computeRetryDelay(11, 0)).toBeNull();
  expect(computeRetryDelay(11, HOUR)).toBeNull();
});

describe('Retry-After', () => {
  const cases: [status: number, text: string | null, wait_us: number][] = [
    [429, '120', 120 * SECOND],
    [503, ' 120 ', 120 * SECOND],
    [503, 'Sat, 21 Nov 2026 08:10:00 GMT', 10 * MINUTE],
    [503, 'Sat, 21 Nov 2026 07:00:00 GMT', 0],
    [429, '9999999999', 24 * HOUR],
    [429, 'Sat, 21 Nov 2099 08:10:00 GMT', 24 * HOUR],
    [500, '120', 0],
    [408, '120', 0],
    [429, null, 0],
    [429, '', 0],
    [429, 'soon', 0],
    [429, '-5', 0],
    [429, '1e9', 0],
  ];
  test.each(cases)('of %d is read as %p', (status, text, waitUs) =>
    expect(readRetryAfter(status, text, NOW)).toBe(waitUs),
  );

  test('is followed when it is longer than the schedule', () => {
    expect(computeRetryDelay(1, 120 * SECOND, 0.5)).toBe(120 * SECOND);
    expect(computeRetryDelay(4, 120 * SECOND, 0.5)).toBe(4 * MINUTE);
  });
});

test('a webhook is probed less and less often, down to every ten minutes', () => {
  const delays = [1, 4, 5, 6, 7, 8, 9, 10, 11, 50].map(
    (failures) => computeProbeDelay(failures, 0, 0.5) / SECOND,
  );
  expect(delays).toEqual([0, 0, 5, 15, 60, 240, 600, 600, 600, 600]);
  expect(computeProbeDelay(5, HOUR, 0.5)).toBe(HOUR);
});

test('each status has a meaning', () => {
  for (let status = 100; status < 600; status++) {
    const retried = status >= 500 || [408, 425, 429].includes(status);
    const wanted = status === 410 ? 'gone' : retried ? 'retry' : 'failed';
    expect(judgeStatus(status)).toBe(status >= 200 && status < 300 ? 'delivered' : wanted);
  }
});
