/** Lists of messages: filters, paging, cursors. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeListStatement } from '../../src/features/messages/sql.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { explainPlan } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string) => appliance.request('GET', `/api/v1${path}`, { key: owner.key });
const mark = (id: string, body: unknown) =>
  appliance.request('PATCH', `/api/v1/messages/${id}`, { key: owner.key, body });
const listIds = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);

describe('lists', () => {
  test('can be filtered by code and read state together', async () => {
    const inbox = await appliance.inbox(owner);
    const deliver = (otp: string | null) => appliance.deliver(inbox.address, { otp });
    const [a, b, c, d] = [
      await deliver('1111'),
      await deliver(null),
      await deliver('2222'),
      await deliver(null),
    ];
    for (const id of [a, b]) await mark(id, { read: true });
    const list = async (query: string) => listIds((await get(`/inboxes/${inbox.id}/messages${query}`)).json);
    expect(await list('')).toEqual([d, c, b, a]);
    expect(await list('?has_otp=true')).toEqual([c, a]);
    expect(await list('?has_otp=false')).toEqual([d, c, b, a]);
    expect(await list('?read=true')).toEqual([b, a]);
    expect(await list('?read=false')).toEqual([d, c]);
    expect(await list('?read=all')).toEqual([d, c, b, a]);
    expect(await list('?has_otp=true&read=true')).toEqual([a]);
    expect(await list('?has_otp=true&read=false')).toEqual([c]);
    // Invalid values are ignored.
    expect(await list('?has_otp=maybe&read=never')).toEqual([d, c, b, a]);
    expect(await list('?unknown=1&%zz=%&&=&q')).toEqual([d, c, b, a]);
  });

  test('can be searched for subject and sender regardless of case', async () => {
    const inbox = await appliance.inbox(owner);
    const one = await appliance.deliver(inbox.address, {
      subject: 'Größe der Bestellung',
      from: 'Shop <shop@a.test>',
    });
    const two = await appliance.deliver(inbox.address, {
      subject: '100% off_now',
      from: 'ANN <ann@b.test>',
      otp: '1',
    });
    const list = async (query: Record<string, string>) =>
      listIds((await get(`/inboxes/${inbox.id}/messages?${new URLSearchParams(query)}`)).json);
    expect(await list({ q: 'GRÖSSE' })).toEqual([]);
    expect(await list({ q: 'gRÖß' })).toEqual([one]);
    expect(await list({ q: 'shop@A' })).toEqual([one]);
    expect(await list({ q: '0% O' })).toEqual([two]);
    expect(await list({ q: 'f_n' })).toEqual([two]);
    expect(await list({ q: '%' })).toEqual([two]);
    expect(await list({ subject_contains: 'shop' })).toEqual([]);
    expect(await list({ subject_contains: 'OFF' })).toEqual([two]);
    expect(await list({ from: 'ann' })).toEqual([two]);
    expect(await list({ from: 'bestell' })).toEqual([]);
    expect(await list({ q: '.test', has_otp: 'true' })).toEqual([two]);
    expect(await list({ q: '.test', read: 'true' })).toEqual([]);
    expect(await list({ q: '   ' })).toEqual([two, one]);
    expect(await list({ subject_contains: '' })).toEqual([two, one]);
    expect(await list({ q: 'x'.repeat(201) })).toEqual([two, one]);
    expect(await list({ q: 'x'.repeat(200) })).toEqual([]);
  });

  test('find a Greek word by its beginning that ends in a sigma, as a wait does', async () => {
    const inbox = await appliance.inbox(owner);
    const id = await appliance.deliver(inbox.address, { subject: 'ΚΑΛΩΣΟΡΙΣΜΑ', from: 'ΝΙΚΟΣ <n@a.test>' });
    for (const query of ['subject_contains=ΚΑΛΩΣ', 'q=καλως', 'from=νικοσ', 'search=subject:ΚΑΛΩΣ']) {
      expect([query, listIds((await get(`/inboxes/${inbox.id}/messages?${query}`)).json)]).toEqual([
        query,
        [id],
      ]);
    }
    const wait = 'since=0&require=message&subject_contains=ΚΑΛΩΣ';
    expect((await get(`/inboxes/${inbox.id}/messages/wait?${wait}`)).json.data.id).toBe(id);
  });

  test('have each message once, newest first, over all pages with any filters', async () => {
    const inbox = await appliance.inbox(owner);
    for (let count = 0; count < 9; count++) {
      const id = await appliance.deliver(inbox.address, {
        otp: count % 3 ? '1' : null,
        subject: `No ${count}`,
      });
      if (count % 2) await mark(id, { read: true });
    }
    for (const filter of [
      '',
      'has_otp=true',
      'read=true',
      'read=false',
      'has_otp=true&read=false',
      'q=no',
      'from=ann',
    ]) {
      const all = await get(`/inboxes/${inbox.id}/messages?${filter}`);
      const seen: string[] = [];
      let cursor = '';
      do {
        const { json } = await get(`/inboxes/${inbox.id}/messages?${filter}&limit=2${cursor}`);
        seen.push(...listIds(json));
        cursor = json.pagination.has_more ? `&cursor=${json.pagination.next_cursor}` : '';
      } while (cursor);
      expect(seen).toEqual(listIds(all.json));
    }
  });

  test('continue from a cursor unchanged when new mail arrives', async () => {
    const inbox = await appliance.inbox(owner);
    const [a, b] = [await appliance.deliver(inbox.address), await appliance.deliver(inbox.address)];
    const first = await get(`/inboxes/${inbox.id}/messages?limit=1`);
    await appliance.deliver(inbox.address);
    const second = await get(
      `/inboxes/${inbox.id}/messages?limit=1&cursor=${first.json.pagination.next_cursor}`,
    );
    expect([...listIds(first.json), ...listIds(second.json)]).toEqual([b, a]);
  });

  test('refuse a cursor of other filters or another inbox, but allow another limit', async () => {
    const [inbox, other] = [await appliance.inbox(owner), await appliance.inbox(owner)];
    for (let count = 0; count < 3; count++) await appliance.deliver(inbox.address, { otp: '1' });
    const base = `/inboxes/${inbox.id}/messages`;
    const page = await get(`${base}?limit=1&read=false`);
    const cursor = page.json.pagination.next_cursor;
    expect((await get(`${base}?limit=2&read=false&cursor=${cursor}`)).status).toBe(200);
    const others = [
      '',
      'read=true',
      'read=false&q=x',
      'read=false&has_otp=true',
      'read=false&from=a',
      'read=false&subject_contains=a',
    ];
    for (const filter of others) {
      const reply = await get(`${base}?${filter}&cursor=${cursor}`);
      expect([reply.status, reply.json.error?.fields]).toEqual([422, { cursor: expect.any(Array) }]);
    }
    expect((await get(`/inboxes/${other.id}/messages?read=false&cursor=${cursor}`)).status).toBe(422);
  });

  test('are read from their own index, without sorting', () => {
    const wanted: [boolean, boolean | null, string][] = [
      [false, null, 'message_inbox'],
      [false, false, 'message_unread'],
      [false, true, 'message_read'],
      [true, null, 'message_otp'],
      [true, false, 'message_otp_unread'],
      [true, true, 'message_otp_read'],
    ];
    for (const [hasOtp, read, index] of wanted) {
      const plan = explainPlan(appliance, writeListStatement({ has_otp: hasOtp, read }));
      expect(plan).toContain(`USING INDEX ${index} (inbox_no=? AND rowid<?)`);
      expect(plan).not.toContain('TEMP B-TREE');
    }
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
