/** What Mailpit 1.33.1 answers to the same mails and requests, as measured beside it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type CompatScene, openScene, PICTURE, plainMail } from './scene.ts';

let scene: CompatScene;
beforeAll(async () => {
  scene = await openScene();
});
beforeEach(async () => void (await scene.ask('DELETE', '/api/v1/messages')));
afterAll(() => scene[Symbol.asyncDispose]());

const jane = { to: ['jane@example.org'] };

interface Row {
  Subject: string;
  Size: number;
  Snippet: string;
}

interface Answer {
  messages: Row[];
  unread: number;
  Text: string;
  HTML: string;
}

async function get(path: string): Promise<Answer> {
  const answer = await scene.ask('GET', path);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Answer;
}

async function findSubjects(query: string, tz = ''): Promise<string[]> {
  const found = await get(`/api/v1/search?${new URLSearchParams({ query, ...(tz && { tz }) })}`);
  return found.messages.map(({ Subject }) => Subject);
}

const sendPlain = (subject: string) =>
  scene.send({ ...jane, raw: plainMail({ subject, text: 'one\r\ntwo' }) });

function htmlMail(html: string): string {
  return `From: app@example.com\r\nTo: jane@example.org\r\nSubject: Page\r\nContent-Type: text/html\r\n\r\n${html}\r\n`;
}

test('a list has null where a mail has nobody in To, Cc or Bcc, and a message an empty array', async () => {
  await scene.send({ ...jane, raw: 'From: app@example.com\r\nTo: undisclosed-recipients:;\r\n\r\nx\r\n' });
  const [row] = (await get('/api/v1/messages')).messages;
  expect(row).toMatchObject({ To: null, Cc: null, Bcc: [{ Address: 'jane@example.org' }], ReplyTo: [] });
  expect(await get('/api/v1/message/latest')).toMatchObject({ To: [], Cc: [], ReplyTo: [] });
});

test('texts have the line ends of the mail', async () => {
  await sendPlain('Lines');
  expect((await get('/api/v1/message/latest')).Text).toBe('one\r\ntwo\r\n');
  expect(await (await scene.ask('GET', '/view/latest.txt')).text()).toBe('one\r\ntwo\r\n');
  await scene.send({ ...jane, raw: htmlMail('<p>one</p>\r\n<p>two</p>') });
  expect((await get('/api/v1/message/latest')).HTML).toBe('<p>one</p>\r\n<p>two</p>\r\n');
});

test('a mail sent through the API has its text and HTML as they were sent', async () => {
  const send = (body: object) =>
    scene.ask('POST', '/api/v1/send', {
      body: JSON.stringify({ From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.org' }], ...body }),
    });
  for (const sent of [
    { Text: 'hello\nworld', HTML: '' },
    { Text: 'Grüße\n', HTML: '' },
    { Text: 'a', HTML: '<p>\nü</p>' },
    { Text: '', HTML: '' },
  ]) {
    expect((await send(sent)).status).toBe(200);
    expect(await get('/api/v1/message/latest')).toMatchObject(sent);
  }
  await send({ HTML: '<p>hello</p>' });
  expect(await get('/api/v1/message/latest')).toMatchObject({ Text: 'hello', HTML: '<p>hello</p>' });
});

test('the text of HTML has the address of each link behind its words', async () => {
  const links =
    '<a class="b" href="https://example.com/in?a=1&amp;b=2" title="x">Sign <b>in</b></a> or <a href="https://example.com/">https://example.com/</a>' +
    ' or <a href="mailto:help@example.com">write</a> or <a name="here">stay</a>.';
  await scene.send({ ...jane, raw: htmlMail(`<p>${links}</p>`) });
  expect((await get('/api/v1/message/latest')).Text).toBe(
    'Sign in ( https://example.com/in?a=1&b=2 ) or https://example.com/ or write ( help@example.com ) or stay.',
  );
  expect(await findSubjects('example.com/in?a=1&b=2')).toEqual(['Page']);
});

test('a snippet shows the HTML, without its head and with its entities read', async () => {
  const html =
    '<html><head><title>T</title><style>p{}</style></head><body><p>Gr&uuml;&szlig;e</p></body></html>';
  await scene.send({ ...jane, raw: htmlMail(html) });
  expect((await get('/api/v1/messages')).messages[0]?.Snippet).toBe('Grüße');
  expect(await findSubjects('Grüße')).toEqual(['Page']);
});

test('limit=0 lists every message, but none of a search', async () => {
  for (const subject of ['One', 'Two']) await sendPlain(subject);
  expect((await get('/api/v1/messages?limit=0')).messages).toHaveLength(2);
  expect(await get('/api/v1/search?query=subject:one&limit=0')).toMatchObject({
    messages_count: 1,
    messages: [],
  });
});

test('a list before a time counts the whole mailbox, and a search what matches before it', async () => {
  await sendPlain('One');
  const none = { total: 1, unread: 1, count: 0, messages: [] };
  for (const before of ['2020-01-01', '1577836800']) {
    expect(await get(`/api/v1/messages?before=${before}`)).toMatchObject({
      ...none,
      messages_count: 1,
      messages_unread: 1,
    });
  }
  expect(await get('/api/v1/search?query=one&before=2020-01-01')).toMatchObject({
    ...none,
    messages_count: 0,
  });
});

test('dates in a search are in the time zone of tz', async () => {
  await sendPlain('Now');
  const local = (minutes: number, zone: string) =>
    new Date(Date.now() + minutes * 60_000).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16);
  const [zone, other] = ['Asia/Tokyo', 'America/Los_Angeles'];
  expect(await findSubjects(`after:"${local(-60, zone)}" before:"${local(60, zone)}"`, zone)).toEqual([
    'Now',
  ]);
  expect(await findSubjects(`after:"${local(-60, zone)}"`, other)).toEqual([]);
  expect(await findSubjects(`after:${Math.floor(Date.now() / 1_000) - 60}`)).toEqual(['Now']);
  const body = JSON.stringify({ Read: true, Search: `after:"${local(-60, zone)}"` });
  await scene.ask('PUT', `/api/v1/messages?tz=${other}`, { body });
  expect((await get('/api/v1/messages')).unread).toBe(1);
});

test('larger: includes a mail of exactly that size, and smaller: does not', async () => {
  await sendPlain('Exact');
  const { Size } = (await get('/api/v1/messages')).messages[0]!;
  expect(await findSubjects(`larger:${Size}`)).toEqual(['Exact']);
  expect(await findSubjects(`smaller:${Size}`)).toEqual([]);
  expect(await findSubjects(`-larger:${Size}`)).toEqual([]);
});

test('a body that is not an object changes nothing', async () => {
  await sendPlain('Kept');
  for (const method of ['DELETE', 'PUT']) {
    for (const body of ['["msg_1"]', '[]', '"x"', '1', '{']) {
      const answer = await scene.ask(method, '/api/v1/messages', { body });
      expect([method, body, answer.status]).toEqual([method, body, 400]);
    }
  }
  expect(await get('/api/v1/messages')).toMatchObject({ total: 1, unread: 1 });
});

test('a sent mail may have its own X-Tags if it has no tags, and a file a type with parameters', async () => {
  const mail = {
    From: { Email: 'a@example.com' },
    To: [{ Email: 'jane@example.org' }],
    Headers: { 'X-Tags': 'own' },
  };
  const send = (more: object) =>
    scene.ask('POST', '/api/v1/send', { body: JSON.stringify({ ...mail, ...more }) });
  const file = { Content: 'aGVsbG8=', Filename: 'a.txt', ContentType: 'text/plain; charset=utf-8' };
  expect((await send({ Attachments: [file] })).status).toBe(200);
  expect(await get('/api/v1/message/latest')).toMatchObject({
    Tags: ['own'],
    Attachments: [{ FileName: 'a.txt', ContentType: 'text/plain' }],
  });
  const refused = await send({ Tags: ['given'] });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { Error: 'cannot overwrite header: "X-Tags"' },
  ]);
});

test('a part without a name has its Content-ID as its name', async () => {
  const picture = (disposition: string, id: string) =>
    `--b\r\nContent-Type: image/png\r\nContent-Disposition: ${disposition}\r\nContent-ID: <${id}>\r\n` +
    `Content-Transfer-Encoding: base64\r\n\r\n${PICTURE}\r\n`;
  await scene.send({
    ...jane,
    raw:
      'Subject: Pictures\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n' +
      '--b\r\nContent-Type: text/html\r\n\r\n<img src="cid:logo@x">\r\n' +
      `${picture('inline', 'logo@x')}${picture('attachment', 'photo@x')}--b--\r\n`,
  });
  expect(await get('/api/v1/message/latest')).toMatchObject({
    Inline: [{ FileName: 'logo@x', ContentID: 'logo@x' }],
    Attachments: [{ FileName: 'photo@x', ContentID: 'photo@x' }],
  });
});

test('what Mailpit 1.33 has new is answered', async () => {
  expect(await get('/api/v1/webui')).toMatchObject({ SpamAssassin: false, Rspamd: false });
  await sendPlain('One');
  expect((await scene.ask('GET', '/api/v1/message/latest/rspamd-check')).status).toBe(501);
});
