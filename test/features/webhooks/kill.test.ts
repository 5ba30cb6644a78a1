/** No webhook delivery is lost when the server is killed; scripts/torture does it twenty times. */
import { expect, test } from 'bun:test';
import { webhookKillRounds } from './kill-rounds.ts';

test('a server killed during deliveries has delivered each message in the end, always with the same event id', async () => {
  const figures = await webhookKillRounds(5, 200);
  expect(figures).toMatchObject({ kills: 5, lost: 0, twoIds: 0, twoMessages: 0 });
  expect(figures.acknowledged).toBeGreaterThan(100);
}, 120_000);
