/** Conversations: which messages are one, what the API shows of them, and what remains after a deletion. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

let count = 0;
const newId = () => `<${++count}.${crypto.randomUUID()}@far.example>`;

interface Written {
  id?: string;
  to?: string;
  refs?: string[];
  subject?: string;
  /** Header lines in place of References. */
  head?: string;
}

function compose({ id, to, refs = [], subject = 'Order', head = '' }: Written): string {
  return [
    'From: Ann <ann@far.example>',
    'To: you@example.org',
    `Subject: ${subject}`,
    ...(id ? [`Message-ID: ${id}`] : []),
    ...(to ? [`In-Reply-To: ${to}`] : []),
    ...(refs.length > 0 ? [`References: ${refs.join('\r\n ')}`] : []),
    ...(head ? [head] : []),
    '',
    'text',
    '',
  ].join('\r\n');
}

const open = () => Mailbox.open(appliance);
const get = (box: Mailbox, path: string) =>
  appliance.request('GET', `/api/v1${path}`, { key: box.holder.key });
const remove = (box: Mailbox, path: string) =>
  appliance.request('DELETE', `/api/v1${path}`, { key: box.holder.key });
const idsIn = async (box: Mailbox, thread: string) =>
  (await get(box, `/threads/${thread}`)).json.data.messages.map(({ id }: { id: string }) => id);

describe('a thread', () => {
  test('of a single mail is shown with the mail', async () => {
    const box = await open();
    const id = newId();
    const mail = await box.receive(compose({ id }));
    expect(mail).toMatchObject({ message_id: id, in_reply_to: null, references: [] });
    expect(mail.thread_id).toMatch(/^thr_[0-9a-f]{32}$/);
    const { json } = await get(box, `/threads/${mail.thread_id}`);
    expect(json.data).toMatchObject({ id: mail.thread_id, subject: 'Order', message_count: 1 });
    expect(json.data.messages).toMatchObject([{ id: mail.id, direction: 'in', thread_id: mail.thread_id }]);
    expect(json.pagination).toEqual({ next_cursor: null, has_more: false });
  });

  test('keeps its id when replies come, and lists them oldest first', async () => {
    const box = await open();
    const [one, two] = [newId(), newId()];
    const first = await box.receive(compose({ id: one }));
    const second = await box.receive(compose({ id: two, to: one, refs: [one], subject: 'Re: Order' }));
    const third = await box.receive(
      compose({ id: newId(), to: two, refs: [one, two], subject: 'AW: Order' }),
    );
    expect(second).toMatchObject({ in_reply_to: one, references: [one], thread_id: first.thread_id });
    expect(third).toMatchObject({ in_reply_to: two, references: [one, two], thread_id: first.thread_id });
    expect((await box.message(first.id)).thread_id).toBe(first.thread_id);
    expect(await idsIn(box, first.thread_id)).toEqual([first.id, second.id, third.id]);
    const { json } = await get(box, '/threads');
    expect(json.data).toMatchObject([
      {
        id: first.thread_id,
        subject: 'Order',
        message_count: 3,
        latest_at: third.received_at,
        latest: { id: third.id, direction: 'in' },
      },
    ]);
    const { json: list } = await get(box, '/messages');
    expect(list.data.map(({ thread_id }: { thread_id: string }) => thread_id)).toEqual(
      Array(3).fill(first.thread_id),
    );
  });

  test('is never formed by the subject alone', async () => {
    const box = await open();
    const one = await box.receive(compose({ id: newId() }));
    const other = await box.receive(compose({ id: newId(), subject: 'Re: Order' }));
    expect(other.thread_id).not.toBe(one.thread_id);
  });

  test('includes a parent that arrives late', async () => {
    const box = await open();
    const [root, one, two] = [newId(), newId(), newId()];
    const reply = await box.receive(compose({ id: two, to: one, refs: [root, one] }));
    const late = await box.receive(compose({ id: one, to: root, refs: [root] }));
    const latest = await box.receive(compose({ id: root }));
    expect([late.thread_id, latest.thread_id]).toEqual([reply.thread_id, reply.thread_id]);
    expect(await idsIn(box, reply.thread_id)).toEqual([reply.id, late.id, latest.id]);
  });

  test('merged from two keeps the older id, and the other id leads to it', async () => {
    const box = await open();
    const [a, b, c, d] = [newId(), newId(), newId(), newId()];
    const one = await box.receive(compose({ id: a }));
    const other = await box.receive(compose({ id: b }));
    const second = await box.receive(compose({ id: c, to: b }));
    expect(second.thread_id).toBe(other.thread_id);
    const both = await box.receive(compose({ id: d, to: b, refs: [a, b] }));
    expect(both.thread_id).toBe(one.thread_id);
    expect((await box.message(second.id)).thread_id).toBe(one.thread_id);
    const all = [one.id, other.id, second.id, both.id];
    expect(await idsIn(box, one.thread_id)).toEqual(all);
    expect(await idsIn(box, other.thread_id)).toEqual(all);
    expect((await get(box, `/threads/${other.thread_id}`)).json.data.id).toBe(one.thread_id);
    expect((await get(box, '/threads')).json.data.map(({ id }: { id: string }) => id)).toEqual([
      one.thread_id,
    ]);
  });

  test('has all copies of a mail that went to several inboxes of an account', async () => {
    const box = await open();
    const other = await Mailbox.open(appliance, {}, box.holder);
    const stranger = await open();
    const id = newId();
    const to = [box.address, other.address, stranger.address];
    await sendMail({ port: appliance.smtpPort, from: 'a@far.example', to, raw: compose({ id }) });
    const [one, two, foreign] = [await box.latest(), await other.latest(), await stranger.latest()];
    expect(two.thread_id).toBe(one.thread_id);
    expect(await idsIn(box, one.thread_id)).toEqual([one.id, two.id]);
    expect(await idsIn(stranger, foreign.thread_id)).toEqual([foreign.id]);
    // The same mail once more, as a mailing list sends it.
    const copy = await box.receive(compose({ id }));
    expect(copy.thread_id).toBe(one.thread_id);
    // It is also one mail without a Message-ID.
    await sendMail({ port: appliance.smtpPort, from: 'a@far.example', to, raw: compose({}) });
    expect((await other.latest()).thread_id).toBe((await box.latest()).thread_id);
  });

  test('never crosses accounts, whatever a mail claims to answer', async () => {
    const [box, thief] = [await open(), await open()];
    const id = newId();
    const mail = await box.receive(compose({ id }));
    const forged = await thief.receive(compose({ id: newId(), to: id, refs: [id] }));
    expect(forged.thread_id).not.toBe(mail.thread_id);
    expect(await idsIn(box, mail.thread_id)).toEqual([mail.id]);
    expect((await get(thief, `/threads/${mail.thread_id}`)).status).toBe(404);
    expect(await idsIn(thief, forged.thread_id)).toEqual([forged.id]);
  });
});

