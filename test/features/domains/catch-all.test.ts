/** Inboxes on a domain, and its catch-all. */
import { describe, expect, test } from 'bun:test';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { disableDomainOp } from '../../../src/features/domains/writes.ts';
import { messageJobs } from '../../../src/features/messages/jobs.ts';
import type { Reply } from '../../start.ts';
import { startWorld, type World } from './world.ts';

const verdict = ({ status, json }: Reply) =>
  [status, json?.error?.code, ...Object.keys(json?.error?.fields ?? {})].filter(Boolean).join(' ');

const turn = (world: World, id: string, body: unknown) =>
  world.api('PATCH', `/domains/${id}/catch_all`, body);

describe('an inbox on a domain', () => {
  test('has its address there, and is found by it', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const created = await world.api('POST', '/inboxes', { domain: id, routing_key: 'Desk', label: 'x' });
    expect(created.json.data).toMatchObject({
      address: 'desk@one.example',
      routing_key: 'desk',
      domain: id,
      is_public: false,
      is_catch_all: false,
    });
    const random = (await world.api('POST', '/inboxes', { domain: id })).json.data;
    expect(random.address).toMatch(/^[a-z2-7]{10}@one\.example$/);
    const found = await world.api('GET', '/inboxes?address=Desk@One.Example');
    expect(found.json.data).toEqual([created.json.data]);
    expect((await world.api('GET', '/inboxes/desk@one.example')).json.data).toMatchObject(created.json.data);
    expect((await world.api('GET', '/inboxes')).json.data[1].domain).toBe(id);
    const shared = (await world.api('POST', '/inboxes', { domain: null })).json.data;
    expect(shared).toMatchObject({ domain: null, address: expect.stringContaining('@postern.test') });
  });

  test('is found by its address in either form of the domain', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('münchen.example');
    const created = (await world.api('POST', '/inboxes', { domain: id, routing_key: 'desk' })).json.data;
    for (const address of ['desk@xn--mnchen-3ya.example', 'Desk@München.example']) {
      const found = await world.api('GET', `/inboxes?address=${encodeURIComponent(address)}`);
      expect(found.json.data).toEqual([created]);
      const named = await world.api('GET', `/inboxes/${encodeURIComponent(address)}/messages`);
      expect(verdict(named)).toBe('200');
    }
  });

  test('may have any name: those reserved on the shared domain are its owner’s', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    for (const routingKey of ['postmaster', 'admin', 'abuse', 'info']) {
      expect(verdict(await world.api('POST', '/inboxes', { domain: id, routing_key: routingKey }))).toBe(
        '201',
      );
      expect(verdict(await world.api('POST', '/inboxes', { routing_key: routingKey }))).toBe(
        '422 validation_error routing_key',
      );
    }
  });

  test('does not collide with another domain’s inboxes, nor with a later owner’s', async () => {
    await using world = await startWorld();
    const other = await world.appliance.holder();
    const [one, two] = [await world.verified('one.example'), await world.verified('two.example', other)];
    const make = (key: string, body: unknown) => world.api('POST', '/inboxes', body, key);
    expect(verdict(await make(other.key, { routing_key: 'desk' }))).toBe('201');
    const desk = await make(world.owner.key, { domain: one.id, routing_key: 'desk' });
    expect(verdict(desk)).toBe('201');
    expect(verdict(await make(other.key, { domain: two.id, routing_key: 'desk' }))).toBe('201');
    expect(verdict(await make(world.owner.key, { domain: one.id, routing_key: 'desk' }))).toBe(
      '409 conflict',
    );
    await world.api('DELETE', `/inboxes/${desk.json.data.id}`);
    await world.api('DELETE', `/domains/${one.id}`);
    const again = await world.verified('one.example', other);
    expect(verdict(await make(other.key, { domain: again.id, routing_key: 'desk' }))).toBe('201');
  });

  test('needs a verified domain of the caller, and is never public', async () => {
    await using world = await startWorld();
    const other = await world.appliance.holder();
    const { id } = await world.verified('one.example');
    const waiting = await world.register('waiting.example');
    const theirs = await world.verified('theirs.example', other);
    const make = (body: unknown) => world.api('POST', '/inboxes', body);
    for (const domain of [waiting.id, theirs.id, 'dom_x', 'one.example', '', `${id}0`]) {
      expect([domain, verdict(await make({ domain }))]).toEqual([
        domain,
        '422 domain_not_found_or_unverified',
      ]);
    }
    for (const domain of [7, true, {}])
      expect(verdict(await make({ domain }))).toBe('422 validation_error domain');
    expect(verdict(await make({ domain: id, public: true }))).toBe('422 public_not_allowed_on_custom_domain');
    expect(verdict(await make({ domain: 'dom_x', public: true }))).toBe(
      '422 public_not_allowed_on_custom_domain',
    );
    await world.appliance.services.store.write(disableDomainOp, { id });
    expect(verdict(await make({ domain: id }))).toBe('422 domain_not_found_or_unverified');
  });

  test('counts against the cap of inboxes, and can’t be read without a key', async () => {
    await using world = await startWorld({ plan_business_inboxes: '2' });
    const { id } = await world.verified('one.example');
    const { address } = await world.appliance.inbox(world.owner, { domain: id });
    await world.appliance.inbox(world.owner);
    expect(verdict(await world.api('POST', '/inboxes', { domain: id }))).toBe('409 plan_limit_reached');
    const read = await world.appliance.request('GET', `/api/v1/public/emails/${address}/messages`);
    expect(verdict(read)).toBe('404 not_found');
  });

  test('stays when the plan loses its domains, and no new ones can be created', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const { address } = await world.appliance.inbox(world.owner, { domain: id });
    const accountNo = world.owner.account.no;
    await world.appliance.services.store.write(changeAccountOp, {
      account_no: accountNo,
      changes: { plan: 'pro' },
    });
    expect(verdict(await world.api('POST', '/inboxes', { domain: id }))).toBe(
      '403 domain_entitlement_required',
    );
    expect(verdict(await world.api('GET', `/inboxes/${address}`))).toBe('200');
    await world.appliance.deliver(address);
    expect((await world.api('GET', `/inboxes/${address}/messages`)).json.data).toHaveLength(1);
  });
});

