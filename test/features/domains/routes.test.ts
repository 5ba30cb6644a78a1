/** Every status and code of the domains' routes, in their order. */
import { describe, expect, test } from 'bun:test';
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { addMember } from '../../../src/features/accounts/members.ts';
import {
  type AccountChanges,
  changeAccountOp,
  deleteAccountOp,
} from '../../../src/features/accounts/writes.ts';
import { DOMAIN_LIST, DUE_DOMAINS, LIVE_INBOXES } from '../../../src/features/domains/sql.ts';
import { INBOX } from '../../../src/features/inboxes/sql.ts';
import { limits } from '../../../src/rules/limits.ts';
import type { Holder, Reply } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';
import { HOUR, SECOND, startWorld, type World } from './world.ts';

const verdict = ({ status, json }: Reply) =>
  [status, json?.error?.code, ...Object.keys(json?.error?.fields ?? {})].filter(Boolean).join(' ');

/** Every route, with a domain that belongs to the caller. */
const routes = (id: string): [method: string, path: string, body?: unknown][] => [
  ['GET', '/domains'],
  ['POST', '/domains', { name: 'two.example' }],
  ['GET', `/domains/${id}`],
  ['POST', `/domains/${id}/verify`],
  ['PATCH', `/domains/${id}/catch_all`, { catch_all: true }],
  ['POST', `/domains/${id}/sending_setup`],
  ['DELETE', `/domains/${id}`],
];

const change = ({ appliance }: World, { account }: Holder, changes: AccountChanges) =>
  appliance.services.store.write(changeAccountOp, { account_no: account.no, changes });

async function memberKey({ appliance: { services } }: World, { account }: Holder): Promise<string> {
  await addMember(services, account, 'member@example.org');
  return (await createKey(services, account, { as: 'member@example.org', name: 'm' })).api_key;
}

