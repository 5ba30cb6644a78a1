/** Messages that are deleted after the reader thread has listed them, and before the main thread shows them. */
import { afterAll, afterEach, beforeAll, expect, type Mock, spyOn, test } from 'bun:test';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
let box: Mailbox;
let reading: Mock<RunningAppliance['services']['store']['read']> | null = null;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
});
afterAll(() => appliance[Symbol.asyncDispose]());
afterEach(() => reading?.mockRestore());

interface Mail {
  id: string;
  thread_id: string;
}

/** Mails that answer each other, oldest first. */
async function converse(...subjects: string[]): Promise<Mail[]> {
  const conversation = crypto.randomUUID();
  const mails: Mail[] = [];
  for (const [index, subject] of subjects.entries()) {
    const before = index === 0 ? '' : `In-Reply-To: <${index - 1}.${conversation}@far.example>\r\n`;
    const ids = `Message-ID: <${index}.${conversation}@far.example>\r\n${before}`;
    mails.push(
      await box.receive(
        `From: ann@far.example\r\nTo: x@y.example\r\nSubject: ${subject}\r\n${ids}\r\ntext\r\n`,
      ),
    );
  }
  return mails;
}

const ask = (method: string, path: string) =>
  appliance.request(method, `/api/v1${path}`, { key: box.holder.key });
const listSubjects = (list: { subject: string }[]) => list.map(({ subject }) => subject);

/** Deletes these messages, one after each time that the reader thread has read threads. Returns how often it did. */
function deleteAfterReads(...messages: Mail[]): () => number {
  const { store } = appliance.services;
  const read = store.read.bind(store);
  let reads = 0;
  const wrapped: typeof store.read = async (operation, input, options) => {
    const output = await read(operation, input, options);
    if (operation.name.startsWith('threads.')) {
      const message = messages[reads++];
      if (message) expect((await ask('DELETE', `/messages/${message.id}`)).status).toBe(204);
    }
    return output;
  };
  reading = spyOn(store, 'read').mockImplementation(wrapped);
  return () => reads;
}

test('a thread whose first message is deleted between two reads is shown with what is left', async () => {
  box = await Mailbox.open(appliance);
  const [one, two, three] = (await converse('First', 'Second', 'Third')) as [Mail, Mail, Mail];
  deleteAfterReads(one);
  const { status, json } = await ask('GET', `/threads/${one.thread_id}`);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ id: one.thread_id, subject: 'Second', message_count: 2 });
  expect(json.data.messages).toMatchObject([{ id: two.id }, { id: three.id }]);
});

test('a later page of a thread whose first message is deleted between two reads is shown with what is left', async () => {
  box = await Mailbox.open(appliance);
  const [one, , three] = (await converse('First', 'Second', 'Third')) as [Mail, Mail, Mail];
  const { json: first } = await ask('GET', `/threads/${one.thread_id}?limit=2`);
  deleteAfterReads(one);
  const cursor = first.pagination.next_cursor;
  const { status, json } = await ask('GET', `/threads/${one.thread_id}?limit=2&cursor=${cursor}`);
  expect([status, json.data.subject, json.data.message_count]).toEqual([200, 'Second', 2]);
  expect(json.data.messages).toMatchObject([{ id: three.id }]);
});

test('the number of messages matches those shown when one in the middle is deleted', async () => {
  box = await Mailbox.open(appliance);
  const [one, two] = (await converse('First', 'Second', 'Third')) as [Mail, Mail];
  deleteAfterReads(two);
  const { json } = await ask('GET', `/threads/${one.thread_id}`);
  expect([json.data.message_count, listSubjects(json.data.messages)]).toEqual([2, ['First', 'Third']]);
});

test('a thread whose last message is deleted between two reads is not found', async () => {
  box = await Mailbox.open(appliance);
  const [alone] = (await converse('Alone')) as [Mail];
  deleteAfterReads(alone);
  expect((await ask('GET', `/threads/${alone.thread_id}`)).status).toBe(404);
});

test('reading a thread that is being deleted mail by mail ends after a few attempts', async () => {
  box = await Mailbox.open(appliance);
  const mails = await converse(...Array.from({ length: 8 }, (_, index) => `Mail ${index}`));
  const countReads = deleteAfterReads(...mails.toReversed());
  const { status, json } = await ask('GET', `/threads/${mails[0]!.thread_id}`);
  expect([status, countReads()]).toEqual([200, 3]);
  expect(listSubjects(json.data.messages)).toEqual([0, 1, 2, 3, 4].map((index) => `Mail ${index}`));
});

test.each([
  ['first', 0, 'Re: B'],
  ['latest', 1, 'B'],
])(
  'a list has a thread whose %s message is deleted between two reads, and continues after it',
  async (_, index, left) => {
    box = await Mailbox.open(appliance);
    await converse('A');
    const mails = await converse('B', 'Re: B');
    await converse('C');
    deleteAfterReads(mails[index]!);
    const { json } = await ask('GET', '/threads?limit=2');
    expect([listSubjects(json.data), json.pagination.has_more]).toEqual([['C', left], true]);
    expect(json.data[1]).toMatchObject({ message_count: 1, latest: { id: mails[1 - index]!.id } });
    const { json: rest } = await ask('GET', `/threads?limit=2&cursor=${json.pagination.next_cursor}`);
    expect([listSubjects(rest.data), rest.pagination.has_more]).toEqual([['A'], false]);
  },
);

test('a list whose thread was read in vain three times shows the others and still has a cursor', async () => {
  box = await Mailbox.open(appliance);
  await converse('Oldest');
  const mails: Mail[] = [];
  for (const subject of ['A', 'B', 'C', 'D', 'E', 'F']) mails.push(...(await converse(subject)));
  const countReads = deleteAfterReads(...mails.toReversed());
  const { json } = await ask('GET', '/threads?limit=2');
  expect([countReads(), listSubjects(json.data), json.pagination.has_more]).toEqual([3, ['C'], true]);
});
