/** The suppression list: what it blocks, how long it lasts, and how an address is removed. */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suppressionJobs } from '../../../src/features/outbound/suppression/jobs.ts';
import { DAY_US } from '../../../src/platform/core/clock.ts';
import { postern, posternJson } from '../../doors/operator/command-process.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { countRows } from '../../store-state.ts';
import { until } from '../../until.ts';
import { startSendingServer } from './sending-server.ts';

const refusing = { onRcpt: () => '550 5.1.1 no such user' };

test('an address that refused mail permanently can be used again after 30 days, and its entry is removed', async () => {
  const clock = new FakeClock();
  await using sender = await startSendingServer({ clock, far: refusing });
  const id = await sender.queue('Ann@far.test');
  await until(() => sender.status(id) === 'bounced');
  expect(await queueAgain()).toBe('recipient_rejected');
  await clock.leap((29 * DAY_US) / 1000);
  expect(await queueAgain()).toBe('recipient_rejected');
  await clock.leap(DAY_US / 1000);
  expect(await queueAgain()).toBe('queued');
  await sender.appliance.run(suppressionJobs[0]!);
  expect(countRows(sender.appliance, 'suppression')).toBe(0);

  async function queueAgain(): Promise<string> {
    sender.far.options = { onMail: () => '450 4.3.2 not now' };
    return sender.queue('ann@far.test').then(
      () => 'queued',
      ({ code }) => code,
    );
  }
}, 20_000);

test('the operator can list and remove suppressions', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-suppression-'));
  const env = { POSTERN_DATA_DIR: dataDir };
  try {
    let account = '';
    {
      await using sender = await startSendingServer({ dataDir, far: refusing });
      const id = await sender.queue('Ann@far.test');
      await until(() => sender.status(id) === 'bounced');
      account = sender.owner.account.id;
    }
    // The commands need a key file; the server of the test had its own key.
    writeFileSync(join(dataDir, 'server.key'), randomBytes(32), { mode: 0o600 });
    const listed = await posternJson<Record<string, string>[]>(['suppression', 'list', account], env);
    expect(listed).toMatchObject([{ email: 'ann@far.test', reason: '550 5.1.1 no such user' }]);
    expect(Object.keys(listed[0]!)).toEqual(['email', 'reason', 'created_at', 'expires_at']);
    const text = await postern(['suppression', 'list', account], env);
    expect(text.stdout).toContain('ann@far.test');
    const removed = await posternJson(['suppression', 'remove', account, 'ANN@far.test'], env);
    expect(removed).toEqual(listed[0]!);
    const again = await postern(['suppression', 'remove', account, 'ann@far.test'], env);
    expect([again.status, again.stderr]).toEqual([
      1,
      expect.stringContaining('is not on the suppression list'),
    ]);
    expect((await postern(['suppression', 'list', account], env)).stdout).toContain(
      'No addresses are suppressed.',
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 30_000);
