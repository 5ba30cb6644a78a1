/** Mailpit's client for Node, as its users call it, with only its base URL changed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { MailpitClient } from 'mailpit-api';
import { type CompatScene, openScene, PICTURE, plainMail, richMail } from './scene.ts';

let scene: CompatScene;
let mailpit: MailpitClient;
beforeAll(async () => {
  scene = await openScene();
  mailpit = new MailpitClient(scene.url);
});
beforeEach(async () => void (await scene.ask('DELETE', '/api/v1/messages')));
afterAll(() => scene[Symbol.asyncDispose]());

const jane = { Name: 'Jane Doe', Address: 'jane@example.org' };

async function sendThree(): Promise<void> {
  await scene.send({
    to: ['jane@example.org'],
    raw: plainMail({ subject: 'First code', text: 'It is 123456' }),
  });
  const second = { subject: 'Second "offer"', text: 'Ananas', to: 'Bob B <bob@example.org>' };
  await scene.send({ to: ['bob@example.org'], from: 'shop@example.net', raw: plainMail(second) });
  await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'Third', text: 'Banane' }) });
}

describe('mailpit-api', () => {
  test('lists a mail to several recipients as one row, with every field of Mailpit', async () => {
    await scene.send({
      to: ['jane@example.org', 'bob@example.org', 'hidden@example.org'],
      raw: richMail('Rich'),
    });
    const list = await mailpit.listMessages();
    expect(list).toMatchObject({
      total: 1,
      unread: 1,
      count: 1,
      messages_count: 1,
      messages_unread: 1,
      start: 0,
    });
    expect(list.tags).toEqual([]);
    const [row] = list.messages;
    expect(row).toEqual({
      ID: expect.stringMatching(/^msg_/),
      MessageID: 'rich-1@example.com',
      Read: false,
      From: { Name: 'App, Inc.', Address: 'app@example.com' },
      To: [jane, { Name: '', Address: 'bob@example.org' }],
      Cc: [{ Name: '', Address: 'carl@example.org' }],
      Bcc: [{ Name: '', Address: 'hidden@example.org' }],
      ReplyTo: [{ Name: 'Help', Address: 'help@example.com' }],
      Subject: 'Rich',
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      Username: '',
      Tags: [],
      Size: Buffer.byteLength(richMail('Rich')),
      Attachments: 1,
      Snippet: 'Grüße Jane',
    });
  });

  test('pages through the list, newest first', async () => {
    await sendThree();
    const subjects = async (start: number, limit: number) =>
      (await mailpit.listMessages(start, limit)).messages.map(({ Subject }) => Subject);
    expect(await subjects(0, 2)).toEqual(['Third', 'Second "offer"']);
    expect(await subjects(2, 2)).toEqual(['First code']);
    expect(await subjects(9, 2)).toEqual([]);
    expect((await mailpit.listMessages(0, 0)).messages).toHaveLength(3);
  });

  test('reads a message, which marks it read for all its recipients', async () => {
    await scene.send({ to: ['jane@example.org', 'bob@example.org'], raw: richMail('Rich') });
    const message = await mailpit.getMessageSummary();
    expect(message).toMatchObject({
      MessageID: 'rich-1@example.com',
      From: { Name: 'App, Inc.', Address: 'app@example.com' },
      To: [jane, { Name: '', Address: 'bob@example.org' }],
      Bcc: [],
      ReturnPath: 'app@example.com',
      Subject: 'Rich',
      ListUnsubscribe: {
        Header: '<https://example.com/out>, <mailto:out@example.com>',
        Links: ['https://example.com/out', 'mailto:out@example.com'],
        Errors: '',
        HeaderPost: 'List-Unsubscribe=One-Click',
      },
      Tags: [],
      Username: '',
      Read: true,
    });
    expect(Date.parse(String(message.Date))).toBe(Date.parse('2026-11-22T08:00:00Z'));
    expect(message.Text).toContain('Jane');
    expect(message.HTML).toContain('<b>Jane</b>');
    const [file] = message.Attachments;
    const sum = (name: string) => createHash(name).update('a,b\r\n1,2\r\n').digest('hex');
    expect(file).toEqual({
      PartID: '2',
      FileName: 'rows.csv',
      ContentType: 'text/csv',
      ContentID: '',
      Size: 10,
      Checksums: { MD5: sum('md5'), SHA1: sum('sha1'), SHA256: sum('sha256') },
    });
    expect(message.Inline).toMatchObject([{ PartID: '1', FileName: 'logo.png', ContentID: 'logo@x' }]);
    expect((await mailpit.listMessages()).unread).toBe(0);
    const inbox = await scene.trap.request('GET', '/api/v1/inboxes/bob@example.org/messages', {
      key: scene.trap.apiKey!,
    });
    expect(inbox.json.data[0].read).toBe(true);
    expect((await mailpit.getMessageSummary(message.ID)).ID).toBe(message.ID);
    // The id of any of its messages in our own API identifies it, too.
    expect((await mailpit.getMessageSummary(inbox.json.data[0].id)).ID).toBe(message.ID);
  });

  test('gets headers, source and parts', async () => {
    await scene.send({ to: ['jane@example.org'], raw: richMail('Rich') });
    const { ID } = await mailpit.getMessageSummary();
    const headers: Record<string, string[]> = await mailpit.getMessageHeaders(ID);
    expect(headers['X-Run']).toEqual(['7', '8']);
    expect(headers['Message-Id']).toEqual(['<rich-1@example.com>']);
    expect(headers['Return-Path']).toEqual(['<app@example.com>']);
    expect(Object.keys(headers)).toEqual(Object.keys(headers).sort());
    const source = await mailpit.getMessageSource(ID);
    expect(source).toStartWith('Return-Path: <app@example.com>\r\n');
    expect(source).toEndWith(richMail('Rich'));
    const file = await mailpit.getMessageAttachment(ID, '2');
    expect(await file.text()).toBe('a,b\r\n1,2\r\n');
    const picture = await mailpit.getMessageAttachment(ID, '1');
    expect(Buffer.from(await picture.arrayBuffer()).toString('base64')).toBe(PICTURE);
    await expect(mailpit.getMessageAttachment(ID, '9')).rejects.toThrow('404');
  });

  test('searches mail', async () => {
    await sendThree();
    await mailpit.getMessageSummary();
    const found = async (query: string) =>
      (await mailpit.searchMessages({ query })).messages.map(({ Subject }) => Subject);
    expect(await found('ananas')).toEqual(['Second "offer"']);
    expect(await found('"first code"')).toEqual(['First code']);
    expect(await found('to:bob@example.org')).toEqual(['Second "offer"']);
    expect(await found('to:"bob b"')).toEqual(['Second "offer"']);
    expect(await found('from:app@example.com subject:third')).toEqual(['Third']);
    expect(await found('subject:"first code"')).toEqual(['First code']);
    expect(await found('-to:bob !subject:third')).toEqual(['First code']);
    expect(await found('is:unread')).toEqual(['Second "offer"', 'First code']);
    expect(await found('-is:unread')).toEqual(['Third']);
    expect(await found('has:attachment')).toEqual([]);
    expect(await found('after:2020-01-01 smaller:2kb larger:10 addressed:jane')).toEqual([
      'Third',
      'First code',
    ]);
    expect(await found('before:2020-01-01')).toEqual([]);
    expect(await found('nothing-like-it')).toEqual([]);
    const page = await mailpit.searchMessages({ query: 'example.org', start: 1, limit: 1 });
    expect(page).toMatchObject({
      total: 3,
      unread: 2,
      messages_count: 3,
      messages_unread: 2,
      count: 1,
      start: 1,
    });
  });

  test('gets an error for a search that is not supported', async () => {
    for (const query of ['after:never']) {
      await expect(mailpit.searchMessages({ query })).rejects.toThrow('400');
    }
    expect(await (await scene.ask('GET', '/api/v1/search?query=+')).text()).toBe('Error: no search query');
  });

  test('waits for a message', async () => {
    const waiting = mailpit.waitForMessage(
      { query: 'to:jane subject:late' },
      { timeout: 8_000, interval: 20 },
    );
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'Late', text: 'here' }) });
    expect((await waiting).Text.trim()).toBe('here');
    const both = await mailpit.waitForMessages({ query: 'late', count: 1, exact: true }, { interval: 20 });
    expect(both.messages_count).toBe(1);
  });

  test('marks some messages, what a search finds, or all', async () => {
    await sendThree();
    const unread = async () => (await mailpit.listMessages()).unread;
    const { messages } = await mailpit.listMessages();
    expect(await mailpit.setReadStatus({ IDs: [messages[0]!.ID], Read: true })).toBe('ok');
    expect(await unread()).toBe(2);
    expect(await mailpit.setReadStatus({ Search: 'to:bob', Read: true })).toBe('ok');
    expect(await unread()).toBe(1);
    expect(await mailpit.setReadStatus({ Read: true })).toBe('ok');
    expect(await unread()).toBe(0);
    expect(await mailpit.setReadStatus({ Read: false })).toBe('ok');
    expect(await unread()).toBe(3);
  });

  test('deletes some messages, what a search finds, or all, for every recipient', async () => {
    await sendThree();
    await scene.send({
      to: ['jane@example.org', 'bob@example.org'],
      raw: plainMail({ subject: 'Two', text: 'x' }),
    });
    const { messages } = await mailpit.listMessages();
    expect(await mailpit.deleteMessages({ IDs: [messages[0]!.ID, 'msg_unknown'] })).toBe('ok');
    const key = scene.trap.apiKey!;
    const bobs = await scene.trap.request('GET', '/api/v1/inboxes/bob@example.org/messages', { key });
    expect(bobs.json.data).toHaveLength(1);
    expect(await mailpit.deleteMessagesBySearch({ query: 'to:bob' })).toBe('ok');
    expect((await mailpit.listMessages()).total).toBe(2);
    expect(await mailpit.deleteMessages()).toBe('ok');
    expect((await mailpit.listMessages()).total).toBe(0);
  });

  test('sends a message that arrives at every recipient', async () => {
    const { ID } = await mailpit.sendMessage({
      From: { Email: 'from@example.com', Name: 'From' },
      To: [{ Email: 'jane@example.org', Name: 'Jänë' }],
      Cc: [{ Email: 'cc@example.org' }],
      Bcc: ['bcc@example.org'],
      ReplyTo: [{ Email: 'reply@example.com' }],
      Subject: 'Sent ✓',
      Text: 'hello\nworld',
      HTML: '<p>hello <img src="cid:pic"></p>',
      Headers: { 'X-Custom': 'yes' },
      Tags: ['one', 'two'],
      Attachments: [
        { Content: Buffer.from('data').toString('base64'), Filename: 'a.txt' },
        {
          Content: `data:image/png;base64,${PICTURE}`,
          Filename: 'p.png',
          ContentType: 'image/png',
          ContentID: 'pic',
        },
      ],
    });
    const message = await mailpit.getMessageSummary(ID);
    expect(message).toMatchObject({
      Subject: 'Sent ✓',
      To: [{ Name: 'Jänë', Address: 'jane@example.org' }],
      Cc: [{ Name: '', Address: 'cc@example.org' }],
      Bcc: [{ Name: '', Address: 'bcc@example.org' }],
      ReplyTo: [{ Name: '', Address: 'reply@example.com' }],
      ReturnPath: 'from@example.com',
    });
    expect(message.Text.replaceAll('\r\n', '\n').trim()).toBe('hello\nworld');
    expect(message.Attachments.map(({ FileName }) => FileName)).toEqual(['a.txt']);
    expect(message.Inline.map(({ ContentID }) => ContentID)).toEqual(['pic']);
    const headers: Record<string, string[]> = await mailpit.getMessageHeaders(ID);
    expect([headers['X-Custom'], headers['X-Tags'], headers.Bcc]).toEqual([['yes'], ['one, two'], undefined]);
    expect(message.Tags).toEqual(['one', 'two']);
    for (const [query, found] of [
      ['tag:one', 1],
      ['tag:One', 1],
      ['tag:on', 0],
      ['-tag:one Sent', 0],
      ['is:tagged', 1],
    ] as const) {
      expect([query, (await mailpit.searchMessages({ query })).messages.length]).toEqual([query, found]);
    }
  });

  test('renders text and HTML, made safe', async () => {
    await scene.send({ to: ['jane@example.org'], raw: richMail('Rich') });
    const html = await mailpit.renderMessageHTML();
    expect(html).toContain('<p>Grüße <b>Jane</b></p>');
    expect(html).toContain(`data:image/png;base64,${PICTURE}`);
    expect(html).not.toContain('<script');
    expect(await mailpit.renderMessageText()).toContain('Grüße');
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'x', text: 'only text' }) });
    expect(await mailpit.renderMessageText()).toBe('only text\r\n');
    await expect(mailpit.renderMessageHTML()).rejects.toThrow('404');
    const found = await scene.ask('GET', '/view/latest.html?query=subject:rich');
    expect(found.status).toBe(200);
    expect(found.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('gets information about the server, and an empty list of tags', async () => {
    await sendThree();
    const info = await mailpit.getInfo();
    expect(info).toMatchObject({ LatestVersion: 'disabled', Messages: 3, Unread: 3, Tags: {} });
    expect(info.Version).toContain('Postern');
    expect(await mailpit.getTags()).toEqual([]);
    expect((await mailpit.getConfiguration()).MessageRelay.Enabled).toBe(false);
  });

  test('gets the health checks that scripts wait for', async () => {
    for (const path of ['/livez', '/readyz']) {
      const answer = await scene.ask('GET', path);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, '']);
    }
  });

  test('gets an error for an operation that is not available here', async () => {
    await expect(mailpit.htmlCheck()).rejects.toThrow('501');
    await expect(mailpit.releaseMessage('latest', { To: ['a@example.org'] })).rejects.toThrow(
      'Nothing leaves a capture',
    );
    await expect(mailpit.getChaosTriggers()).rejects.toThrow('501');
  });
});
