/** A message that a disk has damaged is passed over. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { RunningAppliance } from '../../start.ts';
import { loseMail, spoilContent } from '../../store-state.ts';
import { arrive, makeUrl, newBox, startWaiting } from './doors.ts';
import { SseClient } from './sse-client.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startWaiting();
});
afterAll(() => appliance[Symbol.asyncDispose]());

test.each([
  ['damaged', spoilContent],
  ['lost', loseMail],
])('a %s message keeps neither a stream nor a claim from the messages around it', async (_, damage) => {
  const box = await newBox(appliance);
  const { key } = box.holder;
  const first = await arrive(appliance, box);
  const damaged = await arrive(appliance, box);
  damage(appliance, damaged);
  const claim = () =>
    appliance.request('GET', `/api/v1/inboxes/${box.id}/messages/wait?since=0&mark_read=true&timeout=1`, {
      key,
    });
  expect((await claim()).json.data.id).toBe(first);
  expect((await claim()).status).toBe(204);
  const last = await arrive(appliance, box);
  const client = await SseClient.open(makeUrl(appliance, 'stream', box, { since: '0' }), {
    authorization: `Bearer ${key}`,
  });
  // The retry time comes first.
  await client.next();
  expect((await client.next())?.id).toBe(last);
  client.close();
  expect(appliance.logged.every((line) => line.includes('a message could not be read'))).toBe(true);
});
