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
