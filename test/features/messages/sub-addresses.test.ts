/** `local+tag@domain` in a path: the inbox of `local@domain`, seen through that address (docs/decisions.md). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { indexSearch } from '../../../src/features/messages/index-search.ts';
import { LATEST_TO, writeListStatement } from '../../../src/features/messages/sql.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const request = (method: string, path: string, body?: unknown, key = owner.key) =>
  appliance.request(method, `/api/v1/inboxes/${path}`, { key, ...(body === undefined ? {} : { body }) });
const get = (path: string) => request('GET', path);
const listIds = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);

/** An inbox, and its address with a tag. */
async function tagged(key: Holder = owner) {
  const inbox = await appliance.inbox(key);
  const [local, domain] = inbox.address.split('@') as [string, string];
  return { ...inbox, local, domain, to: (tag: string) => `${local}+${tag}@${domain}` };
}

/** By SMTP, to the address as written; returns the id of the message. */
async function send(inbox: { id: string }, to: string, subject = 'Hello') {
  const raw = `From: app@example.org\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nYour code is 482913\r\n`;
  await sendMail({ port: appliance.smtpPort, from: 'app@example.org', to: [to], raw });
  const { json } = await get(`${inbox.id}/messages/latest`);
  expect(json.data.envelope_recipient.toLowerCase()).toBe(to.toLowerCase());
  return json.data.id as string;
}

