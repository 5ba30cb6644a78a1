/** Rules over the API, and what they do with mail as it arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mailRuleJobs } from '../../../src/features/mail-rules/jobs.ts';
import { mailRules as bounds } from '../../../src/rules/mail-rules.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type Reply, type RunningAppliance, startAppliance } from '../../start.ts';
import { verdict } from '../outbound/sender.ts';

let appliance: RunningAppliance;
const clock = new FakeClock();
beforeAll(async () => {
  appliance = await startAppliance({ clock, settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

class Owner {
  private constructor(
    readonly holder: Holder,
    readonly inbox: { id: string; address: string },
  ) {}

  static async make(): Promise<Owner> {
    const holder = await appliance.holder();
    return new Owner(holder, await appliance.inbox(holder));
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    return appliance.request(method, `/api/v1${path}`, { key: this.holder.key, body });
  }

  async rule(body: Record<string, unknown>): Promise<string> {
    const created = await this.call('POST', '/rules', body);
    expect(verdict(created)).toBe('201');
    return created.json.data.id;
  }

  async order(): Promise<string[]> {
    const { json } = await this.call('GET', '/rules');
    return json.data.map(({ name, position }: { name: string; position: number }) => `${position} ${name}`);
  }

  /** Delivers a mail. Returns its id. */
  deliver(mail: Parameters<RunningAppliance['deliver']>[1] = {}): Promise<string> {
    return appliance.deliver(this.inbox.address, mail);
  }

  async message(id: string) {
    return (await this.call('GET', `/messages/${id}`)).json?.data;
  }

  async diary(id: string): Promise<string[]> {
    const { json } = await this.call('GET', `/messages/${id}/diary`);
    return json.data.map((one: { action: string; detail: string; status: string }) =>
      [one.action, one.detail, one.status].filter(Boolean).join(' '),
    );
  }
}

