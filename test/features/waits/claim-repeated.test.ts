/** Idempotency-Key on a wait with mark_read: a claim whose answer was lost is answered again, but made only once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { arrive, newBox } from './doors.ts';

let appliance: RunningAppliance;
let owner: Holder;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const coded = (otp: string) => ({ otp, otp_confidence: 1 });
const claim = (address: string, key: string, more = 'mark_read=true&timeout=5') =>
  appliance.request('GET', `/api/v1/inboxes/${address}/messages/wait?since=0&${more}`, {
    key: owner.key,
    headers: { 'idempotency-key': key },
  });

describe('a wait that claims, repeated with its Idempotency-Key', () => {
  test('gets the message that it claimed before, although that is now read', async () => {
    const { address } = await appliance.inbox(owner);
    await appliance.deliver(address, coded('111111'));
    const first = await claim(address, 'a');
    await appliance.deliver(address, coded('222222'));
    const again = await claim(address, 'a');
    expect([first.json.data.otp, again.json.data.otp]).toEqual(['111111', '111111']);
    expect((await claim(address, 'b')).json.data.otp).toBe('222222');
  });

  test('gets the same message even when both requests are waiting, so that one mail is claimed once', async () => {
    const box = await newBox(appliance, owner);
    const waits = ['c', 'c', 'd'].map((key) => claim(box.address, key));
    await until(() => appliance.services.waits.size === 3);
    await arrive(appliance, box, coded('111111'));
    await arrive(appliance, box, coded('222222'));
    const [one, two, other] = (await Promise.all(waits)).map(({ json }) => json.data.otp);
    expect(two).toBe(one);
    expect(other).not.toBe(one);
  });

  test('keeps waiting when nothing was claimed', async () => {
    const { address } = await appliance.inbox(owner);
    expect((await claim(address, 'e', 'mark_read=true&timeout=1')).status).toBe(204);
    await appliance.deliver(address, coded('111111'));
    expect((await claim(address, 'e')).json.data.otp).toBe('111111');
  });

  test('releases its message when its client leaves while it is being claimed', async () => {
    const box = await newBox(appliance, owner);
    const url = `${appliance.url}/api/v1/inboxes/${box.address}/messages/wait?since=0&mark_read=true`;
    for (let round = 0; round < 20; round++) {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${owner.key}`, 'idempotency-key': `f${round}` };
      const left = fetch(url, { headers, signal: leaving.signal }).catch(() => null);
      await until(() => appliance.services.waits.size === 1);
      const arrival = arrive(appliance, box, coded('111111'));
      leaving.abort();
      await Promise.all([left, arrival]);
      // Whether it was claimed or not, the next request of the same wait has it.
      const { status, text } = await claim(box.address, `f${round}`);
      expect([status, text]).toEqual([200, expect.stringContaining('"otp":"111111"')]);
    }
  });

  test('is a conflict for another inbox, and without a claim the key is ignored', async () => {
    const [one, two] = [await appliance.inbox(owner), await appliance.inbox(owner)];
    await appliance.deliver(one.address, coded('111111'));
    await appliance.deliver(two.address, coded('222222'));
    await claim(one.address, 'g');
    expect((await claim(two.address, 'g')).status).toBe(409);
    expect((await claim(two.address, 'g', 'mark_read=false')).json.data.otp).toBe('222222');
    expect((await claim(two.address, 'ä')).status).toBe(422);
  });

  test('may name its inbox in another way and wait for another time, but not for something else', async () => {
    const { address, id } = await appliance.inbox(owner);
    await appliance.deliver(address, coded('111111'));
    await claim(address, 'h');
    const again = await claim(id, 'h', 'mark_read=true&timeout=1&require=otp');
    expect(again.json.data.otp).toBe('111111');
    for (const more of ['require=link', 'from=ann', 'subject_contains=code', 'min_confidence=0.5']) {
      expect((await claim(address, 'h', `mark_read=true&timeout=1&${more}`)).status).toBe(409);
    }
  });

  test('never claims a second message, even when the first one is deleted', async () => {
    const { address } = await appliance.inbox(owner);
    await appliance.deliver(address, coded('111111'));
    const first = await claim(address, 'i');
    await appliance.request('DELETE', `/api/v1/messages/${first.json.data.id}`, { key: owner.key });
    await appliance.deliver(address, coded('222222'));
    const again = await claim(address, 'i');
    expect([again.status, again.json.error.code]).toEqual([409, 'conflict']);
    expect((await claim(address, 'j')).json.data.otp).toBe('222222');
  });

  test('is separate for each account', async () => {
    const other = await appliance.holder();
    const [mine, theirs] = [await appliance.inbox(owner), await appliance.inbox(other)];
    await appliance.deliver(mine.address, coded('111111'));
    await appliance.deliver(theirs.address, coded('222222'));
    await claim(mine.address, 'k');
    const reply = await appliance.request('GET', '/api/v1/messages/wait?since=0&mark_read=true&timeout=5', {
      key: other.key,
      headers: { 'idempotency-key': 'k' },
    });
    expect(reply.json.data.otp).toBe('222222');
  });
});

test('a claim is remembered across a restart, for 24 hours', async () => {
  const clock = new FakeClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  const ask = (where: RunningAppliance, key: string, address: string) =>
    where.request('GET', `/api/v1/inboxes/${address}/messages/wait?since=0&mark_read=true`, {
      key,
      headers: { 'idempotency-key': 'a' },
    });
  const settings = { limits: 'off' };
  let before = await startAppliance({ settings, clock, dataDir });
  const { key } = await before.holder();
  const { address } = await before.inbox({ key } as Holder);
  for (const otp of ['111111', '222222']) await before.deliver(address, coded(otp));
  const first = (await ask(before, key, address)).json.data.otp;
  await before[Symbol.asyncDispose]();
  before = await startAppliance({ settings, clock, dataDir });
  await clock.leap(24 * 3_600_000 - 1);
  expect((await ask(before, key, address)).json.data.otp).toBe(first);
  await clock.leap(1);
  expect((await ask(before, key, address)).json.data.otp).not.toBe(first);
  await before[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});
