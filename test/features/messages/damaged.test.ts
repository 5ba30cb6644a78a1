/** A message that the store can’t return is an internal error: never "not found", empty or silently truncated. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { indexTextOp } from '../../../src/features/messages/query/writes.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { inflateContent, loseMail, losePiece, misstateSize, spoilContent } from '../../store-state.ts';

const expectedFaults = /could not be read|is missing from the store|request failed|is damaged|fault/;
let appliance: RunningAppliance;
let owner: Holder;
let inbox: { id: string; address: string };
beforeAll(async () => {
  appliance = await startAppliance();
  owner = await appliance.holder();
  inbox = await appliance.inbox(owner);
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
});

/** Bypasses the test's own check, which fails on every 500. */
async function answer(method: string, path: string, body?: unknown) {
  const response = await fetch(`${appliance.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
  const json = (await response.json()) as any;
  return { status: response.status, json };
}

const fault = { status: 500, json: { error: expect.objectContaining({ code: 'server_error' }) } };

describe('batch fetch', () => {
  const fetchAll = (ids: string[]) => answer('POST', '/messages/batch', { action: 'fetch', ids });

  test.each([
    ['is missing', loseMail],
    ['is unreadable', spoilContent],
    ['has another size than its row says', misstateSize],
  ])('reports an error for a message whose mail %s, and returns the others', async (_, spoil) => {
    const [good, bad] = [await appliance.deliver(inbox.address), await appliance.deliver(inbox.address)];
    spoil(appliance, bad);
    const { status, json } = await fetchAll([good, bad, 'msg_unknown', good]);
    const results = json.data.results.map((one: { id: string; status: string }) => [one.id, one.status]);
    expect(status).toBe(200);
    expect(results).toEqual([
      [good, 'ok'],
      [bad, 'error'],
      ['msg_unknown', 'not_found'],
      [good, 'ok'],
    ]);
    expect(Object.keys(json.data.results[1])).toEqual(['id', 'status']);
    // Nothing has been sent yet, so the status line can still report it.
    expect(await fetchAll([bad, good])).toMatchObject(fault);
  });
});

describe('a mail that is missing from the store', () => {
  test('answers 500 wherever its message is read, and leaves others unaffected', async () => {
    const own = await appliance.inbox(owner);
    const whole = await appliance.deliver(own.address);
    const id = await appliance.deliver(own.address, { otp: '482913', otp_confidence: 1 });
    loseMail(appliance, id);
    for (const path of [`/messages/${id}`, `/messages/${id}/raw`, `/messages/${id}/attachments/0`]) {
      expect(await answer('GET', path)).toMatchObject(fault);
    }
    // Not the previous message: that would be a wrong answer.
    expect(await answer('GET', `/inboxes/${own.id}/messages/latest`)).toMatchObject(fault);
    const listed = await answer('GET', `/inboxes/${own.id}/messages`);
    expect(listed.json.data.map((one: { id: string }) => one.id)).toEqual([id, whole]);
    expect((await answer('GET', '/messages/msg_unknown')).status).toBe(404);
  });
});

test('a small frame that would decompress to a very large one is not read, and does not stop the search', async () => {
  const own = await appliance.inbox(owner);
  const [id, next] = [await appliance.deliver(own.address), await appliance.deliver(own.address)];
  inflateContent(appliance, id, 200_000_000);
  expect(await answer('GET', `/messages/${id}`)).toMatchObject(fault);
  expect((await answer('GET', `/messages/${next}`)).status).toBe(200);
  while ((await appliance.services.store.write(indexTextOp, { rows: 10 })) > 0);
  const listed = await answer('GET', `/inboxes/${own.id}/messages?q=nothing-has-this`);
  expect(listed).toMatchObject({ status: 200, json: { data: [] } });
});

test('the text of an unreadable mail is left out of search, and indexing continues with the next', async () => {
  const own = await appliance.inbox(owner);
  const bad = await appliance.deliver(own.address, { subject: 'spoilt marzipan' });
  const good = await appliance.deliver(own.address, { subject: 'sound marzipan' });
  spoilContent(appliance, bad);
  const search = () => answer('GET', `/inboxes/${own.id}/messages?search=marzipan`);
  const both = { status: 200, json: { data: [{ id: good }, { id: bad }] } };
  expect(await search()).toMatchObject(both);
  for (let rows = 1; rows > 0; ) rows = await appliance.services.store.write(indexTextOp, { rows: 200 });
  expect(await search()).toMatchObject(both);
});

describe('a mail whose frame has another size than its row says', () => {
  test('answers 500 wherever its message is read, and never other bytes', async () => {
    const id = await appliance.deliver(inbox.address);
    misstateSize(appliance, id);
    for (const path of [`/messages/${id}`, `/messages/${id}/raw`, `/messages/${id}/attachments/0`]) {
      expect(await answer('GET', path)).toMatchObject(fault);
    }
    expect((await answer('GET', `/inboxes/${inbox.id}/messages`)).status).toBe(200);
  });
});

describe('a large mail with missing pieces', () => {
  test('answers 500 when the first piece is missing, and aborts the response when a later one is', async () => {
    const box = await Mailbox.open(appliance);
    const body = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64');
    const raw = `Subject: large\r\n\r\n${body.repeat(10).replace(/.{76}/g, '$&\r\n')}\r\n`;
    expect((await box.send(raw)).data?.code).toBe(250);
    const { id } = (await box.list())[0]!;
    const get = () =>
      fetch(`${appliance.url}/api/v1/messages/${id}/raw`, {
        headers: { authorization: `Bearer ${box.holder.key}` },
      });
    expect(Buffer.from(await (await get()).arrayBuffer()).toString()).toEndWith(raw);
    losePiece(appliance, id, 2);
    const cut = get().then((answered) => answered.arrayBuffer());
    expect(
      await cut.then(
        () => 'ended',
        () => 'cut off',
      ),
    ).toBe('cut off');
    losePiece(appliance, id, 0);
    const refused = await get();
    expect([refused.status, JSON.parse(await refused.text()).error.code]).toEqual([500, 'server_error']);
    expect(appliance.logged.every((line) => expectedFaults.test(line))).toBe(true);
  });
});