describe('a rule', () => {
  test('has every field as it was sent, and PATCH changes only the fields that it names', async () => {
    const owner = await Owner.make();
    const request = {
      name: 'Shop',
      inbox_id: owner.inbox.id,
      from: '*@shop.example>',
      to: null,
      subject: 'code',
      has_code: true,
      tags: ['a', 'b', 'a'],
      mark_read: true,
      delete_after_days: 3,
      stop: true,
    };
    const created = await owner.call('POST', '/rules', request);
    expect(created.status).toBe(201);
    const { id, created_at, updated_at, ...rule } = created.json.data;
    expect(created.headers.get('location')).toBe(`/api/v1/rules/${id}`);
    expect(rule).toEqual({
      ...request,
      tags: ['a', 'b'],
      inbox_address: owner.inbox.address,
      is_enabled: true,
      position: 1,
      forward_to: [],
      notify: null,
    });
    const changed = await owner.call('PATCH', `/rules/${id}`, { subject: null, is_enabled: false });
    expect(changed.json.data).toMatchObject({
      subject: null,
      is_enabled: false,
      name: 'Shop',
      tags: ['a', 'b'],
    });
    expect(verdict(await owner.call('DELETE', `/rules/${id}`))).toBe('204');
    expect(verdict(await owner.call('GET', `/rules/${id}`))).toBe('404 not_found');
  });

  test('keeps its position in an order without gaps', async () => {
    const owner = await Owner.make();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await owner.rule({ name, mark_read: true }));
    await owner.call('PATCH', `/rules/${ids[3]}`, { position: 1 });
    expect(await owner.order()).toEqual(['1 d', '2 a', '3 b', '4 c']);
    await owner.call('PATCH', `/rules/${ids[0]}`, { position: 50 });
    expect(await owner.order()).toEqual(['1 d', '2 b', '3 c', '4 a']);
    await owner.call('DELETE', `/rules/${ids[1]}`);
    expect(await owner.order()).toEqual(['1 d', '2 c', '3 a']);
    await owner.rule({ name: 'e', position: 2, mark_read: true });
    expect(await owner.order()).toEqual(['1 d', '2 e', '3 c', '4 a']);
  });

  const refused: [what: string, body: Record<string, unknown>, verdict: string][] = [
    ['that does nothing', { subject: 'x' }, '422 validation_error body'],
    ['with an unknown field', { mark_read: true, regex: '.*' }, '422 validation_error regex'],
    [
      'with an inbox that does not exist',
      { inbox_id: 'inbox_x', mark_read: true },
      '422 validation_error inbox_id',
    ],
    ['with an empty pattern', { subject: '', mark_read: true }, '422 validation_error subject'],
    ['with a long pattern', { subject: 'x'.repeat(201), mark_read: true }, '422 validation_error subject'],
    ['with too many stars', { from: '*'.repeat(9), mark_read: true }, '422 validation_error from'],
    ['with a tag that is none', { tags: ['A b'] }, '422 validation_error tags'],
    ['that deletes at once', { delete_after_days: 0 }, '422 validation_error delete_after_days'],
    ['at place 0', { mark_read: true, position: 0 }, '422 validation_error position'],
    [
      'that forwards where sending is off',
      { forward_to: ['a@x.example'] },
      '422 validation_error forward_to',
    ],
    ['that forwards to no address', { forward_to: ['ann'] }, '422 validation_error forward_to'],
    [
      'that notifies a private address',
      { notify: { url: 'https://127.0.0.1/', template: '{}' } },
      '400 webhook_ssrf_rejected notify',
    ],
    [
      'with a template that is not JSON',
      { notify: { url: 'https://x.example/', template: '{"a": {{subject}}}' } },
      '422 validation_error notify',
    ],
    [
      'with an unknown placeholder',
      { notify: { url: 'https://x.example/', template: '{"a": "{{password}}"}' } },
      '422 validation_error notify',
    ],
  ];
  test('that notifies a private address is refused with the name of the field', async () => {
    const owner = await Owner.make();
    const notify = { url: 'https://10.0.0.1/', template: '{}' };
    const { json } = await owner.call('POST', '/rules', { notify });
    expect(json.error.message).toContain('notify');
    expect(json.error.message).not.toContain('fields.url');
  });

  for (const [what, body, wanted] of refused) {
    test(`${what} is refused`, async () => {
      const owner = await Owner.make();
      expect(verdict(await owner.call('POST', '/rules', body))).toBe(wanted);
      const id = await owner.rule({ mark_read: true });
      const changed = wanted.includes('body') ? { mark_read: false } : body;
      expect(verdict(await owner.call('PATCH', `/rules/${id}`, changed))).toBe(wanted);
    });
  }

  test('is refused with the name of an unknown placeholder', async () => {
    const owner = await Owner.make();
    const notify = { url: 'https://x.example/', template: '{"a": "{{password}}"}' };
    const { json } = await owner.call('POST', '/rules', { notify });
    expect(json.error.fields.notify[0]).toContain('{{password}}');
  });

  test('of another account is not found, and can’t name an inbox of another account', async () => {
    const [one, two] = [await Owner.make(), await Owner.make()];
    const id = await one.rule({ mark_read: true });
    expect(verdict(await two.call('GET', `/rules/${id}`))).toBe('404 not_found');
    expect(verdict(await two.call('PATCH', `/rules/${id}`, { stop: true }))).toBe('404 not_found');
    expect(verdict(await two.call('DELETE', `/rules/${id}`))).toBe('404 not_found');
    const foreign = { inbox_id: one.inbox.id, mark_read: true };
    expect(verdict(await two.call('POST', '/rules', foreign))).toBe('422 validation_error inbox_id');
    expect(verdict(await two.call('POST', '/rules/dry_run', { rule_id: id }))).toBe(
      '422 validation_error rule_id',
    );
    expect(verdict(await two.call('GET', `/messages/${await one.deliver()}/diary`))).toBe('404 not_found');
  });

  test('beyond the bound is refused', async () => {
    const owner = await Owner.make();
    for (let created = 0; created < bounds.rulesMax; created++) await owner.rule({ mark_read: true });
    expect(verdict(await owner.call('POST', '/rules', { mark_read: true }))).toBe('409 conflict');
  });

  test('is created once per Idempotency-Key', async () => {
    const owner = await Owner.make();
    const make = () =>
      appliance.request('POST', '/api/v1/rules', {
        key: owner.holder.key,
        headers: { 'idempotency-key': 'k' },
        body: { mark_read: true },
      });
    const [one, two] = [await make(), await make()];
    expect(two.json.data.id).toBe(one.json.data.id);
    expect(await owner.order()).toHaveLength(1);
  });
});

