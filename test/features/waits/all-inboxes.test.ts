/** Wait and stream over all inboxes of an account, and over one sub-address (docs/decisions.md, Wait and stream). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { deleteAccount } from '../../../src/features/accounts/delete.ts';
import type { Scope } from '../../../src/features/waits/sql.ts';
import { readAfter, readUnreadAfter, readUnreadBefore } from '../../../src/features/waits/sql.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import type { RunningAppliance } from '../../start.ts';
import { explainPlan, recordStatements } from '../../store-state.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, newBox, parked, startWaiting } from './doors.ts';
import { SseClient } from './sse-client.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startWaiting();
});
afterEach(() => allGone(appliance));
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (box: Box, path: string) => appliance.request('GET', `/api/v1${path}`, { key: box.holder.key });
const stream = (box: Box, path: string, headers: Record<string, string> = {}) =>
  SseClient.open(`${appliance.url}/api/v1${path}`, { authorization: `Bearer ${box.holder.key}`, ...headers });

/** Two inboxes of one account, and one of another. */
async function neighbours(): Promise<[Box, Box, Box]> {
  const one = await newBox(appliance);
  return [one, await newBox(appliance, one.holder), await newBox(appliance)];
}

async function nextMessage(client: SseClient) {
  for (let event = await client.next(); event; event = await client.next()) {
    if (event.event === 'message' || event.event === 'bye') return JSON.parse(event.data!);
  }
  return null;
}

describe('over all inboxes', () => {
  test('a wait is woken by mail to any of them, and to no other account’s inbox', async () => {
    const [one, two, foreign] = await neighbours();
    for (const box of [one, two]) {
      const asked = get(one, '/messages/wait');
      await parked(appliance, 1);
      await arrive(appliance, foreign);
      expect(appliance.services.waits.size).toBe(1);
      const id = await arrive(appliance, box);
      expect((await asked).json.data).toMatchObject({ id, inbox_id: box.id });
    }
  });

  test('a wait accepts the same parameters', async () => {
    const [one, two] = await neighbours();
    const first = await arrive(appliance, one, { subject: 'Alpha' });
    const second = await arrive(appliance, two, { subject: 'Beta', from: 'Bob <bob@example.org>' });
    const id = async (query: string) => (await get(one, `/messages/wait?timeout=1&${query}`)).json?.data?.id;
    expect(await id('since=0')).toBe(second);
    expect(await id('since=2026-01-01')).toBe(first);
    expect(await id(`since=${first}`)).toBe(second);
    expect(await id('since=0&subject_contains=alpha')).toBe(first);
    expect(await id('since=0&from=BOB@')).toBe(second);
    expect(await id('since=0&min_confidence=1')).toBeUndefined();
    expect(await id('since=0&mark_read=true')).toBe(second);
    expect(await id('since=0&mark_read=true')).toBe(first);
    expect(await id('since=0&mark_read=true')).toBeUndefined();
    for (const [query, field] of [
      ['since=', 'since'],
      ['since=x', 'since'],
      ['require=code', 'require'],
      ['timeout=x', 'timeout'],
      ['mark_read=1', 'mark_read'],
    ]) {
      for (const path of ['wait', 'stream']) {
        if (path === 'stream' && (field === 'timeout' || field === 'mark_read')) continue;
        const { status, json } = await get(one, `/messages/${path}?${query}`);
        expect([query, status, Object.keys(json.error.fields)]).toEqual([query, 422, [field!]]);
      }
    }
  });

  test('a message is claimed once, whether clients wait for it in its inbox or in all of them', async () => {
    const [one, two] = await neighbours();
    const paths = ['/messages/wait', `/inboxes/${one.id}/messages/wait`, `/inboxes/${two.id}/messages/wait`];
    const asked = Array.from({ length: 30 }, (_, n) => get(one, `${paths[n % 3]}?mark_read=true`));
    await parked(appliance, 30);
    const sent: string[] = [];
    for (let count = 0; count < 15; count++) {
      sent.push(...(await Promise.all([one, two].map((box) => arrive(appliance, box)))));
    }
    const ids = (await Promise.all(asked)).map(({ json }) => json.data.id);
    expect(ids.sort()).toEqual(sent.sort());
  });

  test('a stream sends each message once and in order, whatever arrives while it reconnects', async () => {
    const [one, two, foreign] = await neighbours();
    const start = await arrive(appliance, one);
    let last = start;
    const seen: string[] = [];
    let client: SseClient | undefined;
    let stopped = false;
    const loop = (async () => {
      while (!stopped) {
        client = await stream(one, '/messages/stream?require=message', { 'last-event-id': last });
        for (let event = await client.next(); event && !stopped; event = await client.next()) {
          if (event.event !== 'message') continue;
          last = event.id!;
          seen.push(last);
        }
        client.close();
      }
    })();
    const sent: string[] = [];
    for (let round = 0; round < 60; round++) {
      const boxes = [one, two, foreign, two];
      const ids = await Promise.all(boxes.map((box) => arrive(appliance, box)));
      sent.push(...ids.filter((_, index) => boxes[index] !== foreign));
      if (round % 3 === 0) client?.close();
    }
    await until(() => seen.length >= sent.length);
    stopped = true;
    client?.close();
    await loop;
    const { store } = appliance.services;
    const scope: Scope = { account_no: one.holder.account.no, inbox_no: null };
    const order = readAfter(store, scope, 0, 1_000).map(({ id }) => id);
    expect(seen).toEqual(order.filter((id) => id !== start));
    expect(seen.slice().sort()).toEqual(sent.sort());
  });

  test('a wait continues without the messages of a deleted inbox, and ends with the account', async () => {
    const [one, two] = await neighbours();
    await arrive(appliance, one);
    const kept = await arrive(appliance, two);
    await arrive(appliance, one);
    await appliance.request('DELETE', `/api/v1/inboxes/${one.id}`, { key: one.holder.key });
    const read = await stream(one, '/messages/stream?since=0');
    expect((await nextMessage(read)).id).toBe(kept);
    const asked = get(one, '/messages/wait');
    await parked(appliance, 2);
    await appliance.request('DELETE', `/api/v1/inboxes/${(await newBox(appliance, one.holder)).id}`, {
      key: one.holder.key,
    });
    const id = await arrive(appliance, two);
    expect((await asked).json.data.id).toBe(id);
    expect((await nextMessage(read)).id).toBe(id);
    const last = get(one, '/messages/wait');
    await parked(appliance, 2);
    await deleteAccount(appliance.services, one.holder.account.no);
    expect((await last).status).toBe(401);
    expect(await nextMessage(read)).toMatchObject({ reason: 'deleted' });
  });

  test('a wait needs a key, answers HEAD at once, and refuses other methods with 405', async () => {
    const box = await newBox(appliance);
    for (const path of ['wait', 'stream']) {
      expect((await appliance.request('GET', `/api/v1/messages/${path}`)).status).toBe(401);
      const head = await appliance.request('HEAD', `/api/v1/messages/${path}`, { key: box.holder.key });
      expect(head.status).toBe(path === 'wait' ? 204 : 200);
      const post = await appliance.request('POST', `/api/v1/messages/${path}`, { key: box.holder.key });
      expect(post.status).toBe(405);
    }
    expect(appliance.services.waits.slots.size).toBe(0);
  });

  test('a wait takes one of the account’s slots, and a higher cap of the service raises no plan’s', async () => {
    await using where = await startWaiting({ wait_slots: '4000', plan_business_concurrent_waits: '16' });
    const box = await newBox(where);
    const hungUp = new AbortController();
    const headers = { authorization: `Bearer ${box.holder.key}` };
    const paths = ['/messages/wait', '/messages/stream', `/inboxes/${box.id}/messages/wait`];
    const ask = (n: number) =>
      fetch(`${where.url}/api/v1${paths[n % 3]}`, { headers, signal: hungUp.signal }).catch(() => null);
    // Kept until the end: when a response is collected as garbage, its connection closes.
    const open = Array.from({ length: 16 }, (_, n) => ask(n));
    await parked(where, 16);
    for (let n = 0; n < 3; n++) {
      const refused = (await ask(n))!;
      expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
        429,
        'too_many_wait_requests',
      ]);
    }
    hungUp.abort();
    await Promise.all(open);
    await allGone(where);
  });
});