describe('the header of a mail', () => {
  const headers: [string, (id: string) => string][] = [
    [
      'folded before and within an id',
      (id) => `References: \r\n <x@y.example>\r\n\t${id.slice(0, 9)}\r\n ${id.slice(9)}`,
    ],
    ['without brackets', (id) => `In-Reply-To: ${id.slice(1, -1)}`],
    ['with words around', (id) => `In-Reply-To: Your message of "Tue, 1 Nov" <t@u.example>, ${id} (Ann)`],
    ['with commas', (id) => `References: <x@y.example>,${id},<z@y.example>`],
    ['twice', (id) => `References: <x@y.example>\r\nReferences: ${id}`],
    ['in In-Reply-To with several', (id) => `In-Reply-To: ${id} <x@y.example>`],
  ];
  test.each(headers)('is read correctly %s', async (_, write) => {
    const box = await open();
    const id = newId();
    const first = await box.receive(compose({ id }));
    const reply = await box.receive(compose({ id: newId(), head: write(id) }));
    expect(reply.thread_id).toBe(first.thread_id);
  });

  test('may refer to itself, to a thousand others, or to nonsense', async () => {
    const box = await open();
    const own = newId();
    const self = await box.receive(compose({ id: own, to: own, refs: [own, own] }));
    expect(self).toMatchObject({ in_reply_to: own, references: [own] });
    expect(await idsIn(box, self.thread_id)).toEqual([self.id]);

    const [a, b] = [newId(), newId()];
    const one = await box.receive(compose({ id: a, refs: [b] }));
    const two = await box.receive(compose({ id: b, refs: [a] }));
    expect(two.thread_id).toBe(one.thread_id);

    const many = Array.from({ length: 1_000 }, newId);
    const last = await box.receive(compose({ id: many.at(-1)! }));
    const long = await box.receive(compose({ id: newId(), to: many.at(-1)!, refs: many }));
    expect(long.references).toHaveLength(30);
    expect(long.references[0]).toBe(many[0]);
    expect(long.references.at(-1)).toBe(many.at(-1));
    expect(long.thread_id).toBe(last.thread_id);

    for (const junk of [
      '<',
      '>',
      '<>',
      '<<<<',
      '"',
      '<\t>',
      '(((',
      '=?utf-8?q?x?=',
      '<a b@c>',
      '\u0001@x',
      '@',
    ]) {
      const mail = await box.receive(
        compose({ id: junk, head: `In-Reply-To: ${junk}\r\nReferences: ${junk} ${junk}` }),
      );
      expect((await get(box, `/threads/${mail.thread_id}`)).status).toBe(200);
    }
    const flood = await box.receive(compose({ head: `References: ${'<'.repeat(60_000)}` }));
    expect(flood.references).toEqual([]);
  });
});

