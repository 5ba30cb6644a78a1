/** Mail of earlier versions gets its threads while the server runs. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadJobs } from '../../../src/features/messages/threads/jobs.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { findUnsound } from '../../store-file.ts';
import { forgetThreads, spoilContent } from '../../store-state.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-threads-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** No job runs unless a test runs it. */
const start = () =>
  startAppliance({ dataDir: dir, clock: new FakeClock(), logLevel: 'info', settings: { limits: 'off' } });

const mail = (id: string, refs: string[], body = 'x') =>
  [
    `Subject: ${id}`,
    `Message-ID: <${id}@far.example>`,
    ...refs.slice(-1).map((ref) => `In-Reply-To: <${ref}@far.example>`),
    ...(refs.length > 0 ? [`References: ${refs.map((ref) => `<${ref}@far.example>`).join('\r\n ')}`] : []),
    '',
    body,
    '',
  ].join('\r\n');

/** What a client can see of the conversations: each thread's messages. */
async function readThreads(appliance: RunningAppliance, key: string): Promise<unknown> {
  const read = async (path: string) => (await appliance.request('GET', `/api/v1${path}`, { key })).json.data;
  const threads: { id: string; message_count: number; subject: string }[] = await read('/threads?limit=100');
  return Promise.all(
    threads.map(async ({ id, message_count, subject }) => ({
      id,
      message_count,
      subject,
      messages: await Promise.all(
        ((await read(`/threads/${id}`)).messages as { id: string; thread_id: string }[]).map(
          async (member) => {
            const { thread_id, in_reply_to, references, reply_text } = await read(`/messages/${member.id}`);
            return { id: member.id, thread_id, in_reply_to, references, reply_text: reply_text.trim() };
          },
        ),
      ),
    })),
  );
}

test('mail stored by an earlier version is put into the same threads as new mail', async () => {
  let key = '';
  let before: unknown;
  let addresses: string[] = [];
  {
    await using appliance = await start();
    const box = await Mailbox.open(appliance);
    const other = await Mailbox.open(appliance, {}, box.holder);
    key = box.holder.key;
    addresses = [box.address, other.address];
    const large = 'a longer line of text\r\n'.repeat(40_000);
    await box.receive(mail('alone', []));
    await box.receive(mail('late-reply', ['late-root', 'late-parent']));
    await box.receive(mail('root', []));
    await box.receive(mail('answer', ['root'], large));
    await box.receive(
      mail('late-parent', ['late-root'], 'Yes.\r\n\r\nOn 21/11/2026 10:00, Ann wrote:\r\n> No?'),
    );
    await sendMail({ port: appliance.smtpPort, from: 'a@far.example', to: addresses, raw: mail('both', []) });
    await other.receive(mail('answer to both', ['both']));
    await other.receive(mail('one', []));
    await other.receive(mail('two', []));
    await other.receive(mail('joint', ['one', 'two']));
    before = await readThreads(appliance, key);
  }
  forgetThreads({ dataDir: dir });
  await using appliance = await start();
  const read = () => appliance.request('GET', '/api/v1/threads?limit=100', { key });
  expect((await read()).json.data).toHaveLength(11);
  // Mail that arrives before the old mail has its threads.
  const [address = ''] = addresses;
  await sendMail({
    port: appliance.smtpPort,
    from: 'a@far.example',
    to: [address],
    raw: mail('new', ['root']),
  });
  for (const job of threadJobs) await appliance.run(job);
  const after = (await readThreads(appliance, key)) as { subject: string; messages: unknown[] }[];
  const grown = after.find(({ subject }) => subject === 'root')!;
  expect(grown.messages).toHaveLength(3);
  const sorted = (threads: unknown) =>
    (threads as { id: string }[]).toSorted((one, two) => (one.id < two.id ? -1 : 1));
  const others = (threads: unknown) =>
    sorted(threads).filter((thread) => (thread as unknown as { subject: string }).subject !== 'root');
  expect(others(after)).toEqual(others(before));
  expect(findUnsound(join(dir, 'postern.db'))).toEqual([]);
});

test('a damaged mail of an earlier version does not keep later ones out of their threads', async () => {
  let key = '';
  let damaged = '';
  {
    await using appliance = await start();
    const box = await Mailbox.open(appliance);
    key = box.holder.key;
    await box.receive(mail('first', []));
    await box.receive(mail('damaged', ['first'], 'a line of text\r\n'.repeat(10_000)));
    await box.receive(mail('second', []));
    await box.receive(mail('answer', ['second']));
    const { json } = await appliance.request('GET', `/api/v1/messages?limit=4`, { key });
    damaged = json.data[2].id;
  }
  forgetThreads({ dataDir: dir });
  spoilContent({ dataDir: dir }, damaged);
  await using appliance = await start();
  for (const job of threadJobs) await appliance.run(job);
  const { json } = await appliance.request('GET', '/api/v1/threads?limit=100', { key });
  expect(json.data.map((thread: { message_count: number }) => thread.message_count)).toEqual([2, 2]);
});