describe('as mail arrives', () => {
  test('a matching rule tags it and marks it as read, and the diary says so', async () => {
    const owner = await Owner.make();
    await owner.rule({ name: 'codes', has_code: true, tags: ['code'], mark_read: true });
    const hit = await owner.deliver({ otp: '123456', tags: ['own'] });
    const miss = await owner.deliver();
    expect(await owner.message(hit)).toMatchObject({ tags: ['own', 'code'], read: true });
    expect((await owner.message(hit)).read_at).toBe((await owner.message(hit)).received_at);
    expect(await owner.diary(hit)).toEqual(['tag code done', 'mark_read done']);
    expect(await owner.message(miss)).toMatchObject({ tags: [], read: false });
    expect(await owner.diary(miss)).toEqual([]);
    const found = await owner.call('GET', '/messages?search=tag:code');
    expect(found.json.data.map(({ id }: { id: string }) => id)).toEqual([hit]);
  });

  test('a rule that is off, deleted or of another inbox does nothing', async () => {
    const owner = await Owner.make();
    const other = await appliance.inbox(owner.holder);
    await owner.rule({ is_enabled: false, tags: ['off'] });
    await owner.rule({ inbox_id: other.id, tags: ['other'] });
    const id = await owner.rule({ tags: ['gone'] });
    await owner.call('DELETE', `/rules/${id}`);
    expect((await owner.message(await owner.deliver())).tags).toEqual([]);
    const there = await appliance.deliver(other.address);
    expect((await owner.message(there)).tags).toEqual(['other']);
    // Its rule then matches nothing, and never everything.
    await owner.call('DELETE', `/inboxes/${other.id}`);
    expect((await owner.message(await owner.deliver())).tags).toEqual([]);
  });

  test('the rules of each recipient’s own account decide about its message', async () => {
    const [one, two] = [await Owner.make(), await Owner.make()];
    await one.rule({ tags: ['one'] });
    await one.deliver({ alsoTo: [two.inbox.address] });
    const readTags = async (owner: Owner) => (await owner.call('GET', '/messages')).json.data[0].tags;
    expect([await readTags(one), await readTags(two)]).toEqual([['one'], []]);
  });

  test('a rule deletes a mail after the given days, and not before', async () => {
    const owner = await Owner.make();
    await owner.rule({ subject: 'short', delete_after_days: 2 });
    const short = await owner.deliver({ subject: 'a short one' });
    const long = await owner.deliver({ subject: 'a long one' });
    const run = () => appliance.run(mailRuleJobs[0]!);
    await clock.leap((2 * 86_400 - 1) * 1000);
    await run();
    expect(await owner.message(short)).toBeDefined();
    await clock.leap(2000);
    await run();
    expect(await owner.message(short)).toBeUndefined();
    expect(await owner.message(long)).toBeDefined();
    expect(verdict(await owner.call('GET', `/messages/${short}/diary`))).toBe('404 not_found');
  });

  test('a message that is deleted takes its diary with it', async () => {
    const owner = await Owner.make();
    await owner.rule({ delete_after_days: 2 });
    const id = await owner.deliver();
    await owner.call('DELETE', `/messages/${id}`);
    await clock.leap(3 * 86_400_000);
    await appliance.run(mailRuleJobs[0]!);
    expect(await owner.message(id)).toBeUndefined();
  });
});

describe('a dry run', () => {
  const ids = ({ json }: Reply) => json.data.map((one: { message_id: string }) => one.message_id);

  test('says what would match and what would be done, and changes nothing', async () => {
    const owner = await Owner.make();
    const hit = await owner.deliver({ subject: 'Invoice 7' });
    await owner.deliver({ subject: 'Hello' });
    const reply = await owner.call('POST', '/rules/dry_run', { name: 'n', subject: 'invoice', tags: ['x'] });
    expect(reply.json).toMatchObject({
      data: [
        {
          message_id: hit,
          inbox_id: owner.inbox.id,
          subject: 'Invoice 7',
          actions: [{ rule_id: null, rule_name: 'n', action: 'tag', detail: 'x', refused: null }],
        },
      ],
      scanned: 2,
      pagination: { next_cursor: null, has_more: false },
    });
    expect((await owner.message(hit)).tags).toEqual([]);
    expect(await owner.diary(hit)).toEqual([]);
  });

  test('evaluates one stored rule, or all that are on', async () => {
    const owner = await Owner.make();
    const first = await owner.deliver({ subject: 'one' });
    const second = await owner.deliver({ subject: 'two' });
    const off = await owner.rule({ subject: 'one', mark_read: true, is_enabled: false });
    await owner.rule({ subject: 'two', mark_read: true });
    expect(ids(await owner.call('POST', '/rules/dry_run', {}))).toEqual([second]);
    expect(ids(await owner.call('POST', '/rules/dry_run', { rule_id: off }))).toEqual([first]);
    const both = { rule_id: off, subject: 'x' };
    expect(verdict(await owner.call('POST', '/rules/dry_run', both))).toBe('422 validation_error rule_id');
  });

  test('checks a bounded number of messages, and continues from its cursor for the same rule only', async () => {
    const owner = await Owner.make();
    const oldest = await owner.deliver({ subject: 'the oldest' });
    await Promise.all(Array.from({ length: bounds.dryRunMessages }, () => owner.deliver()));
    const rule = { subject: 'oldest', mark_read: true };
    const page = await owner.call('POST', '/rules/dry_run', rule);
    expect([ids(page), page.json.scanned]).toEqual([[], bounds.dryRunMessages]);
    const cursor = page.json.pagination.next_cursor;
    const next = await owner.call('POST', '/rules/dry_run', { ...rule, cursor });
    expect([ids(next), next.json.scanned]).toEqual([[oldest], 1]);
    const other = await owner.call('POST', '/rules/dry_run', { ...rule, subject: 'x', cursor });
    expect(verdict(other)).toBe('422 validation_error cursor');
  });
});