describe('reply_text', () => {
  test('is the text of a reply without the quoted mail, and the whole text of other mail', async () => {
    const box = await open();
    const quote = 'On 21/11/2026 10:00, Ann wrote:\r\n> Shall we?\r\n';
    const write = (head: string, body: string) => `Subject: x\r\n${head}\r\n\r\n${body}`;
    const reply = await box.receive(write('In-Reply-To: <a@far.example>', `Yes.\r\n\r\n${quote}`));
    expect(reply.reply_text).toBe('Yes.');
    expect(reply.text).toContain('> Shall we?');
    const other = await box.receive(write('X-Mailer: x', `Yes.\r\n\r\n${quote}`));
    expect(other.reply_text).toBe(other.text);
    const html = '<p>Yes.</p><blockquote type="cite">Shall we?</blockquote>';
    const head = 'References: <a@far.example>\r\nContent-Type: text/html';
    expect(await box.receive(write(head, html))).toMatchObject({ text: '', reply_text: 'Yes.' });
  });
});

describe('pages', () => {
  test('show each message of a thread once, and each thread', async () => {
    const box = await open();
    const root = newId();
    const sent: string[] = [];
    for (let at = 0; at < 7; at++)
      sent.push(
        (await box.receive(compose({ id: at === 0 ? root : newId(), refs: at === 0 ? [] : [root] }))).id,
      );
    const alone = [await box.receive(compose({ id: newId() })), await box.receive(compose({ id: newId() }))];
    const thread = (await box.message(sent[0]!)).thread_id;
    const read = async (path: string, rows: (json: { data: never }) => { id: string }[]) => {
      const ids: string[] = [];
      let cursor = '';
      do {
        const { json } = await get(box, `${path}?limit=2${cursor && `&cursor=${cursor}`}`);
        ids.push(...rows(json).map(({ id }) => id));
        cursor = json.pagination.next_cursor ?? '';
      } while (cursor);
      return ids;
    };
    expect(
      await read(`/threads/${thread}`, ({ data }: { data: { messages: { id: string }[] } }) => data.messages),
    ).toEqual(sent);
    const threads = [alone[1].thread_id, alone[0].thread_id, thread];
    expect(await read('/threads', ({ data }: { data: { id: string }[] }) => data)).toEqual(threads);
    // A reply brings its thread to the top.
    await box.receive(compose({ id: newId(), to: root }));
    expect(await read('/threads', ({ data }: { data: { id: string }[] }) => data)).toEqual([
      thread,
      ...threads.slice(0, 2),
    ]);
    const { json } = await get(box, `/threads/${thread}?limit=2`);
    const foreign = await get(box, `/threads?cursor=${json.pagination.next_cursor}`);
    expect([foreign.status, Object.keys(foreign.json.error.fields)]).toEqual([422, ['cursor']]);
  });
});

describe('after a deletion', () => {
  test('of its first message, a thread keeps its id', async () => {
    const box = await open();
    const [a, b] = [newId(), newId()];
    const one = await box.receive(compose({ id: a, subject: 'First' }));
    const two = await box.receive(compose({ id: b, to: a, subject: 'Second' }));
    await remove(box, `/messages/${one.id}`);
    const three = await box.receive(compose({ id: newId(), to: a }));
    expect(three.thread_id).toBe(one.thread_id);
    expect(await idsIn(box, one.thread_id)).toEqual([two.id, three.id]);
    const { json } = await get(box, '/threads');
    expect(json.data).toMatchObject([{ id: one.thread_id, subject: 'Second', message_count: 2 }]);
    await remove(box, `/messages/${three.id}`);
    expect((await get(box, '/threads')).json.data).toMatchObject([
      { latest: { id: two.id }, latest_at: two.received_at },
    ]);
  });

  test('of all messages, the inbox or the account, nothing of a thread is left', async () => {
    await using own = await startAppliance({ settings: { limits: 'off' } });
    const count = () => countRows(own, 'thread') + countRows(own, 'thread_ref');
    const fill = async (box: Mailbox) => {
      const [a, b] = [newId(), newId()];
      const mails = [
        compose({ id: a, refs: [newId()] }),
        compose({ id: b, to: a, refs: [newId(), a] }),
        compose({ refs: [newId()] }),
      ];
      const ids: string[] = [];
      for (const mail of mails) ids.push((await box.receive(mail)).id);
      return ids;
    };
    const box = await Mailbox.open(own);
    const ids = await fill(box);
    expect(count()).toBeGreaterThan(3);
    for (const id of ids) await own.request('DELETE', `/api/v1/messages/${id}`, { key: box.holder.key });
    expect(count()).toBe(0);

    const other = await Mailbox.open(own);
    await fill(other);
    await own.request('DELETE', `/api/v1/inboxes/${other.id}`, { key: other.holder.key });
    expect((await own.request('GET', '/api/v1/threads', { key: other.holder.key })).json.data).toEqual([]);
    const { messageJobs } = await import('../../../src/features/messages/jobs.ts');
    await own.run(messageJobs[0]!);
    expect(count()).toBe(0);
  });
});
