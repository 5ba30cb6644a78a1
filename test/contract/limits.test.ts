import { describe, expect, test } from 'bun:test';
import { createKey } from '../../src/features/accounts/keys/create.ts';
import { owner } from '../doors/dashboard/visitor.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { startAppliance } from '../start.ts';

describe('rate limits', () => {
  test('report the limit with the fewest requests left, refuse requests, and start over', async () => {
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
    const nowS = clock.nowUs() / 1_000_000;
    expect(await ask()).toEqual([200, 3, 2, nowS + 60, null]);
    expect(await ask(one, '/api/v1/inboxes/x')).toEqual([404, 3, 1, nowS + 60, null]);
    expect(await ask()).toEqual([200, 3, 0, nowS + 60, null]);
    await clock.advance(20_000);
    expect(await ask()).toEqual([429, 3, 0, nowS + 60, '40']);
    expect(await ask(two)).toEqual([200, 3, 2, nowS + 80, null]);
    // A refused request does not count: two remain in this hour.
    await clock.advance(40_000);
    expect(await ask()).toEqual([200, 5, 1, nowS + 3600, null]);
    expect(await ask()).toEqual([200, 5, 0, nowS + 3600, null]);
    expect(await ask()).toEqual([429, 5, 0, nowS + 3600, '3540']);
    await clock.advance(3_540_000);
    expect(await ask()).toEqual([200, 3, 2, nowS + 3660, null]);
  });

  test('never ask a client to wait longer than the window, even when it began less than a second ago', async () => {
    const clock = new FakeClock();
    await using limited = await startAppliance({ clock, settings: { limit_requests_per_minute: '1' } });
    const { key } = await limited.holder();
    await clock.advance(500);
    await limited.request('GET', '/api/v1/account', { key });
    const { status, headers } = await limited.request('GET', '/api/v1/account', { key });
    const resetS = Number(headers.get('x-ratelimit-reset')) - Math.floor(clock.nowUs() / 1_000_000);
    expect([status, headers.get('retry-after'), resetS]).toEqual([429, '60', 60]);
  });

  test('that are used up together make the client wait for the one that ends last, and report that one', async () => {
    const clock = new FakeClock();
    await using limited = await startAppliance({
      clock,
      settings: { limit_requests_per_hour: '1', limit_requests_per_minute: '1' },
    });
    const { key } = await limited.holder();
    await limited.request('GET', '/api/v1/account', { key });
    const { status, headers } = await limited.request('GET', '/api/v1/account', { key });
    expect([status, headers.get('retry-after')]).toEqual([429, '3600']);
    expect(Number(headers.get('x-ratelimit-reset'))).toBe(clock.nowUs() / 1_000_000 + 3600);
  });

  test('are per key, not per account', async () => {
    await using limited = await startAppliance({ settings: { limit_requests_per_minute: '1' } });
    const holder = await limited.holder();
    const second = await createKey(limited.services, holder.account, {});
    for (const key of [holder.key, second.api_key]) {
      expect((await limited.request('GET', '/api/v1/account', { key })).status).toBe(200);
      expect((await limited.request('GET', '/api/v1/account', { key })).status).toBe(429);
    }
  });

  test('for all keys of an account are ten times those of one key, per minute and per hour', async () => {
    const clock = new FakeClock();
    const settings = { limit_requests_per_minute: '2', limit_requests_per_hour: '3' };
    await using limited = await startAppliance({ clock, settings });
    const [flooding, calm] = [await limited.holder(), await limited.holder()];
    const keys = [];
    for (let count = 0; count < 15; count++)
      keys.push((await createKey(limited.services, flooding.account, {})).api_key);
    const ask = (key: string) => limited.request('GET', '/api/v1/account', { key });
    const statuses = [];
    for (const key of [...keys, ...keys]) statuses.push((await ask(key)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    const { status, json, headers } = await ask(keys.at(-1)!);
    expect([status, json.error.code]).toEqual([429, 'rate_limited']);
    expect(headers.get('retry-after')).toBe('60');
    // A new key has two requests left and its account none, so the headers report the account's limit.
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['20', '0']);
    expect((await ask(calm.key)).status).toBe(200);
    await clock.advance(60_000);
    const later = [];
    for (const key of keys) later.push((await ask(key)).status);
    expect(later.filter((status) => status === 200)).toHaveLength(10);
    expect(Number((await ask(flooding.key)).headers.get('retry-after'))).toBe(3_540);
  });

  test('of the dashboard are per account, for all requests together, and separate from those of its keys', async () => {
    const settings = { limit_dashboard_requests_per_minute: '4', limit_requests_account_per_minute: '2' };
    await using limited = await startAppliance({ settings });
    const [one, two] = [await owner(limited), await owner(limited)];
    const paths = ['/inboxes', '/messages?q=x', '/keys', '/sessions', '/unread'];
    const statuses = [];
    for (const path of paths) statuses.push((await one.visitor.get(path)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect(Number((await one.visitor.get('/inboxes')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await two.visitor.get('/inboxes')).status).toBe(200);
    const { api_key } = await createKey(limited.services, one.account, {});
    expect((await limited.request('GET', '/api/v1/account', { key: api_key })).status).toBe(200);
  });

  test('of batches are per account', async () => {
    await using limited = await startAppliance({ settings: { limit_batch_per_hour: '2' } });
    const holder = await limited.holder();
    const second = await createKey(limited.services, holder.account, {});
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
