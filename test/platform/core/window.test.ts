import { expect, test } from 'bun:test';
import { Windows } from '../../../src/platform/core/window.ts';

test('requests that were counted and taken back under very many names push no other count out', () => {
  const windows = new Windows();
  const nowUs = 1_800_000_000_000_000;
  windows.take('ann', 3_600, nowUs);
  for (let nth = 0; nth < 210_000; nth++) {
    windows.take(`guess ${nth}`, 3_600, nowUs);
    windows.take(`guess ${nth}`, 3_600, nowUs, -1);
  }
  expect(windows.look('ann', 5, 3_600, nowUs).remaining).toBe(4);
});

test('a window that was used up while the clock was ahead ends when the clock is set back', () => {
  const windows = new Windows();
  const nowUs = 1_800_000_000_000_000;
  const aheadUs = nowUs + 3_600_000_000;
  windows.take('ann', 60, aheadUs, 5);
  expect(windows.look('ann', 5, 60, aheadUs).remaining).toBe(0);
  expect(windows.look('ann', 5, 60, nowUs)).toEqual({ limit: 5, remaining: 5, resetS: nowUs / 1e6 + 60 });
  windows.take('ann', 60, nowUs, 5);
  expect(windows.look('ann', 5, 60, nowUs + 59_000_000).remaining).toBe(0);
  expect(windows.look('ann', 5, 60, nowUs + 60_000_000).remaining).toBe(5);
});
