/** GET /messages: the messages of all inboxes of an account as one list. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  ACCOUNT_INBOXES,
  newestStatement,
  STORE_SLICE,
  sliceStatement,
} from '../../src/features/messages/account-list/sql.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { explainPlan } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off', plan_business_inboxes: '1000' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (query: string, { key } = owner) => appliance.request('GET', `/api/v1/messages${query}`, { key });
const listIds = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);

/** Reads all pages, one after the other. */
async function listPages(holder: Holder, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await get(`?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, holder);
    expect(json.pagination.has_more).toBe(json.pagination.next_cursor !== null);
    ids.push(...listIds(json));
    cursor = json.pagination.next_cursor;
  }
  return ids;
}

/** Messages to some inboxes in turn, newest first: every third has a code, every fifth a word, every second is read. */
async function fill(holder: Holder, inboxes: number, messages: number) {
  const boxes = [];
  for (let created = 0; created < inboxes; created++) boxes.push(await appliance.inbox(holder));
  const filled = [];
  for (let at = 0; at < messages; at++) {
    const facts = { hasOtp: at % 3 === 0, isRead: at % 2 === 0, hasWord: at % 5 === 0 };
    const id = await appliance.deliver(boxes[(at * 7) % inboxes]!.address, {
      otp: facts.hasOtp ? '123456' : null,
      subject: facts.hasWord ? 'With a Word' : 'Hello',
    });
    filled.unshift({ id, ...facts });
  }
  const read = filled.filter(({ isRead }) => isRead).map(({ id }) => id);
  for (let at = 0; at < read.length; at += 100) {
    const body = { action: 'mark_read', ids: read.slice(at, at + 100) };
    await appliance.request('POST', '/api/v1/messages/batch', { key: holder.key, body });
  }
  return { boxes, filled };
}

describe('GET /messages', () => {
  test.each([3, 230])('returns the messages of %d inboxes newest first, page by page', async (inboxes) => {
    const holder = await appliance.holder();
    const { filled } = await fill(holder, inboxes, 250);
    // Another account's messages are in between and after them.
    await fill(owner, 2, 5);
    const wanted = (fits: (one: (typeof filled)[number]) => boolean) =>
      filled.filter(fits).map(({ id }) => id);
    expect(await listPages(holder, 'limit=100')).toEqual(wanted(() => true));
    expect(await listPages(holder, 'limit=7')).toEqual(wanted(() => true));
    expect(await listPages(holder, 'limit=9&has_otp=true')).toEqual(wanted(({ hasOtp }) => hasOtp));
    expect(await listPages(holder, 'limit=30&read=true')).toEqual(wanted(({ isRead }) => isRead));
    expect(await listPages(holder, 'limit=30&read=false')).toEqual(wanted(({ isRead }) => !isRead));
    const both = wanted(({ hasOtp, isRead }) => hasOtp && !isRead);
    expect(await listPages(holder, 'limit=5&has_otp=true&read=false')).toEqual(both);
    const worded = wanted(({ hasWord }) => hasWord);
    for (const text of ['q=a%20WORD', 'subject_contains=word', 'from=Ann&q=word'])
      expect(await listPages(holder, `limit=20&${text}`)).toEqual(worded);
    const unreadWorded = wanted(({ hasWord, isRead }) => hasWord && !isRead);
    expect(await listPages(holder, 'q=word&read=false')).toEqual(unreadWorded);
  });

  test('finds old messages of many inboxes behind very many of others', async () => {
    const holder = await appliance.holder();
    const { filled } = await fill(holder, 210, 20);
    const crowd = await appliance.inbox(owner);
    for (let at = 0; at < 110; at++)
      await Promise.all(Array.from({ length: 100 }, () => appliance.deliver(crowd.address)));
    expect(await listPages(holder, 'limit=8')).toEqual(filled.map(({ id }) => id));
    const unread = filled.filter(({ isRead }) => !isRead).map(({ id }) => id);
    expect(await listPages(holder, 'limit=3&read=false')).toEqual(unread);
  });

  test('has the same summaries as the inbox’s list', async () => {
    const holder = await appliance.holder();
    const inbox = await appliance.inbox(holder);
    await appliance.deliver(inbox.address, { otp: '1', links: ['https://example.org/'] });
    const path = `/api/v1/inboxes/${inbox.id}/messages`;
    const own = await appliance.request('GET', path, { key: holder.key });
    expect((await get('', holder)).json).toEqual(own.json);
  });

  test('is empty without messages, and leaves out deleted messages and inboxes', async () => {
    const holder = await appliance.holder();
    expect((await get('', holder)).json).toEqual({
      data: [],
      pagination: { next_cursor: null, has_more: false },
    });
    const [kept, gone] = [await appliance.inbox(holder), await appliance.inbox(holder)];
    const id = await appliance.deliver(kept.address);
    const deleted = await appliance.deliver(kept.address);
    await appliance.deliver(gone.address);
    await appliance.request('DELETE', `/api/v1/messages/${deleted}`, { key: holder.key });
    await appliance.request('DELETE', `/api/v1/inboxes/${gone.id}`, { key: holder.key });
    expect(listIds((await get('', holder)).json)).toEqual([id]);
  });

  test('ignores invalid filters, and refuses an invalid limit', async () => {
    const holder = await appliance.holder();
    const inbox = await appliance.inbox(holder);
    const id = await appliance.deliver(inbox.address);
    for (const query of ['?has_otp=maybe&read=never', '?q=', `?q=${'x'.repeat(201)}`, '?unknown=1'])
      expect(listIds((await get(query, holder)).json)).toEqual([id]);
    for (const limit of ['0', '101', 'x', '']) {
      const reply = await get(`?limit=${limit}`, holder);
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['limit']]);
    }
  });

  test('refuses a cursor of another account, another list or other filters', async () => {
    const holder = await appliance.holder();
    const inbox = await appliance.inbox(holder);
    for (let count = 0; count < 3; count++) await appliance.deliver(inbox.address);
    const findCursor = async (path: string) =>
      (await appliance.request('GET', path, { key: holder.key })).json.pagination.next_cursor;
    const cursor = await findCursor('/api/v1/messages?limit=1');
    const ofInbox = await findCursor(`/api/v1/inboxes/${inbox.id}/messages?limit=1`);
    const tries: [string, Holder][] = [
      [`?cursor=${cursor}`, owner],
      [`?cursor=${cursor}&read=false`, holder],
      [`?cursor=${cursor}&has_otp=true`, holder],
      [`?cursor=${cursor}&q=a`, holder],
      [`?cursor=${ofInbox}`, holder],
      ['?cursor=x', holder],
      ['?cursor=', holder],
    ];
    for (const [query, asking] of tries) {
      const reply = await get(query, asking);
      expect([reply.status, reply.json.error?.fields]).toEqual([422, { cursor: expect.any(Array) }]);
    }
    expect((await get(`?limit=2&cursor=${cursor}`, holder)).json.data).toHaveLength(2);
  });

  test('answers a hundred requests at once', async () => {
    const holder = await appliance.holder();
    await fill(holder, 3, 5);
    const replies = await Promise.all(Array.from({ length: 100 }, () => get('?read=false', holder)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('reads the index of each inbox, or the store in its own order, and never sorts', () => {
    const wanted: [boolean, boolean | null, string][] = [
      [false, null, 'message_inbox'],
      [false, false, 'message_unread'],
      [false, true, 'message_read'],
      [true, null, 'message_otp'],
      [true, false, 'message_otp_unread'],
      [true, true, 'message_otp_read'],
    ];
    for (const [hasOtp, read, index] of wanted) {
      const filter = { has_otp: hasOtp, read };
      const plan = explainPlan(appliance, newestStatement(filter));
      expect(plan).toMatch(
        new RegExp(`USING (COVERING )?INDEX ${index} \\(inbox_no=\\? AND rowid>\\? AND rowid<\\?\\)`),
      );
      const slice = explainPlan(appliance, sliceStatement(filter, '1'));
      expect(slice).toContain('SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)');
      expect(slice).toContain('SEARCH i USING INTEGER PRIMARY KEY (rowid=?)');
      for (const one of [plan, slice]) expect(one).not.toContain('TEMP B-TREE');
    }
    const inboxes = explainPlan(appliance, ACCOUNT_INBOXES);
    expect(inboxes).toContain('USING INDEX inbox_account (account_no=? AND no<?)');
    const slice = explainPlan(appliance, STORE_SLICE);
    expect(slice).toContain('SEARCH message USING INTEGER PRIMARY KEY (rowid<?)');
    for (const one of [inboxes, slice]) expect(one).not.toContain('TEMP B-TREE');
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