describe('a sub-address', () => {
  test('lists and returns only messages to that address, in upper or lower case', async () => {
    const inbox = await tagged();
    const plain = await send(inbox, inbox.address);
    const one = await send(inbox, inbox.to('One'));
    const two = await send(inbox, inbox.to('two'));
    const oneAgain = await send(inbox, inbox.to('ONE').toUpperCase());
    const more = await send(inbox, inbox.to('one+more'));
    for (const name of [inbox.to('one'), inbox.to('ONE'), inbox.to('one').toUpperCase()]) {
      expect(listIds((await get(`${name}/messages`)).json)).toEqual([oneAgain, one]);
      expect((await get(`${encodeURIComponent(name)}/messages/latest`)).json.data.id).toBe(oneAgain);
    }
    expect(listIds((await get(`${inbox.to('two')}/messages`)).json)).toEqual([two]);
    expect(listIds((await get(`${inbox.to('one+more')}/messages`)).json)).toEqual([more]);
    expect(listIds((await get(`${inbox.address}/messages`)).json)).toEqual([more, oneAgain, two, one, plain]);
    // Another tag has no messages: that is an empty list, but the newest message is not found.
    expect((await get(`${inbox.to('none')}/messages`)).json.data).toEqual([]);
    expect((await get(`${inbox.to('none')}/messages/latest`)).status).toBe(404);
    expect((await get(`${inbox.to('%25')}/messages`)).json.data).toEqual([]);
  });

  test('shows the whole recipient in a list', async () => {
    const inbox = await tagged();
    await send(inbox, inbox.to('Shown'));
    const { json } = await get(`${inbox.id}/messages`);
    expect(json.data[0].envelope_recipient).toBe(inbox.to('Shown'));
  });

  test('combines with every filter and with search, before and after its messages are indexed', async () => {
    const inbox = await tagged();
    const one = await send(inbox, inbox.to('a'), 'Apples');
    const two = await send(inbox, inbox.to('a'), 'Pears and apples');
    await send(inbox, inbox.to('b'), 'Apples');
    await appliance.request('PATCH', `/api/v1/messages/${one}`, { key: owner.key, body: { read: true } });
    const list = async (query: string) => listIds((await get(`${inbox.to('A')}/messages?${query}`)).json);
    for (let round = 0; round < 2; round++) {
      expect(await list('q=apples')).toEqual([two, one]);
      expect(await list('subject_contains=PEARS')).toEqual([two]);
      expect(await list('from=nobody')).toEqual([]);
      expect(await list('q=apples&read=true&has_otp=true')).toEqual([one]);
      expect(await list('read=false')).toEqual([two]);
      expect(await list('read=true&has_otp=true')).toEqual([one]);
      await appliance.services.store.write(indexSearch, { rows: 100 });
    }
  });

  test('finds its own among thousands to other tags, by the search index too', async () => {
    const inbox = await tagged();
    const mine = await send(inbox, inbox.to('mine'), 'Needle');
    for (let count = 0; count < 1_100; count++) {
      await appliance.deliver(inbox.address, { subject: count % 2 ? 'Needle' : 'Hay' });
    }
    for (let rows = 1; rows > 0; ) rows = await appliance.services.store.write(indexSearch, { rows: 200 });
    expect(listIds((await get(`${inbox.to('mine')}/messages?q=needle`)).json)).toEqual([mine]);
    expect(listIds((await get(`${inbox.to('mine')}/messages`)).json)).toEqual([mine]);
  });

  test('binds its cursors to itself', async () => {
    const inbox = await tagged();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift(await send(inbox, inbox.to('page')));
    const first = await get(`${inbox.to('page')}/messages?limit=2`);
    const cursor = first.json.pagination.next_cursor;
    const second = await get(`${inbox.to('PAGE')}/messages?limit=2&cursor=${cursor}`);
    expect([...listIds(first.json), ...listIds(second.json)]).toEqual(ids);
    for (const name of [inbox.id, inbox.address, inbox.to('other')]) {
      const reply = await get(`${name}/messages?limit=2&cursor=${cursor}`);
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['cursor']]);
    }
    const whole = (await get(`${inbox.id}/messages?limit=2`)).json.pagination.next_cursor;
    expect((await get(`${inbox.to('page')}/messages?limit=2&cursor=${whole}`)).status).toBe(422);
  });

  test('gives read access only, and every write through it is 404', async () => {
    const inbox = await tagged();
    await send(inbox, inbox.to('x'));
    expect((await get(inbox.to('x'))).json.data).toMatchObject({ id: inbox.id, address: inbox.address });
    const compose = { to: ['b@example.org'], subject: 'x', body_text: 'x' };
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['PATCH', '', { label: 'x' }],
      ['POST', '/webhook/test', undefined],
      ['POST', '/compose', compose],
    ] as const) {
      const reply = await request(method, `${inbox.to('x')}${path}`, body);
      expect([method, path, reply.status]).toEqual([method, path, 404]);
    }
    expect((await get(inbox.id)).status).toBe(200);
  });

  test('is 404 without an inbox behind it, and for another account', async () => {
    const inbox = await tagged();
    const other = await appliance.holder();
    for (const path of ['', '/messages', '/messages/latest', '/messages/wait?timeout=1', '/stream']) {
      expect((await request('GET', inbox.to('x') + path, undefined, other.key)).status).toBe(404);
      expect((await get(`nobody+x@${inbox.domain}${path}`)).status).toBe(404);
      for (const odd of ['+@', '@+', 'a+', `+x@${inbox.domain}`, 'a+b@', '+@+', 'a+b@%00', 'a+b@..']) {
        expect([odd, (await get(encodeURIComponent(odd) + path)).status]).toEqual([odd, 404]);
      }
    }
    await request('DELETE', inbox.id);
    expect((await get(`${inbox.to('x')}/messages`)).status).toBe(404);
  });

  test('is found by its index, newest first, without sorting', () => {
    for (const hasOtp of [false, true]) {
      for (const read of [null, true, false]) {
        const plan = explainPlan(
          appliance,
          writeListStatement({ has_otp: hasOtp, read, recipient: 'a+b@c' }),
        );
        const index = `message_recipient${read === false ? '_unread' : ''}`;
        expect(plan).toContain(`USING INDEX ${index} (inbox_no=? AND <expr>=? AND rowid<?)`);
        expect(plan).not.toContain('TEMP B-TREE');
      }
    }
    const latest = explainPlan(appliance, LATEST_TO);
    expect(latest).toMatch(/USING (COVERING )?INDEX message_recipient \(inbox_no=\? AND <expr>=\?\)/);
    expect(latest).not.toContain('TEMP B-TREE');
  });
});

test('in capture mode an address that begins with + is an inbox of its own; IDNs have one form', async () => {
  await using trap = await startAppliance({ capture: { apiKey: 'secret' } });
  const mail = (to: string) =>
    sendMail({ port: trap.smtpPort, from: 'a@example.org', to: [to], raw: `Subject: ${to}\r\n\r\nx\r\n` });
  await mail('+x@app.example');
  await mail('dev+staging@xn--bcher-kva.example');
  const list = async (name: string) => {
    const path = `/api/v1/inboxes/${encodeURIComponent(name)}/messages`;
    const { status, json } = await trap.request('GET', path, { key: 'secret' });
    return status === 200 ? json.data.map(({ subject }: { subject: string }) => subject) : status;
  };
  expect(await list('+x@app.example')).toEqual(['+x@app.example']);
  for (const name of ['Dev+Staging@bücher.example', 'dev+staging@xn--bcher-kva.EXAMPLE']) {
    expect([name, await list(name)]).toEqual([name, ['dev+staging@xn--bcher-kva.example']]);
  }
  expect(await list('dev+prod@bücher.example')).toEqual([]);
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
