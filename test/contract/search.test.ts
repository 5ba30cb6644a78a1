/** `search` on lists of messages (docs/search.md): each token, before and after its messages are indexed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  candidateStatement,
  INDEX_HITS,
  scanStatement,
  TAGGED,
} from '../../src/features/messages/query/sql.ts';
import { indexTextOp } from '../../src/features/messages/query/writes.ts';
import { searchTokens } from '../../src/rules/search-language.ts';
import { sendMail } from '../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { explainPlan } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;
let shop: { id: string; address: string };
let bank: { id: string; address: string };
const names = new Map<string, string>();

const indexAll = async () => {
  for (let rows = 1; rows > 0; ) rows = await appliance.services.store.write(indexTextOp, { rows: 200 });
};
const get = (path: string, key = owner.key) => appliance.request('GET', `/api/v1/${path}`, { key });
const ask = (query: string, path = 'messages', key = owner.key) =>
  get(`${path}?search=${encodeURIComponent(query)}`, key);
const listNames = (json: { data: { id: string }[] }) => json.data.map(({ id }) => names.get(id) ?? id);

async function find(query: string, path?: string): Promise<string> {
  const { status, json } = await ask(query, path);
  expect([query, status]).toEqual([query, 200]);
  return listNames(json).join(' ');
}

const attachment = (filename: string) => ({
  ...{ index: 0, filename, content_type: 'application/pdf', size: 3, content_id: null, inline: false },
});

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
  // A random address could contain one of the short words.
  shop = await appliance.inbox(owner, { label: 'The Big Shop', routing_key: 'box-1' });
  bank = await appliance.inbox(owner, { routing_key: 'box-2' });
  const add = async (name: string, ...mail: Parameters<RunningAppliance['deliver']>) =>
    names.set(await appliance.deliver(...mail), name);
  await add('order', shop.address, {
    ...{ subject: 'Your Order № 12:30', from: 'Ann Ärmel <ann@shop.example>', to: ['Bob <bob@x.example>'] },
    ...{ cc: ['Carla <carla@x.example>'], tags: ['ci', 'nightly'] },
    content: { text: 'It is on\r\n  its way:\tGRÖSSE 12. 日本語のテキスト' },
  });
  await add('code', bank.address, {
    subject: 'Re: sign in',
    from: 'Bank <no-reply@bank.example>',
    otp: '482913',
    magic_link: 'https://b.example/x',
    ...{ has_html: true, raw: `Subject: x\r\n\r\n${'x'.repeat(5_000)}` },
    content: { text: ' ', html: '<head><style>.red{}</style></head><p>Only in <b>HTML</b> &amp; seen</p>' },
  });
  await add('bill', shop.address, {
    ...{ subject: 'Invoice', from: 'Ann <ann@shop.example>', attachment_count: 1 },
    content: { text: 'See the attached "file", please', attachments: [attachment('Rechnung-März.PDF')] },
  });
  await appliance.request('PATCH', `/api/v1/messages/${findId('bill')}`, {
    key: owner.key,
    body: { read: true },
  });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const findId = (name: string) => [...names].find(([, one]) => one === name)![0];

const cases: [query: string, found: string][] = [
  ['', 'bill code order'],
  ['  ""  ', 'bill code order'],
  // Words, anywhere in the mail.
  ['order', 'order'],
  ['ORD YOUR', 'order'],
  ['order invoice', ''],
  ['ärmel', 'order'],
  ['A\u0308rmel', 'order'],
  ['bob@x', 'order'],
  ['carla', 'order'],
  ['482913', 'code'],
  ['größe', ''],
  ['grösse', 'order'],
  ['attached', 'bill'],
  ['html', 'code'],
  ['red', ''],
  ['rechnung', ''],
  ['日本', 'order'],
  ['本語の', 'order'],
  ['語', 'order'],
  ['猫', ''],
  ['zq', ''],
  ['wa', 'order'],
  ['%', ''],
  ['_', ''],
  // Phrases.
  ['"on its way: grösse"', 'order'],
  ['"way its"', ''],
  ['"12:30"', 'order'],
  ['"Re:"', 'code'],
  ['"\\"file\\","', 'bill'],
  ['"html & seen"', 'code'],
  // Tokens.
  ['from:ann', 'bill order'],
  ['from:"ann ärmel"', 'order'],
  ['from:bob', ''],
  ['to:bob', 'order'],
  ['cc:carla', 'order'],
  ['to:carla', ''],
  ['subject:order', 'order'],
  ['subject:attached', ''],
  ['body:attached', 'bill'],
  ['body:invoice', ''],
  ['code:829', 'code'],
  ['inbox:"big shop"', 'bill order'],
  ['inbox:nowhere', ''],
  ['filename:märz.pdf', 'bill'],
  ['filename:invoice', ''],
  ['is:read', 'bill'],
  ['is:unread', 'code order'],
  ['has:code', 'code'],
  ['has:link', 'code'],
  ['has:attachment', 'bill'],
  ['has:html', 'code'],
  ['larger:4k', 'code'],
  ['smaller:4k', 'bill order'],
  ['larger:4m', ''],
  ['tag:ci', 'order'],
  ['tag:CI', 'order'],
  ['tag:c', ''],
  ['after:2020-01-01', 'bill code order'],
  ['after:2999-01-01', ''],
  ['before:2020-01-01', ''],
  ['before:2999-01-01T00:00:00Z', 'bill code order'],
  // Negated, and together.
  ['-order', 'bill code'],
  ['-"way its"', 'bill code order'],
  ['-from:ann', 'code'],
  ['-to:bob', 'bill code'],
  ['-cc:carla', 'bill code'],
  ['-subject:order', 'bill code'],
  ['-body:attached', 'code order'],
  ['-inbox:shop', 'code'],
  ['-code:482913', 'bill order'],
  ['-filename:pdf', 'code order'],
  ['-is:read', 'code order'],
  ['-is:unread', 'bill'],
  ['-has:code', 'bill order'],
  ['-has:attachment', 'code order'],
  ['-has:html -has:link', 'bill order'],
  ['-larger:4k', 'bill order'],
  ['-smaller:4k', 'code'],
  ['-tag:ci', 'bill code'],
  ['-after:2020-01-01', ''],
  ['-before:2020-01-01', 'bill code order'],
  ['from:ann -is:read', 'order'],
  ['tag:nightly from:bank', ''],
  ['has:attachment please', 'bill'],
];

test('each token is among the cases, with and without a minus', () => {
  for (const token of Object.keys(searchTokens)) {
    for (const minus of ['', '-']) {
      expect([
        token,
        cases.some(([query]) => query.split(' ').some((term) => term.startsWith(`${minus}${token}:`))),
      ]).toEqual([token, true]);
    }
  }
});

describe.each(['before', 'after'])('%s the messages are indexed', (when) => {
  beforeAll(async () => {
    if (when === 'after') await indexAll();
  });

  test.each(cases)('the search %s finds: %s', async (query, found) => expect(await find(query)).toBe(found));

  test('the list of an inbox can be searched', async () => {
    const path = `inboxes/${shop.id}/messages`;
    expect(await find('ann', path)).toBe('bill order');
    expect(await find('482913', path)).toBe('');
    expect(await find('tag:ci', path)).toBe('order');
    expect(await find('inbox:"the big"', path)).toBe('bill order');
    expect(await find('-order', path)).toBe('bill');
  });

  test('a search combines with the other filters', async () => {
    const filtered = async (query: string) => listNames((await get(`messages?${query}`)).json).join(' ');
    expect(await filtered('search=ann&read=false')).toBe('order');
    expect(await filtered('search=is:read&read=false')).toBe('');
    expect(await filtered('search=-order&has_otp=true')).toBe('code');
    expect(await filtered('search=ann&q=INVOICE')).toBe('bill');
    expect(await filtered('search=ann&subject_contains=order&from=armel')).toBe('');
  });

  test('a search never finds another account’s messages', async () => {
    const other = await appliance.holder();
    await appliance.inbox(other);
    for (const query of [
      'order',
      'from:ann',
      'tag:ci',
      'has:code',
      '-nothing',
      'is:unread',
      'inbox:shop',
      'wa',
    ]) {
      expect([query, (await ask(query, 'messages', other.key)).json.data]).toEqual([query, []]);
    }
    expect((await ask('order', `inboxes/${shop.id}/messages`, other.key)).status).toBe(404);
  });
});

test('a mail is found right after its 250 and once indexed, but never after it is deleted', async () => {
  const raw = 'From: a@x.example\r\nTo: q@x.example\r\nSubject: Fresh\r\n\r\nXylophone tunes\r\n';
  await sendMail({ port: appliance.smtpPort, from: 'a@x.example', to: [bank.address], raw });
  const { json } = await ask('xylophone');
  expect(json.data).toHaveLength(1);
  await indexAll();
  expect((await ask('xylophone')).json.data).toHaveLength(1);
  await appliance.request('DELETE', `/api/v1/messages/${json.data[0].id}`, { key: owner.key });
  expect((await ask('xylophone')).json.data).toEqual([]);
});

test('tags that are set later are found, and removed ones are not', async () => {
  const path = `/api/v1/messages/${findId('bill')}/tags`;
  await appliance.request('PUT', path, { key: owner.key, body: { tags: ['later'] } });
  expect(await find('tag:later')).toBe('bill');
  await appliance.request('PUT', path, { key: owner.key, body: { tags: [] } });
  expect(await find('tag:later')).toBe('');
});

test('a search at a tagged address finds only messages to it', async () => {
  const [local, domain] = shop.address.split('@');
  const to = `${local}+deals@${domain}`;
  const raw = 'From: a@x.example\r\nSubject: Ann has deals\r\n\r\nx\r\n';
  await sendMail({ port: appliance.smtpPort, from: 'a@x.example', to: [to], raw });
  const { json } = await ask('deals', `inboxes/${encodeURIComponent(to)}/messages`);
  expect(json.data.map((row: { envelope_recipient: string }) => row.envelope_recipient)).toEqual([to]);
  await indexAll();
  expect((await ask('ann', `inboxes/${encodeURIComponent(to)}/messages`)).json.data).toHaveLength(1);
  expect((await ask('to:+deals', 'messages')).json.data).toHaveLength(1);
});

test('a search has each message once over all pages, and refuses its cursors for another query', async () => {
  const holder = await appliance.holder();
  const inbox = await appliance.inbox(holder);
  const ids: string[] = [];
  for (let nth = 0; nth < 30; nth++) {
    // Longer than the random name of the inbox, which is searched too.
    const text = nth % 2 ? 'oddly-numbered' : 'evenly-numbered';
    ids.unshift(await appliance.deliver(inbox.address, { content: { text } }));
    if (nth === 20) await indexAll();
  }
  const found: string[] = [];
  let cursor = '';
  do {
    const path = `messages?limit=4&search=oddly-numbered${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { json } = await get(path, holder.key);
    found.push(...json.data.map(({ id }: { id: string }) => id));
    cursor = json.pagination.next_cursor ?? '';
    if (cursor)
      expect((await get(`messages?search=evenly-numbered&cursor=${cursor}`, holder.key)).status).toBe(422);
  } while (cursor);
  expect(found).toEqual(ids.filter((_, at) => at % 2 === 0));
});

test.each([
  ['for Re: hello', 'Re: hello'],
  ['for is:maybe', 'is:maybe'],
  ['for before:never', 'before:never'],
  ['for from: without a value', 'from:'],
  ['with a thousand terms', 'x '.repeat(1_000)],
  ['with a thousand and one characters', 'x'.repeat(1_001)],
])('a search %s is refused with 422, and the error names the parameter', async (_, query) => {
  for (const path of ['messages', `inboxes/${shop.id}/messages`]) {
    const { status, json } = await ask(query, path);
    expect([status, json.error.code, Object.keys(json.error.fields)]).toEqual([
      422,
      'validation_error',
      ['search'],
    ]);
  }
});

test.each([
  '\0',
  '"',
  '"""',
  '-',
  '--',
  '\\',
  '*',
  'AND',
  'NEAR(a b)',
  '\u{10e000}\ue000\ue001',
  'e',
  '  "  "',
])('the hostile search %j is answered', async (query) => expect((await ask(query)).status).toBe(200));

describe('an index serves every query', () => {
  const plain = { has_otp: false, read: null, q: null, subject_contains: null, from: null };
  const scopes = [{ inbox_no: 1 }, { account_no: 1 }];

  test.each(scopes.flatMap((scope) => [null, true, false].map((read) => ({ scope, read }))))(
    'to scan %j',
    ({ scope, read }) => {
      const plan = explainPlan(appliance, scanStatement(scope, { ...plain, read }));
      const index =
        'inbox_no' in scope
          ? { null: 'message_inbox', true: 'message_read', false: 'message_unread' }[String(read)]
          : `message_account${read === false ? '_unread' : ''}`;
      expect(plan).toContain(
        `SEARCH m USING INDEX ${index} (${Object.keys(scope)[0]}=? AND rowid>? AND rowid<?)`,
      );
      expect(plan).not.toContain('TEMP B-TREE');
    },
  );

  test('to compare one message, to list those of a tag, and to ask the text index', () => {
    for (const scope of scopes) {
      const one = explainPlan(appliance, candidateStatement(scope, plain));
      expect(one).toContain('SEARCH m USING INTEGER PRIMARY KEY (rowid=?)');
    }
    expect(explainPlan(appliance, TAGGED)).toBe(
      'SEARCH message_tag USING PRIMARY KEY (account_no=? AND tag=? AND received_at>? AND received_at<?)',
    );
    const asked = explainPlan(appliance, INDEX_HITS);
    expect(asked).toContain('SCAN f VIRTUAL TABLE INDEX');
    expect(asked).toContain('SEARCH s USING INTEGER PRIMARY KEY (rowid=?)');
    expect(asked).not.toContain('TEMP B-TREE');
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