describe('PATCH /domains/{id}/catch_all', () => {
  test('creates an inbox and binds it, keeps it when turned off, and reuses it when turned on', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const on = (await turn(world, id, { catch_all: true })).json.data;
    // Bun 1.4: toMatchObject writes its matchers into its argument.
    expect(on.catch_all_inbox_id).toMatch(/^inbox_/);
    expect(on.catch_all).toBe(true);
    const target = async () => (await world.api('GET', `/inboxes/${on.catch_all_inbox_id}`)).json.data;
    expect(await target()).toMatchObject({
      domain: id,
      is_catch_all: true,
      is_public: false,
      label: 'catch-all',
    });
    const off = (await turn(world, id, { catch_all: false })).json.data;
    expect(off).toEqual({ ...on, catch_all: false });
    expect(await target()).toMatchObject({ is_catch_all: false });
    // Turning it off, then on twice, creates nothing new.
    expect((await turn(world, id, { catch_all: false })).json.data).toEqual(off);
    for (let time = 0; time < 2; time++) {
      expect((await turn(world, id, { catch_all: true, inbox_id: null })).json.data).toEqual(on);
    }
    expect((await world.api('GET', '/inboxes')).json.data).toHaveLength(1);
  });

  test('accepts a named inbox, and can switch to another', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const one = await world.appliance.inbox(world.owner, { domain: id });
    const two = await world.appliance.inbox(world.owner, { domain: id });
    for (const { id: inboxId } of [one, two]) {
      const reply = await turn(world, id, { catch_all: true, inbox_id: inboxId });
      expect(reply.json.data).toMatchObject({ catch_all: true, catch_all_inbox_id: inboxId });
    }
    expect(verdict(await turn(world, id, { catch_all: true, inbox_id: two.id }))).toBe(
      '409 catch_all_target',
    );
    // An inert target may be set again.
    await turn(world, id, { catch_all: false });
    expect(verdict(await turn(world, id, { catch_all: true, inbox_id: two.id }))).toBe('200');
  });

  test('refuses an unsuitable target', async () => {
    await using world = await startWorld();
    const other = await world.appliance.holder();
    const [{ id }, elsewhere] = [await world.verified('one.example'), await world.verified('two.example')];
    const shared = await world.appliance.inbox(world.owner);
    const there = await world.appliance.inbox(world.owner, { domain: elsewhere.id });
    const theirs = await world.appliance.inbox(other);
    const deleted = await world.appliance.inbox(world.owner, { domain: id });
    await world.api('DELETE', `/inboxes/${deleted.id}`);
    const choose = async (inboxId: unknown) =>
      verdict(await turn(world, id, { catch_all: true, inbox_id: inboxId }));
    for (const { id: inboxId } of [shared, there, deleted]) {
      expect(await choose(inboxId)).toBe('422 catch_all_target_invalid inbox_id');
    }
    for (const inboxId of [theirs.id, 'inbox_x', '', 'x@one.example']) {
      expect(await choose(inboxId)).toBe('404 domain_not_found_or_unverified');
    }
    for (const inboxId of [7, {}, true]) expect(await choose(inboxId)).toBe('422 validation_error inbox_id');
    expect((await world.get({ id })).catch_all).toBe(false);
  });

  test('refuses a body that does not say on or off', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    for (const body of [
      {},
      { catch_all: null },
      { catch_all: 'true' },
      { catch_all: 1 },
      { inbox_id: null },
    ]) {
      expect(verdict(await turn(world, id, body))).toBe('422 validation_error catch_all');
    }
    expect(verdict(await turn(world, id, { catch_all: true, on: 1 }))).toBe('422 validation_error on');
  });

  test('can be turned on for verified domains only, and off for any', async () => {
    await using world = await startWorld();
    const waiting = await world.register('waiting.example');
    expect(verdict(await turn(world, waiting.id, { catch_all: true }))).toBe('409 domain_not_verified');
    expect(verdict(await turn(world, waiting.id, { catch_all: true, inbox_id: 'inbox_x' }))).toBe(
      '409 domain_not_verified',
    );
    expect(verdict(await turn(world, waiting.id, { catch_all: false }))).toBe('200');
    const { id } = await world.verified('one.example');
    await turn(world, id, { catch_all: true });
    await world.appliance.services.store.write(disableDomainOp, { id });
    expect(verdict(await turn(world, id, { catch_all: false }))).toBe('200');
  });

  test('creates no inbox beyond the cap', async () => {
    await using world = await startWorld({ plan_business_inboxes: '1' });
    const { id } = await world.verified('one.example');
    const { id: inboxId } = await world.appliance.inbox(world.owner, { domain: id });
    expect(verdict(await turn(world, id, { catch_all: true }))).toBe('403 inbox_limit_reached');
    expect(verdict(await turn(world, id, { catch_all: true, inbox_id: inboxId }))).toBe('200');
  });
});

