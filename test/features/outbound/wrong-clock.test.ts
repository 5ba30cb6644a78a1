/** A server that starts with a wrong clock, corrected later, neither fails queued email early nor keeps it forever. */
import { expect, test } from 'bun:test';
import { MailDispatcher } from '../../../src/features/outbound/sending/dispatcher.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { until } from '../../until.ts';
import { startSendingServer } from './sending-server.ts';

const YEAR_US = 365 * 86_400 * 1_000_000;
const NOT_NOW = '450 4.2.0 not now';

test.each([
  ['behind', -40 * YEAR_US],
  ['ahead', 10 * YEAR_US],
])('a start with a clock that is years %s', async (_, wrongUs) => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: { onRcpt: () => NOT_NOW } });
  const { services } = sender.appliance;
  const id = await sender.queue('ann@far.test');
  await until(() => sender.recipients(id)[0]!.attempts === 1 && sender.status(id) === 'queued');
  const expiresAt = sender.email(id).expires_at;
  await services.sender!.stop();
  clock.set(clock.nowUs() + wrongUs);
  // The attempt made at start is still running when the clock is corrected.
  const reply = Promise.withResolvers<string>();
  sender.far.options = { onMail: () => reply.promise };
  const next = new MailDispatcher(services);
  await next.start(null);
  await until(() => sender.status(id) === 'sending');
  clock.set(clock.nowUs() - wrongUs);
  await clock.advance(10_000);
  reply.resolve(NOT_NOW);
  await until(() => sender.recipients(id)[0]!.attempts === 2);
  expect(sender.status(id)).toBe('queued');
  expect(sender.email(id).expires_at).toBe(expiresAt);
  await next.stop();
});
