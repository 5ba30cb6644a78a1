/** Emails that wait for a paused host say so. */
import { expect, test } from 'bun:test';
import { noteWaitOp } from '../../../src/features/outbound/sending/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { countRows, repeatEmail } from '../../store-state.ts';
import { until } from '../../until.ts';
import { startSendingServer } from './sending-server.ts';

test('the reason of a wait is noted with a hundred emails at a time, so that mail can come between', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { onRcpt: () => '450 4.2.0 not now' } });
  const { appliance } = sender;
  const id = await sender.queue('ann@far.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1 && sender.status(id) === 'queued');
  await appliance.services.sender!.stop();
  repeatEmail(appliance, id, 249);
  await clock.leap(10 * 60_000);
  const note = { share: 'all', outbound_no: null, reason: 'paused' } as const;
  const counts: number[] = [];
  for (let from = 0, isMore = true; isMore; from += 100) {
    isMore = await appliance.services.store.write(noteWaitOp, { ...note, from });
    counts.push(countRows(appliance, "outbound_email WHERE last_error = 'paused'"));
  }
  expect(counts).toEqual([100, 200, 250]);
});
