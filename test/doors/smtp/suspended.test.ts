/** Mail for an account that is suspended. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import type { AccountStatus } from '../../../src/rules/plans.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { temporaryFolder } from '../operator/folder.ts';
import { Mailbox } from './mailbox.ts';

const DAY_MS = 86_400_000;

describe('a suspended account', () => {
  const clock = new FakeClock();
  let appliance: RunningAppliance;
  beforeAll(async () => {
    appliance = await startAppliance({ clock });
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  const change = (box: Mailbox, changes: { status?: AccountStatus; outbound?: boolean }) =>
    appliance.services.store.write(changeAccountOp, { account_no: box.holder.account.no, changes });

  async function answer(box: Mailbox): Promise<string> {
    const { to, data } = await box.send('Subject: x\r\n\r\nx\r\n');
    return data ? String(data.code) : `${to[0]?.code} ${to[0]?.lines[0]?.slice(0, 5)}`;
  }

  test('has its mail deferred for five days after the suspension, then refused, and accepted again when it is lifted', async () => {
    const box = await Mailbox.open(appliance);
    const other = await Mailbox.open(appliance);
    await change(box, { status: 'suspended' });
    expect(await answer(box)).toBe('450 4.2.1');
    await clock.leap(3 * DAY_MS);
    // Neither another change nor a second suspension restarts the count.
    await change(box, { outbound: true });
    await change(box, { status: 'suspended' });
    await clock.leap(2 * DAY_MS - 1_000);
    expect(await answer(box)).toBe('450 4.2.1');
    await clock.leap(1_000);
    expect(await answer(box)).toBe('550 5.2.1');
    expect(await answer(other)).toBe('250');
    await change(box, { status: 'active' });
    expect(await answer(box)).toBe('250');
    await change(box, { status: 'suspended' });
    expect(await answer(box)).toBe('450 4.2.1');
  });

  test('that belongs to the operator does not stop mail to postmaster', async () => {
    using folder = temporaryFolder();
    const before = await startAppliance({ dataDir: folder.path });
    const { holder, id } = await Mailbox.open(before);
    await before.services.store.write(changeAccountOp, {
      account_no: holder.account.no,
      changes: { status: 'suspended' },
    });
    await before[Symbol.asyncDispose]();
    await using next = await startAppliance({ dataDir: folder.path, settings: { postmaster_inbox: id } });
    const { sendMail } = await import('../../peers/smtp-client.ts');
    const raw = 'Subject: x\r\n\r\nx\r\n';
    const { data } = await sendMail({ port: next.smtpPort, from: '', to: ['postmaster'], raw });
    expect(data?.code).toBe(250);
    expect(next.logged.join('')).toContain('its account is suspended');
  });
});
