/** No email is lost when the server is killed while it sends; scripts/torture does it twenty times. */
import { expect, test } from 'bun:test';
import { outboundKillRounds } from './kill-rounds.ts';

test('a server killed while sending has sent every email in the end, and none again after it was marked sent', async () => {
  const figures = await outboundKillRounds(3, 90);
  expect(figures).toMatchObject({ kills: 3, lost: 0, sentAgain: 0, unsettled: 0 });
  expect(figures.accepted).toBeGreaterThan(50);
}, 120_000);
