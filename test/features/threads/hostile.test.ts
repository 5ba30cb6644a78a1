/** What a sender can do to conversations: ids that are too long, repeated, or joined by a late parent; what is kept out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const ask = async (box: Mailbox, method: string, path: string, body?: unknown) =>
  (await appliance.request(method, `/api/v1${path}`, { key: box.holder.key, body })).json?.data;

interface MailFields {
  id?: string;
  to?: string;
  refs?: string[];
  from?: string;
}

const compose = ({ id, to, refs = [], from = 'a@else.test' }: MailFields) =>
  [
    `From: ${from}`,
    'Subject: Talk',
    ...(id === undefined ? [] : [`Message-ID: ${id}`]),
    ...(to === undefined ? [] : [`In-Reply-To: ${to}`]),
    ...(refs.length === 0 ? [] : [`References: ${refs.join('\r\n ')}`]),
    '',
    'Text\r\n',
  ].join('\r\n');

const newId = () => `<${crypto.randomUUID()}@else.test>`;

describe('a Message-ID', () => {
  test('of 10 KB is ignored, and the mail is stored in a thread of its own', async () => {
    const box = await Mailbox.open(appliance);
    const long = `<${'x'.repeat(10_000)}@else.test>`;
    const parent = newId();
    await box.receive(compose({ id: parent }));
    const first = await box.receive(compose({ id: long, to: parent }));
    const second = await box.receive(compose({ id: newId(), to: long, refs: [long] }));
    expect(first.thread_id).not.toBe(second.thread_id);
    expect(second).toMatchObject({ in_reply_to: null, references: [] });
    expect((await ask(box, 'GET', `/threads/${first.thread_id}`)).messages).toHaveLength(2);
  });

  test('that many mails claim puts them into one thread, each once', async () => {
    const box = await Mailbox.open(appliance);
    const id = newId();
    const ids: string[] = [];
    for (let copy = 0; copy < 5; copy++) ids.push((await box.receive(compose({ id }))).id);
    const [thread, ...more] = await ask(box, 'GET', '/threads');
    expect([thread.message_count, more]).toEqual([5, []]);
    const { messages } = await ask(box, 'GET', `/threads/${thread.id}`);
    expect(messages.map((one: { id: string }) => one.id)).toEqual(ids);
  });
});

describe('references', () => {
  test('that form a circle make one thread', async () => {
    const box = await Mailbox.open(appliance);
    const ids = [newId(), newId(), newId()];
    for (const [at, id] of ids.entries())
      await box.receive(compose({ id, to: ids[(at + 1) % 3]!, refs: [...ids, id] }));
    const threads = await ask(box, 'GET', '/threads');
    expect(threads).toMatchObject([{ message_count: 3 }]);
  });

  test('by the thousand keep only the first and the last ones, and are read quickly', async () => {
    const box = await Mailbox.open(appliance);
    const [first, last] = [newId(), newId()];
    const [root, other] = [
      await box.receive(compose({ id: first })),
      await box.receive(compose({ id: last })),
    ];
    const middle = Array.from({ length: 998 }, newId);
    const began = performance.now();
    const late = await box.receive(compose({ id: newId(), refs: [first, ...middle, last] }));
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(late.thread_id).toBe(root.thread_id);
    expect((await box.message(other.id)).thread_id).toBe(root.thread_id);
  });
});

describe('a late parent', () => {
  test('joins what is left of two threads, even after a message in the middle of one was deleted', async () => {
    const box = await Mailbox.open(appliance);
    const [a, b] = [newId(), newId()];
    const fill = async (to: string) => {
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) ids.push((await box.receive(compose({ id: newId(), to }))).id);
      return ids;
    };
    const [one, two] = [await fill(a), await fill(b)];
    for (const id of [one[0]!, one[2]!, two[4]!]) await ask(box, 'DELETE', `/messages/${id}`);
    const parent = await box.receive(compose({ id: newId(), refs: [a, b] }));
    const { messages, message_count } = await ask(box, 'GET', `/threads/${parent.thread_id}`);
    const left = [one[1], one[3], one[4], two[0], two[1], two[2], two[3], parent.id];
    expect(messages.map(({ id }: { id: string }) => id)).toEqual(left);
    expect(message_count).toBe(left.length);
  });
});

describe('a withheld mail', () => {
  test('is in no thread until it is accepted, and joins none for others', async () => {
    const box = await Mailbox.open(appliance);
    await ask(box, 'PUT', `/inboxes/${box.id}/senders`, { block: ['spam.test'] });
    const [a, b, c] = [newId(), newId(), newId()];
    const first = await box.receive(compose({ id: a }));
    await box.send(compose({ id: b, to: a, from: 'x@spam.test' }));
    const third = await box.receive(compose({ id: c, to: b }));
    expect(third.thread_id).not.toBe(first.thread_id);
    expect(await ask(box, 'GET', '/threads')).toMatchObject([{ message_count: 1 }, { message_count: 1 }]);
    const [withheld] = await ask(box, 'GET', `/inboxes/${box.id}/withheld`);
    await ask(box, 'POST', `/messages/${withheld.id}/accept`);
    expect(await ask(box, 'GET', '/threads')).toMatchObject([{ id: first.thread_id, message_count: 3 }]);
    expect((await box.message(third.id)).thread_id).toBe(first.thread_id);
  });
});

describe('a thread over two inboxes', () => {
  test('shows what is left when one of them is deleted', async () => {
    const box = await Mailbox.open(appliance);
    const other = await Mailbox.open(appliance, {}, box.holder);
    const id = newId();
    const first = await box.receive(compose({ id }));
    const second = await other.receive(compose({ id: newId(), to: id }));
    const third = await box.receive(compose({ id: newId(), to: id }));
    await ask(other, 'DELETE', `/inboxes/${other.id}`);
    const { messages, subject } = await ask(box, 'GET', `/threads/${first.thread_id}`);
    expect(messages.map((one: { id: string }) => one.id)).toEqual([first.id, third.id]);
    expect(JSON.stringify(messages)).not.toContain(second.id);
    expect(subject).toBe('Talk');
  });
});
