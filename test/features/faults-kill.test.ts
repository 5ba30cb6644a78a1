/** Nothing that was answered 250 is lost when the server is killed; scripts/torture does it fifty times. */
import { expect, test } from 'bun:test';
import { killRounds } from './kill-rounds.ts';

test('a server killed under load still has every message that it answered 250, once and whole', async () => {
  const figures = await killRounds(5);
  expect(figures).toMatchObject({ rounds: 5, lost: 0, doubled: 0, damaged: 0, unsound: [] });
  expect(figures.acknowledged).toBeGreaterThan(5);
}, 60_000);