describe('through a sub-address', () => {
  test('wait and stream return only its messages, and no others wake them', async () => {
    const box = await newBox(appliance);
    const [local, domain] = box.address.split('@') as [string, string];
    const to = (tag: string) => `${local}+${tag}@${domain}`;
    const send = (address: string) =>
      sendMail({
        port: appliance.smtpPort,
        from: 'app@example.org',
        to: [address],
        raw: `Subject: ${address}\r\n\r\nYour code is 482913\r\n`,
      });
    const asked = ['one', 'two', 'ONE'].map((tag) => get(box, `/inboxes/${to(tag)}/messages/wait`));
    const read = await stream(box, `/inboxes/${to('two')}/stream?require=message`);
    await parked(appliance, 4);
    await send(to('other'));
    await send(box.address);
    await send(to('One'));
    await until(() => appliance.services.waits.size === 2);
    await send(to('TWO').toUpperCase());
    const got = (await Promise.all(asked)).map(({ json }) => json.data.subject);
    expect(got).toEqual([to('One'), to('TWO').toUpperCase(), to('One')]);
    expect((await nextMessage(read)).subject).toBe(to('TWO').toUpperCase());
    read.close();
    await allGone(appliance);
    const unread = await get(box, `/inboxes/${to('one')}/messages/wait?since=0&mark_read=true`);
    expect(unread.json.data.subject).toBe(to('One'));
    const none = await get(box, `/inboxes/${to('one')}/messages/wait?since=0&mark_read=true&timeout=1`);
    expect([none.status, none.headers.get('x-wait-arrived')]).toEqual([204, '0']);
  });

  test('wait and stream end when the inbox is deleted', async () => {
    const box = await newBox(appliance);
    const asked = get(box, `/inboxes/${box.address.replace('@', '+x@')}/messages/wait`);
    const beside = get(box, `/inboxes/${box.id}/messages/wait`);
    await parked(appliance, 2);
    await appliance.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: box.holder.key });
    expect([(await asked).status, (await beside).status]).toEqual([404, 404]);
  });
});

test('every read of a wait is served by its index, in order', () => {
  const { reading, statements } = recordStatements(appliance);
  const scopes: Scope[] = [
    { account_no: 1, inbox_no: 1, recipient: null },
    { account_no: 1, inbox_no: 1, recipient: 'a+b' },
    { account_no: 1, inbox_no: null },
  ];
  for (const scope of scopes) {
    readAfter(reading, scope, 0, 1);
    readUnreadAfter(reading, scope, 0, 1, 1);
    readUnreadBefore(reading, scope, 1, 1);
  }
  expect(statements.size).toBe(9);
  for (const statement of statements) {
    const plan = explainPlan(appliance, statement);
    expect(plan).toMatch(/USING INDEX message_\w+ \((inbox_no|account_no)=\?( AND <expr>=\?)? AND rowid[<>]/);
    expect(plan).not.toContain('TEMP B-TREE');
  }
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
