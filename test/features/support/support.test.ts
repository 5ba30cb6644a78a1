/** A support desk by API, webhook and SMTP, whose server is killed; scripts/torture does it twenty times. */
import { expect, test } from 'bun:test';
import { supportRounds } from './support-rounds.ts';

test('a support desk loses no mail, reply or bounce when its server is killed, and each conversation is one thread', async () => {
  const figures = await supportRounds(3, 10);
  expect(figures.faults).toEqual([]);
  expect(figures).toMatchObject({ kills: 3, bounces: 4 });
  expect(figures.received).toBe(22);
}, 180_000);
