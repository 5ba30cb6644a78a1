/** Emails that an account sends are in the thread that they answer, and so are the replies to them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { forgetEmailsOp } from '../../../src/features/outbound/writes.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { countRows, markSent } from '../../store-state.ts';
import { Sender } from '../outbound/sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

async function receive(head: string) {
  const raw = `From: ann@far.example\r\nSubject: Order\r\n${head}\r\n\r\ntext\r\n`;
  const to = [sender.inbox.address];
  await sendMail({ port: sender.appliance.smtpPort, from: 'ann@far.example', to, raw });
  return (await sender.get(`/inboxes/${sender.inbox.id}/messages/latest`)).json.data;
}
const read = async (id: string) => (await sender.get(`/threads/${id}`)).json.data;
const reply = async (id: string) =>
  (await sender.post(`/inboxes/${sender.inbox.id}/messages/${id}/reply`, { body_text: 'Thank you' })).json
    .data;

test('a reply is in the thread of the message, and so is the answer to it', async () => {
  const first = await receive('Message-ID: <one@far.example>');
  const sent = await reply(first.id);
  expect(sent).toMatchObject({
    thread_id: first.thread_id,
    in_reply_to: '<one@far.example>',
    references: ['<one@far.example>'],
    reply_text: 'Thank you',
  });
  const answer = await receive(`Message-ID: <two@far.example>\r\nIn-Reply-To: ${sent.message_id}`);
  expect(answer.thread_id).toBe(first.thread_id);
  const thread = await read(first.thread_id);
  expect(thread.messages).toMatchObject([
    { direction: 'in', id: first.id },
    { direction: 'out', id: sent.id, status: 'queued', to: ['ann@far.example'] },
    { direction: 'in', id: answer.id },
  ]);
  expect(thread.message_count).toBe(3);
  const page = (await sender.get(`/threads/${first.thread_id}?limit=2`)).json;
  const next = (await sender.get(`/threads/${first.thread_id}?limit=2&cursor=${page.pagination.next_cursor}`))
    .json;
  expect([...page.data.messages, ...next.data.messages]).toEqual(thread.messages);
});

test('a reply to a message without a Message-ID is in the thread of that message', async () => {
  const first = await receive('X-Without: a Message-ID');
  const sent = await reply(first.id);
  expect(sent).toMatchObject({ thread_id: first.thread_id, in_reply_to: null, references: [] });
  expect((await read(first.thread_id)).messages).toHaveLength(2);
});

test('an email that is sent begins a thread, which ends when it is forgotten', async () => {
  const rows = countRows(sender.appliance, 'thread');
  const { data } = (await sender.send({ subject: 'Hello', body_text: 'Hi' })).json;
  expect(data.thread_id).toBe(data.id.replace('out_', 'thr_'));
  const { json } = await sender.get('/threads?limit=1');
  expect(json.data).toMatchObject([
    { id: data.thread_id, subject: 'Hello', message_count: 1, latest: { id: data.id, direction: 'out' } },
  ]);
  const answer = await receive(`Message-ID: <three@far.example>\r\nReferences: ${data.message_id}`);
  expect(answer.thread_id).toBe(data.thread_id);
  markSent(sender.appliance, data.id);
  const accountNo = sender.owner.account.no;
  const before = Number.MAX_SAFE_INTEGER;
  await sender.appliance.services.store.write(forgetEmailsOp, { account_no: accountNo, before, max: 100 });
  expect((await read(data.thread_id)).messages).toMatchObject([{ id: answer.id }]);
  expect((await read(data.thread_id)).message_count).toBe(1);
  await sender.appliance.request('DELETE', `/api/v1/messages/${answer.id}`, { key: sender.owner.key });
  expect((await sender.get(`/threads/${data.thread_id}`)).status).toBe(404);
  expect(countRows(sender.appliance, 'thread')).toBe(rows);
});