describe('POST /domains', () => {
  test('answers 201 with the location of the domain', async () => {
    await using world = await startWorld();
    const reply = await world.api('POST', '/domains', { name: 'one.example' });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/api/v1/domains/${reply.json.data.id}`);
  });

  test('accepts any name that somebody could own', async () => {
    await using world = await startWorld({ base_url: 'https://api.service.example:8443' });
    const wanted: [unknown, string][] = [
      [{}, '422 validation_error name'],
      [{ name: null }, '422 validation_error name'],
      [{ name: 7 }, '422 validation_error name'],
      [{ name: '' }, '422 validation_error name'],
      [{ name: 'localhost' }, '422 validation_error name'],
      [{ name: 'co.uk' }, '422 validation_error name'],
      [{ name: 'github.io' }, '422 validation_error name'],
      [{ name: '192.0.2.1' }, '422 validation_error name'],
      [{ name: 'https://one.example' }, '422 validation_error name'],
      [{ name: 'one.example/x' }, '422 validation_error name'],
      [{ name: 'a@one.example' }, '422 validation_error name'],
      [{ name: ' one.example' }, '422 validation_error name'],
      [{ name: 'postern.test' }, '422 validation_error name'],
      [{ name: 'Postern.Test.' }, '422 validation_error name'],
      [{ name: 'mx.postern.test' }, '422 validation_error name'],
      [{ name: 'deep.sub.postern.test' }, '422 validation_error name'],
      [{ name: 'api.service.example' }, '422 validation_error name'],
      [{ name: 'xpostern.test' }, '201'],
      [{ name: 'service.example' }, '201'],
      [{ name: 'me.github.io' }, '201'],
      // 234 characters: the host of its ownership record then has the maximum of 253.
      [{ name: `${'a.'.repeat(114)}a.test` }, '201'],
      [{ name: `${'a.'.repeat(114)}aa.test` }, '422 validation_error name'],
      [{ name: `${'a.'.repeat(124)}a.test` }, '422 validation_error name'],
      [{ name: 'one.example', catch_all: true }, '422 validation_error catch_all'],
    ];
    for (const [body, verdictWanted] of wanted) {
      expect([body, verdict(await world.api('POST', '/domains', body))]).toEqual([body, verdictWanted]);
    }
  });

  test('accepts a name only once, whoever has it and in whatever status, until it is released', async () => {
    await using world = await startWorld();
    const other = await world.appliance.holder();
    const domain = await world.register('münchen.example');
    for (const key of [world.owner.key, other.key]) {
      for (const name of ['münchen.example', 'XN--MNCHEN-3YA.example']) {
        expect(verdict(await world.api('POST', '/domains', { name }, key))).toBe('409 domain_taken');
      }
    }
    expect((await world.api('DELETE', `/domains/${domain.id}`)).status).toBe(204);
    const again = await world.register('münchen.example', other);
    expect(again.verification_token).not.toBe(domain.verification_token);
    expect(verdict(await world.api('GET', `/domains/${domain.id}`))).toBe('404 not_found');
  });

  test('enforces the plan’s cap even for simultaneous requests', async () => {
    await using world = await startWorld({ plan_business_custom_domains: '3' });
    const names = Array.from({ length: 8 }, (_, at) => `d${at}.example`);
    const replies = await Promise.all(names.map((name) => world.api('POST', '/domains', { name })));
    expect(replies.map(verdict).sort()).toEqual([
      ...Array(3).fill('201'),
      ...Array(5).fill('403 domain_limit_reached'),
    ]);
    // The cap is checked before the name.
    expect(verdict(await world.api('POST', '/domains', { name: 'd0.example' }))).toBe(
      '403 domain_limit_reached',
    );
  });

  test('creates one domain per Idempotency-Key', async () => {
    await using world = await startWorld();
    const ask = (name: string) =>
      world.appliance.request('POST', '/api/v1/domains', {
        key: world.owner.key,
        body: { name },
        headers: { 'idempotency-key': 'k1' },
      });
    const [first, second] = [await ask('one.example'), await ask('one.example')];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json).toEqual(first.json);
    expect(verdict(await ask('two.example'))).toBe('409 conflict');
  });
});

describe('GET /domains', () => {
  test('lists the account’s domains, newest first, page by page', async () => {
    await using world = await startWorld();
    const other = await world.appliance.holder();
    await world.register('other.example', other);
    for (let at = 0; at < 5; at++) await world.register(`d${at}.example`);
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { json } = await world.api('GET', `/domains?limit=2${more}`);
      names.push(...json.data.map(({ name }: { name: string }) => name));
      cursor = json.pagination.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(['d4.example', 'd3.example', 'd2.example', 'd1.example', 'd0.example']);
    const theirs = await world.api('GET', '/domains?limit=1');
    const stolen = theirs.json.pagination.next_cursor;
    expect(verdict(await world.api('GET', `/domains?cursor=${stolen}`, undefined, other.key))).toBe(
      '422 validation_error cursor',
    );
  });

  test('is empty for a plan without domains', async () => {
    await using world = await startWorld({}, 'free');
    const { status, json } = await world.api('GET', '/domains');
    expect([status, json]).toEqual([200, { data: [], pagination: { next_cursor: null, has_more: false } }]);
  });
});

describe('permission', () => {
  test.each(['free', 'pro', 'scale'] as const)('on plan %s covers nothing new', async (plan) => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    await change(world, world.owner, { plan });
    const verdicts = [];
    for (const [method, path, body] of routes(id))
      verdicts.push(verdict(await world.api(method, path, body)));
    expect(verdicts).toEqual([
      '200',
      '403 domain_entitlement_required',
      '200',
      '403 domain_entitlement_required',
      '403 catch_all_entitlement_required',
      '403 domain_entitlement_required',
      '204',
    ]);
    // Checked before the body.
    for (const body of [{}, '{bad', { name: 7 }]) {
      expect(verdict(await world.api('POST', '/domains', body))).toBe('403 domain_entitlement_required');
    }
    expect(verdict(await world.api('PATCH', `/domains/${id}/catch_all`, {}))).toBe(
      '403 catch_all_entitlement_required',
    );
  });

  test('without the account’s flag covers nothing at all', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    await change(world, world.owner, { custom_domains: false });
    for (const [method, path, body] of routes(id)) {
      expect([path, verdict(await world.api(method, path, body))]).toEqual([path, '403 byod_disabled']);
    }
    expect(verdict(await world.api('POST', '/inboxes', { domain: id }))).toBe('403 byod_disabled');
    expect(verdict(await world.api('POST', '/inboxes', {}))).toBe('201');
  });

  test('of agents lets them see only that they have no domains', async () => {
    await using world = await startWorld();
    const created = await world.appliance.request('POST', '/api/v1/agents/register', { body: {} });
    const ask = async (method: string, path: string, body?: unknown) =>
      verdict(await world.api(method, path, body, created.json.data.api_key));
    expect(await ask('GET', '/domains')).toBe('200');
    expect(await ask('GET', '/domains/dom_x')).toBe('404 not_found');
    expect(await ask('POST', '/domains', { name: 'one.example' })).toBe('403 domain_entitlement_required');
    expect(await ask('POST', '/inboxes', { domain: 'dom_x' })).toBe('422 domain_not_found_or_unverified');
  });

  test('of a member’s key covers reading only', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const key = await memberKey(world, world.owner);
    const verdicts = [];
    for (const [method, path, body] of routes(id))
      verdicts.push(verdict(await world.api(method, path, body, key)));
    const no = '403 account_forbidden';
    expect(verdicts).toEqual(['200', no, '200', no, no, no, no]);
    // An inbox on a domain works like any other.
    expect(verdict(await world.api('POST', '/inboxes', { domain: id }, key))).toBe('201');
  });

  test('never extends to another account’s domain', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const other = await world.appliance.holder();
    for (const [method, path, body] of routes(id).slice(2)) {
      expect([path, verdict(await world.api(method, path, body, other.key))]).toEqual([
        path,
        '404 not_found',
      ]);
    }
    expect((await world.api('GET', '/domains', undefined, other.key)).json.data).toEqual([]);
    expect((await world.get({ id })).status).toBe('verified');
  });
});

describe('DELETE /domains/{id}', () => {
  test('is refused until the inboxes are gone', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const inbox = await world.appliance.inbox(world.owner, { domain: id });
    expect(verdict(await world.api('DELETE', `/domains/${id}`))).toBe('409 domain_has_inboxes');
    await world.api('DELETE', `/inboxes/${inbox.id}`);
    expect(verdict(await world.api('DELETE', `/domains/${id}`))).toBe('204');
    expect(verdict(await world.api('DELETE', `/domains/${id}`))).toBe('404 not_found');
  });
});

describe('POST /domains/{id}/sending_setup', () => {
  test('creates a new key each time, pending its DNS record', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const created = [];
    for (let time = 0; time < 3; time++) {
      created.push((await world.api('POST', `/domains/${id}/sending_setup`)).json.data);
    }
    expect(created.map(({ dkim_selector }) => dkim_selector)).toEqual([
      'pst202611a',
      'pst202611b',
      'pst202611c',
    ]);
    expect(new Set(created.map(({ dkim_public_key_txt }) => dkim_public_key_txt)).size).toBe(3);
    for (const { dkim_status, dkim_public_key_txt } of created) {
      expect(dkim_status).toBe('pending_dns');
      expect(dkim_public_key_txt).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/);
    }
    expect(await world.get({ id })).toEqual(created.at(-1));
    expect(world.appliance.logged).toEqual([]);
  });

  test('needs a verified domain, an account that may send, and a service that does', async () => {
    await using world = await startWorld();
    const path = (id: string) => `/domains/${id}/sending_setup`;
    const waiting = await world.register('waiting.example');
    expect(verdict(await world.api('POST', path(waiting.id)))).toBe('409 domain_not_verified');
    expect(verdict(await world.api('POST', path('dom_x')))).toBe('404 not_found');
    const { id } = await world.verified('one.example');
    await change(world, world.owner, { outbound: false });
    expect(verdict(await world.api('POST', path(id)))).toBe('403 outbound_disabled');
    await change(world, world.owner, { outbound: true, kind: 'demo' });
    expect(verdict(await world.api('POST', path(id)))).toBe('403 outbound_entitlement_required');
    await using silent = await startWorld({ outbound: 'off' });
    const domain = await silent.verified('one.example');
    expect(verdict(await silent.api('POST', path(domain.id)))).toBe('404 not_found');
  });
});

describe('limits', () => {
  const retry = (reply: Reply) => [verdict(reply), Number(reply.headers.get('retry-after'))];

  test('allow a check every 30 s per domain, and 20 an hour per account', async () => {
    await using world = await startWorld({ limits: 'on' });
    const domains: { id: string }[] = [];
    for (let at = 0; at < 11; at++) domains.push(await world.register(`d${at}.example`));
    const verify = (at: number) => world.api('POST', `/domains/${domains[at]!.id}/verify`);
    expect(verdict(await verify(0))).toBe('200');
    expect(retry(await verify(0))).toEqual(['429 domain_verify_rate_limited', 30]);
    expect(verdict(await verify(1))).toBe('200');
    await world.clock.advance(30 * SECOND);
    expect(verdict(await verify(0))).toBe('200');
    for (let at = 1; at < 10; at++) expect(verdict(await verify(at))).toBe('200');
    await world.clock.advance(30 * SECOND);
    for (let at = 0; at < 8; at++) expect(verdict(await verify(at))).toBe('200');
    expect(retry(await verify(10))).toEqual(['429 domain_verify_rate_limited', 3540]);
    await world.clock.advance(HOUR);
    expect(verdict(await verify(10))).toBe('200');
  });

  test('allow 6 catch-all changes and 6 keys an hour per domain', async () => {
    expect([limits.catch_all_toggles.max, limits.sending_setups.max]).toEqual([6, 6]);
    // Each key takes a tenth of a second.
    await using world = await startWorld({ limits: 'on', limit_sending_setups: '2' });
    const [one, two] = [await world.verified('one.example'), await world.verified('two.example')];
    const toggle = (id: string, at: number) =>
      world.api('PATCH', `/domains/${id}/catch_all`, { catch_all: at % 2 === 0 });
    for (let at = 0; at < 6; at++) expect(verdict(await toggle(one.id, at))).toBe('200');
    expect(retry(await toggle(one.id, 6))).toEqual(['429 catch_all_rate_limited', 3600]);
    expect(verdict(await toggle(two.id, 0))).toBe('200');
    const setUp = (id: string) => world.api('POST', `/domains/${id}/sending_setup`);
    for (let at = 0; at < 2; at++) expect(verdict(await setUp(one.id))).toBe('200');
    expect(retry(await setUp(one.id))).toEqual(['429 rate_limited', 3600]);
    expect(verdict(await setUp(two.id))).toBe('200');
    // Guessing the id of another account's domain does not use up its limit.
    const other = await world.appliance.holder();
    for (let at = 0; at < 3; at++)
      await world.api('POST', `/domains/${two.id}/sending_setup`, undefined, other.key);
    expect(verdict(await setUp(two.id))).toBe('200');
  });
});

test('an account that is deleted releases its domains at once', async () => {
  await using world = await startWorld();
  const { id } = await world.verified('one.example');
  await world.appliance.inbox(world.owner, { domain: id });
  await world.api('POST', `/domains/${id}/sending_setup`);
  await world.appliance.services.store.write(deleteAccountOp, { account_no: world.owner.account.no });
  const other = await world.appliance.holder();
  expect((await world.register('one.example', other)).status).toBe('pending_dns');
  expect(world.appliance.logged).toEqual([]);
});

test('no statement scans all domains, or all inboxes of one', async () => {
  await using world = await startWorld();
  const plan = (statement: string) => explainPlan(world.appliance, statement);
  expect(plan(DOMAIN_LIST)).toContain('SEARCH d USING INDEX domain_account (account_no=? AND no<?)');
  expect(plan(DUE_DOMAINS)).toContain('SEARCH d USING INDEX domain_due (next_check_at<?)');
  expect(plan(LIVE_INBOXES)).toContain('USING INDEX inbox_domain (domain_no=?)');
  expect(plan(`SELECT ${INBOX} FROM inbox WHERE no = ?`)).toContain(
    'USING INDEX domain_catch_all (catch_all_inbox_no=?)',
  );
  for (const text of [plan(DOMAIN_LIST), plan(DUE_DOMAINS), plan(LIVE_INBOXES)]) {
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/);
  }
});
