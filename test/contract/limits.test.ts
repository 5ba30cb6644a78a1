import { describe, expect, test } from 'bun:test';
import { createKey } from '../../src/accounts/keys.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { startAppliance } from '../start.ts';

describe('rate limits', () => {
  test('tell of the bucket with the fewest left, refuse, and begin anew', async () => {
    const clock = new FakeClock();
    await using limited = await startAppliance({
      clock,
      settings: { limit_requests_per_hour: '5', limit_requests_per_minute: '3' },
    });
    const [one, two] = [await limited.holder(), await limited.holder()];
    const ask = async (holder = one, path = '/api/v1/account') => {
      const { status, headers } = await limited.request('GET', path, { key: holder.key });
      const left = ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
      return [status, ...left, headers.get('retry-after')];
    };
    const now_s = clock.now_us() / 1_000_000;
    expect(await ask()).toEqual([200, 3, 2, now_s + 60, null]);
    expect(await ask(one, '/api/v1/inboxes/x')).toEqual([404, 3, 1, now_s + 60, null]);
    expect(await ask()).toEqual([200, 3, 0, now_s + 60, null]);
    await clock.advance(20_000);
    expect(await ask()).toEqual([429, 3, 0, now_s + 60, '40']);
    expect(await ask(two)).toEqual([200, 3, 2, now_s + 80, null]);
    // A refused request takes nothing: two are left of the hour.
    await clock.advance(40_000);
    expect(await ask()).toEqual([200, 5, 1, now_s + 3600, null]);
    expect(await ask()).toEqual([200, 5, 0, now_s + 3600, null]);
    expect(await ask()).toEqual([429, 5, 0, now_s + 3600, '3540']);
    await clock.advance(3_540_000);
    expect(await ask()).toEqual([200, 3, 2, now_s + 3660, null]);
  });

  test('never ask for more than the window, also when it began within a second', async () => {
    const clock = new FakeClock();
    await using limited = await startAppliance({ clock, settings: { limit_requests_per_minute: '1' } });
    const { key } = await limited.holder();
    await clock.advance(500);
    await limited.request('GET', '/api/v1/account', { key });
    const { status, headers } = await limited.request('GET', '/api/v1/account', { key });
    const reset_s = Number(headers.get('x-ratelimit-reset')) - Math.floor(clock.now_us() / 1_000_000);
    expect([status, headers.get('retry-after'), reset_s]).toEqual([429, '60', 60]);
  });

  test('are per key, not per account', async () => {
    await using limited = await startAppliance({ settings: { limit_requests_per_minute: '1' } });
    const holder = await limited.holder();
    const second = await createKey(limited.floor, holder.account, {});
    for (const key of [holder.key, second.api_key]) {
      expect((await limited.request('GET', '/api/v1/account', { key })).status).toBe(200);
      expect((await limited.request('GET', '/api/v1/account', { key })).status).toBe(429);
    }
  });

  test('of batches are per account', async () => {
    await using limited = await startAppliance({ settings: { limit_batch_per_hour: '2' } });
    const holder = await limited.holder();
    const second = await createKey(limited.floor, holder.account, {});
    const body = { action: 'fetch', ids: ['x'] };
    const statuses = [];
    for (const key of [holder.key, second.api_key, holder.key, second.api_key]) {
      statuses.push((await limited.request('POST', '/api/v1/messages/batch', { key, body })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await limited.request('GET', '/api/v1/account', { key: holder.key })).status).toBe(200);
  });

  test('can be turned off', async () => {
    await using appliance = await startAppliance({ settings: { limits: 'off' } });
    const owner = await appliance.holder();
    for (let count = 0; count < 150; count++) {
      expect((await appliance.request('GET', '/api/v1/account', { key: owner.key })).status).toBe(200);
    }
  });
});
