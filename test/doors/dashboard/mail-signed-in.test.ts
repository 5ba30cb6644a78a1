/** Mail in a signed-in session: ownership, the account’s own domains, and forwarding. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as sql from '../../../src/doors/dashboard/sql.ts';
import { readyDomain } from '../../features/domains/ready.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { explainPlan, recordStatements } from '../../store-state.ts';
import { owner, type Person } from './visitor.ts';

const hasBrowser = haveBrowser();
let appliance: RunningAppliance;
let browser: TestBrowser | undefined;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  // Nothing may leave the machine: queued emails stay queued.
  const settings = { outbound: 'direct', dns_servers: '127.0.0.1:9', limits: 'off' };
  appliance = await startAppliance({ settings });
  [ann, bob] = await Promise.all([owner(appliance), owner(appliance, 'free')]);
  await readyDomain(appliance.services, ann.account.no, 'shop.example');
  if (hasBrowser) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await appliance[Symbol.asyncDispose]();
});

describe("another account's mail", () => {
  test('is not found by any route', async () => {
    const { address, id: inbox } = (await ann.visitor.post('/inboxes', {})).json.data;
    const id = await appliance.deliver(address, { content: { html: '<p>secret</p>' } });
    for (const path of ['', '/frame', '/source', '/raw', '/attachments/0', '/attachments/0/picture']) {
      const reply = await bob.visitor.get(`/messages/${id}${path}`);
      expect([path, reply.status]).toEqual([path, 404]);
    }
    expect((await bob.visitor.get(`/inboxes/${inbox}/messages`)).status).toBe(404);
    expect((await bob.visitor.ask('DELETE', `/inboxes/${inbox}`)).status).toBe(404);
    expect((await bob.visitor.get('/messages')).json.data).toEqual([]);
    expect((await bob.visitor.get('/inboxes')).json.data).toEqual([]);
    expect((await bob.visitor.get('/unread')).json.data).toEqual({ unread: 0 });
    for (const [action, body] of [
      ['mark', { ids: [id], read: true }],
      ['delete', { ids: [id] }],
    ] as const) {
      expect((await bob.visitor.post(`/messages/${action}`, body)).json.data).toEqual({ changed: 0 });
    }
    expect((await ann.visitor.get(`/messages/${id}`)).json.data.read).toBe(false);
  });
});

describe('a message', () => {
  test('says whether it would load anything from elsewhere', async () => {
    const { address } = (await ann.visitor.post('/inboxes', {})).json.data;
    const asks = async (html: string) => {
      const id = await appliance.deliver(address, { has_html: true, content: { html } });
      return (await ann.visitor.get(`/messages/${id}`)).json.data.remote_content;
    };
    for (const html of [
      '<img src=http://a.example/x.gif>',
      '<td background = " https://a.example/x.gif">',
      `<p style="background:url( ' https://a.example/x.gif')">`,
    ]) {
      expect([html, await asks(html)]).toEqual([html, true]);
    }
    for (const html of ['<img src="cid:logo">', '<a href="https://a.example">read on</a>']) {
      expect([html, await asks(html)]).toEqual([html, false]);
    }
    // A mail of only white space once blocked everything for minutes whenever it was opened.
    for (const start of ['src=', 'url(']) expect(await asks(start + ' '.repeat(100_000))).toBe(false);
  });
});

describe('the list of all mail', () => {
  test('covers every inbox, newest first, page by page, with the same filters', async () => {
    const { visitor } = bob;
    const boxes = [];
    for (const routingKey of ['bob-1', 'bob-2', 'bob-3']) {
      boxes.push((await visitor.post('/inboxes', { routing_key: routingKey })).json.data.address);
    }
    for (let nth = 0; nth < 9; nth++) {
      await appliance.deliver(boxes[nth % 3], { subject: `number ${nth}`, otp: nth % 2 ? `10${nth}` : null });
    }
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, pagination } = (await visitor.get(`/messages?limit=4${cursor}`)).json;
      seen.push(...data.map(({ subject }: { subject: string }) => subject));
      if (!pagination.has_more) break;
      cursor = `&cursor=${pagination.next_cursor}`;
    }
    expect(seen).toEqual(Array.from({ length: 9 }, (_, index) => `number ${8 - index}`));
    const codes = (await visitor.get('/messages?has_otp=true&q=number')).json.data;
    expect(codes.map(({ address }: { address: string }) => address)).toEqual(
      ['bob-2', 'bob-3', 'bob-1', 'bob-2'].map((name) => `${name}@postern.test`),
    );
    const one = (await visitor.get('/messages?q=NUMBER%203')).json.data;
    expect(one).toHaveLength(1);
    const forged = await visitor.get('/messages?q=other&cursor=x');
    expect([forged.status, Object.keys(forged.json.error.fields)]).toEqual([422, ['cursor']]);
  });

  test('marks and deletes many messages on every plan, and counts the unread ones', async () => {
    const { visitor } = bob;
    const ids = (await visitor.get('/messages')).json.data.map(({ id }: { id: string }) => id);
    const unread = async () => (await visitor.get('/unread')).json.data.unread;
    expect(await unread()).toBe(9);
    await visitor.post('/messages/mark', { ids, read: true });
    expect(await unread()).toBe(0);
    await visitor.post('/messages/mark', { ids: ids.slice(0, 2), read: false });
    expect(await unread()).toBe(2);
    expect((await visitor.get('/inboxes?q=BOB-3')).json.data).toEqual([
      expect.objectContaining({ address: 'bob-3@postern.test', unread: 1 }),
    ]);
    await visitor.post('/messages/delete', { ids: ids.slice(0, 8) });
    expect((await visitor.get('/messages')).json.data).toHaveLength(1);
    const bad = await visitor.post('/messages/mark', { ids: [], read: 'yes', more: 1 });
    expect([bad.status, Object.keys(bad.json.error.fields).sort()]).toEqual([422, ['ids', 'more', 'read']]);
  });
});

test('every query of the pages uses an index, without sorting', () => {
  const { reading, statements } = recordStatements(appliance);
  const { no } = bob.account;
  sql.listWithUnread(reading, no, 'x', Number.MAX_SAFE_INTEGER, 10);
  sql.countUnread(reading, no);
  sql.listArrived(reading, no, 0, 10);
  sql.findAccountOfInbox(reading, 1);
  sql.findInboxAddress(reading, 'inbox_x');
  expect(explainPlan(appliance, sql.LISTED)).toMatch(
    /SEARCH m USING INTEGER PRIMARY KEY .*SEARCH f USING INDEX message_raw \(raw_no=\?\)/,
  );
  statements.add(sql.OLD_CONTENT);
  for (const statement of statements) {
    const plan = explainPlan(appliance, statement);
    expect([plan, /SCAN (message|inbox|m|i)\b|TEMP B-TREE/.test(plan)]).toEqual([plan, false]);
  }
});

test('a trap with very many inboxes lists and searches them all', async () => {
  await using trap = await startAppliance({ capture: {} });
  for (const batch of [0, 1, 2]) {
    const to = Array.from({ length: 80 }, (_, nth) => `box-${batch}-${nth}@shop.example`);
    const raw = `Subject: batch ${batch}\r\n\r\nYour code is 48291${batch}.\r\n`;
    const { data } = await sendMail({ port: trap.smtpPort, from: 'a@example.org', to, raw });
    expect(data?.code).toBe(250);
  }
  const get = async (path: string) => (await trap.request('GET', `/dashboard/api/messages?${path}`)).json;
  const ids = new Set<string>();
  for (let cursor = ''; ; ) {
    const { data, pagination } = await get(`limit=100${cursor}`);
    for (const { id } of data) ids.add(id);
    if (!pagination.has_more) break;
    cursor = `&cursor=${pagination.next_cursor}`;
  }
  expect(ids.size).toBe(240);
  expect((await get('q=BATCH%201&limit=100')).data).toHaveLength(80);
  expect((await get('q=nothing')).data).toEqual([]);
  expect((await get('has_otp=true&read=false&limit=1')).data).toHaveLength(1);
  expect((await trap.request('GET', '/dashboard/api/inboxes?limit=100')).json.pagination.has_more).toBe(true);
});

function arrive(head: string[]) {
  const raw = `${head.join('\r\n')}\r\n\r\nWhere is it?\r\n`;
  return sendMail({ port: appliance.smtpPort, from: 'carl@example.org', to: ['help@help.example'], raw });
}

describe.skipIf(!hasBrowser)('in the browser', () => {
  test('a person creates an inbox on their own domain and forwards its mail', async () => {
    const [name = '', value = ''] = ann.visitor.cookie?.split('=') ?? [];
    const open = await browser!.open(`${appliance.url}/dashboard/all`, { cookie: { name, value } });
    const { page } = open;
    await page.getByRole('button', { name: 'New inbox' }).first().click();
    const form = page.getByRole('dialog', { name: 'New inbox' });
    await form.getByRole('combobox').selectOption({ label: 'shop.example' });
    await form.getByRole('textbox', { name: /^Address/ }).fill('desk');
    await form.getByRole('button', { name: 'Create and copy address' }).click();
    await page.getByRole('button', { name: 'Copy address' }).first().waitFor();
    await appliance.deliver('desk@shop.example', { subject: 'An order', content: { text: 'Two of them.' } });
    await page.reload();
    await page.getByRole('link', { name: 'An order' }).click();
    await page.getByRole('button', { name: 'Forward' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forward message' });
    await dialog.getByRole('textbox', { name: /^To/ }).fill('no address');
    await dialog.getByRole('button', { name: 'Forward' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: /^To/ }).fill('carl@example.org');
    await dialog.getByRole('combobox').selectOption({ label: 'As an attachment, unchanged' });
    const choose = (name: string) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('one') });
    await choose('a.txt');
    await choose('b.txt');
    await dialog.getByRole('button', { name: 'Remove a.txt' }).click();
    await dialog.getByRole('button', { name: 'Forward' }).click();
    await page.getByText('Message queued').waitFor();
    const [sent] = (await ann.visitor.get('/emails')).json.data;
    expect(sent.attachments.slice(0, 1)).toEqual([
      { filename: 'b.txt', content_type: 'text/plain', size: 3 },
    ]);
    expect(sent.attachments[1]).toMatchObject({ filename: 'An order.eml', content_type: 'message/rfc822' });
    expect(open.faults).toEqual([]);
    await open.close();
  });

  test('a person answers a message, sees the conversation, and writes a new one', async () => {
    const [name = '', value = ''] = ann.visitor.cookie?.split('=') ?? [];
    const { id: domain } = await readyDomain(appliance.services, ann.account.no, 'help.example');
    await ann.visitor.post('/inboxes', { domain, routing_key: 'help' });
    await arrive([
      'From: Carl <carl@example.org>',
      'To: help@help.example, Eve <eve@example.org>',
      'Subject: A parcel',
      'Message-ID: <parcel@example.org>',
    ]);
    const open = await browser!.open(`${appliance.url}/dashboard/all`, { cookie: { name, value } });
    const { page } = open;
    await page.getByRole('link', { name: 'A parcel' }).click();
    await page.getByRole('article').waitFor();
    expect(await page.getByText('Conversation of').count()).toBe(0);
    await page.keyboard.press('r');
    const reply = page.getByRole('dialog', { name: 'Reply' });
    await reply.getByText('To Carl <carl@example.org>, from help@help.example.').waitFor();
    await reply.getByRole('textbox', { name: 'Cc' }).fill('no address');
    await reply.getByRole('textbox', { name: 'Message' }).fill('On its way.');
    await reply.getByRole('button', { name: 'Send' }).click();
    await reply.getByRole('alert').waitFor();
    await reply.getByRole('textbox', { name: 'Cc' }).fill('');
    await reply.getByRole('checkbox', { name: 'Reply to all recipients' }).check();
    await reply.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Message queued').waitFor();
    await page.getByText('Conversation of 2 messages').waitFor();
    await page.getByText('to carl@example.org, eve@example.org').waitFor();
    const [sent] = (await ann.visitor.get('/emails')).json.data;
    expect(sent).toMatchObject({
      kind: 'reply',
      subject: 'Re: A parcel',
      in_reply_to: '<parcel@example.org>',
    });
    await arrive([
      'From: Carl <carl@example.org>',
      'Subject: Thanks',
      `In-Reply-To: ${sent.message_id}`,
      'Message-ID: <thanks@example.org>',
    ]);
    await page.getByText('Conversation of 3 messages').waitFor();
    await page
      .getByRole('article')
      .getByRole('link', { name: /Thanks/ })
      .click();
    await page.getByRole('heading', { name: 'Thanks' }).waitFor();
    expect(open.faults).toEqual([]);
    await open.close();
  });

  test('every action on a message fits a narrow phone, and a finger', async () => {
    const [name = '', value = ''] = ann.visitor.cookie?.split('=') ?? [];
    await appliance.deliver('help@help.example', { subject: 'On the way', content: { text: 'Hello.' } });
    const open = await browser!.open(`${appliance.url}/dashboard/all`, {
      cookie: { name, value },
      phone: true,
    });
    const { page } = open;
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 640 });
      await page.goto(`${appliance.url}/dashboard/all`);
      await page.getByRole('link', { name: 'On the way' }).click();
      await page.getByRole('button', { name: 'Forward' }).waitFor();
      for (const action of ['Back to list', 'Next message', 'Reply', 'Forward', 'Delete']) {
        const box = (await page.getByRole('button', { name: action, exact: true }).boundingBox())!;
        expect([action, width, box.x + box.width <= width, box.width >= 24]).toEqual([
          ...[action, width, true, true],
        ]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(open.faults).toEqual([]);
    await open.close();
  });

  test('a person writes a new message from an inbox on their own domain', async () => {
    const [name = '', value = ''] = ann.visitor.cookie?.split('=') ?? [];
    const open = await browser!.open(`${appliance.url}/dashboard/all`, { cookie: { name, value } });
    const { page } = open;
    await page.getByRole('link', { name: /^help/ }).first().click();
    await page.getByRole('button', { name: 'New message' }).click();
    const compose = page.getByRole('dialog', { name: 'New message' });
    await compose
      .getByRole('textbox', { name: 'To' })
      .fill('"Day, Dora" <dora@example.org>; emil@example.org');
    await compose.getByRole('textbox', { name: 'Subject' }).fill('A question');
    await compose.getByRole('textbox', { name: 'Message' }).fill('Who?');
    await compose.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Message queued').waitFor();
    expect((await ann.visitor.get('/emails')).json.data[0]).toMatchObject({
      kind: 'compose',
      subject: 'A question',
      from_address: 'help@help.example',
      to: ['Day, Dora <dora@example.org>', 'emil@example.org'],
    });
    expect(open.faults).toEqual([]);
    await open.close();
  });
});
