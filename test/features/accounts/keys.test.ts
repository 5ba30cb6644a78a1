/** How many keys an account may have, at each door where one is created. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { revokeKeyOp } from '../../../src/features/accounts/keys/writes.ts';
import { owner } from '../../doors/dashboard/visitor.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  const caps = { plan_free_api_keys: '3', limit_dashboard_keys_per_hour: '5' };
  appliance = await startAppliance({ settings: caps });
});
afterAll(() => appliance[Symbol.asyncDispose]());

describe('live keys of an account', () => {
  test('are capped by its plan, and revoking one makes room', async () => {
    const { account } = await appliance.holder('free');
    const created = [
      await createKey(appliance.services, account, {}),
      await createKey(appliance.services, account, {}),
    ];
    const refused = createKey(appliance.services, account, {}).catch((failure) => failure);
    expect(await refused).toMatchObject({ code: 'plan_limit_reached', status: 409 });
    await appliance.services.store.write(revokeKeyOp, { id: created[0]!.key.id });
    expect((await createKey(appliance.services, account, {})).api_key).toStartWith('pst_live_');
    const again = createKey(appliance.services, account, {}).catch((failure) => failure);
    expect(await again).toMatchObject({ code: 'plan_limit_reached' });
  });

  test('are at most 100 on every plan unless set, even without rate limits', async () => {
    await using unlimited = await startAppliance({ settings: { limits: 'off' } });
    const { account, key } = await unlimited.holder('business');
    const { caps } = (await unlimited.request('GET', '/api/v1/account', { key })).json.data;
    expect(caps.api_keys).toBe(100);
    const created = await Promise.allSettled(
      Array.from({ length: 120 }, () => createKey(unlimited.services, account, {})),
    );
    // The account was created with one key.
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(99);
  });

  test('beyond the cap are refused in the dashboard with the error code and what to do', async () => {
    const { visitor } = await owner(appliance, 'free');
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await visitor.post('/keys', { name: 'k' })).status);
    expect(statuses).toEqual([201, 201, 409]);
    const { json } = await visitor.post('/keys', { name: 'one more' });
    expect(json.error).toMatchObject({
      code: 'plan_limit_reached',
      message: 'This account has 3 live API keys, the most its plan allows. Revoke one that you do not use.',
    });
  });

  test('can’t be created and revoked in a loop, because the dashboard has an hourly limit', async () => {
    const { visitor } = await owner(appliance);
    for (let count = 0; count < 5; count++) {
      const { json, status } = await visitor.post('/keys', { name: 'k' });
      expect(status).toBe(201);
      expect((await visitor.ask('DELETE', `/keys/${json.data.key_id}`)).status).toBe(200);
    }
    const refused = await visitor.post('/keys', { name: 'k' });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await visitor.get('/keys')).status).toBe(200);
  });
});

test('of the revoked keys the thousand that were revoked last are kept', async () => {
  const { account, visitor } = await owner(appliance, 'scale');
  const { services } = appliance;
  const create = async () => (await createKey(services, account, {}, 2_000)).key.id;
  const revoke = (id: string) => services.store.write(revokeKeyOp, { id });
  const ids = await Promise.all(Array.from({ length: 1_002 }, create));
  const [late, early, ...others] = ids as [string, string, ...string[]];
  await revoke(early);
  await Promise.all(others.map(revoke));
  await revoke(late);
  await create();
  const listed = (await visitor.get('/keys')).json.data as { key_id: string; revoked_at: string | null }[];
  const revoked = listed.filter(({ revoked_at }) => revoked_at !== null).map(({ key_id }) => key_id);
  expect(revoked).toHaveLength(1_000);
  expect([revoked.includes(late), revoked.includes(early)]).toEqual([true, false]);
});

test('capture restarts in a kept folder, however many keys its earlier runs left there', async () => {
  using folder = temporaryFolder();
  for (let run = 0; run < 3; run++) {
    const options = {
      capture: {},
      dataDir: folder.path,
      settings: {
        plan_business_api_keys: '1',
        plan_free_api_keys: '1',
        plan_pro_api_keys: '1',
        plan_scale_api_keys: '1',
      },
    };
    await using trap = await startAppliance(options);
    const { status } = await trap.request('GET', '/api/v1/account', { key: trap.apiKey! });
    expect(status).toBe(200);
  }
});