describe('the target of a catch-all', () => {
  test('can’t be deleted while the catch-all is on', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const { catch_all_inbox_id: target } = (await turn(world, id, { catch_all: true })).json.data;
    expect(verdict(await world.api('DELETE', `/inboxes/${target}`))).toBe('409 catch_all_target');
    expect(verdict(await world.api('GET', `/inboxes/${target}`))).toBe('200');
    await turn(world, id, { catch_all: false });
    expect(verdict(await world.api('DELETE', `/inboxes/${target}`))).toBe('204');
    expect(await world.get({ id })).toMatchObject({ catch_all: false, catch_all_inbox_id: null });
    // Erased, and a new one created.
    for (const job of messageJobs) await world.appliance.run(job);
    const on = (await turn(world, id, { catch_all: true })).json.data;
    expect(on.catch_all_inbox_id).not.toBe(target);
    expect(world.appliance.logged).toEqual([]);
  });

  test('can be deleted once the plan has no catch-all, and so can the domain', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const { catch_all_inbox_id: target } = (await turn(world, id, { catch_all: true })).json.data;
    const accountNo = world.owner.account.no;
    await world.appliance.services.store.write(changeAccountOp, {
      account_no: accountNo,
      changes: { plan: 'pro' },
    });
    expect(verdict(await turn(world, id, { catch_all: false }))).toBe('403 catch_all_entitlement_required');
    expect(verdict(await world.api('DELETE', `/inboxes/${target}`))).toBe('204');
    expect(await world.get({ id })).toMatchObject({ catch_all: false, catch_all_inbox_id: null });
    expect(verdict(await world.api('DELETE', `/domains/${id}`))).toBe('204');
  });
});
