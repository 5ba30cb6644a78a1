/** A mail that the disk has damaged keeps no client of Mailpit or MailHog from the others, and is never empty or gone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { inflateContent, loseMail, losePiece, misstateSize, spoilContent } from '../../store-state.ts';
import { type CompatScene, openScene, plainMail, richMail } from './scene.ts';

const expectedFaults = /could not be read|interface failed/;
const UNREADABLE = 'This message could not be read: the store is damaged.';

let scene: CompatScene;
beforeAll(async () => {
  scene = await openScene();
});
beforeEach(async () => void (await scene.ask('DELETE', '/api/v1/messages')));
afterAll(async () => {
  const logged = [...scene.trap.logged];
  await scene[Symbol.asyncDispose]();
  expect(logged.filter((line) => !expectedFaults.test(line))).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
async function read(path: string): Promise<any> {
  const response = await scene.ask('GET', path);
  return response.status === 200 ? await response.json() : response.status;
}

/** Sends three mails, and returns the id of the second. */
async function sendThree(second = richMail('Broken')): Promise<string> {
  await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'First', text: 'apple' }) });
  await scene.send({ to: ['jane@example.org', 'bob@example.org'], raw: second });
  await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'Third', text: 'banana' }) });
  return (await read('/api/v1/messages')).messages[1].ID;
}

const damages = [
  ['is missing', loseMail],
  ['is unreadable', spoilContent],
  ['has another size than its row says', misstateSize],
] as const;

describe.each(damages)('when a mail %s', (_, damage) => {
  test("Mailpit's list has all mails, and what is known of the damaged one", async () => {
    const id = await sendThree();
    damage(scene.trap, id);
    const { count, messages } = await read('/api/v1/messages');
    expect(messages.map(({ Subject }: { Subject: string }) => Subject)).toEqual(['Third', 'Broken', 'First']);
    expect(count).toBe(3);
    expect(messages[1]).toMatchObject({
      ID: id,
      From: { Name: 'App, Inc.', Address: 'app@example.com' },
      To: [{ Name: 'Jane Doe', Address: 'jane@example.org' }, { Address: 'bob@example.org' }],
      Snippet: UNREADABLE,
    });
  });

  test.each([
    ['apple', ['First']],
    ['-apple', ['Third', 'Broken']],
    ['broken', ['Broken']],
    ['jane@example.org', ['Third', 'Broken', 'First']],
    ['reply-to:help', []],
    ['message-id:rich', []],
    ['has:attachment', []],
    ['has:inline', []],
  ])("Mailpit's search for %s still finds the others", async (query, subjects) => {
    damage(scene.trap, await sendThree());
    const { messages } = await read(`/api/v1/search?query=${encodeURIComponent(query)}`);
    expect(messages.map(({ Subject }: { Subject: string }) => Subject)).toEqual(subjects);
  });

  test("MailHog's list and searches have all mails, and what is known of the damaged one", async () => {
    const id = await sendThree();
    damage(scene.trap, id);
    const all = await read('/api/v2/messages');
    expect(all).toMatchObject({ total: 3, count: 3 });
    expect(all.items[1]).toMatchObject({
      ID: id,
      From: { Mailbox: 'app', Domain: 'example.com' },
      To: [{ Mailbox: 'jane' }, { Mailbox: 'bob' }],
      Content: { Headers: { Subject: ['Broken'] }, Body: UNREADABLE },
    });
    const subjects = async (kind: string, query: string) =>
      (await read(`/api/v2/search?kind=${kind}&query=${query}`)).items.map(
        // biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
        ({ Content }: any) => Content.Headers.Subject[0],
      );
    expect(await subjects('from', 'app@example.com')).toEqual(['Third', 'Broken', 'First']);
    expect(await subjects('to', 'bob')).toEqual(['Broken']);
    expect(await subjects('containing', 'banana')).toEqual(['Third']);
  });

  test('opening it is an internal error, and it can be marked and deleted', async () => {
    const id = await sendThree();
    damage(scene.trap, id);
    for (const path of [`message/${id}`, `message/${id}/raw`, `message/${id}/headers`, `messages/${id}`])
      expect([path, await read(`/api/v1/${path}`)]).toEqual([path, 500]);
    expect(await read(`/view/${id}.html`)).toBe(500);
    const body = JSON.stringify({ IDs: [id], Read: true });
    expect((await scene.ask('PUT', '/api/v1/messages', { body })).status).toBe(200);
    expect((await read('/api/v1/messages')).messages[1].Read).toBe(true);
    expect((await scene.ask('DELETE', `/api/v1/messages/${id}`)).status).toBe(200);
    expect((await read('/api/v1/messages')).count).toBe(2);
  });
});

test("a large mail with a lost piece is whole neither in MailHog's list nor alone", async () => {
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(600_000))).toString('base64');
  const id = await sendThree(plainMail({ subject: 'Large', text: text.replace(/.{76}/g, '$&\r\n') }));
  losePiece(scene.trap, id, 1);
  const { items } = await read('/api/v2/messages');
  expect(items).toHaveLength(3);
  expect(items[1].Content.Body).toBe(UNREADABLE);
  expect(await read(`/api/v1/messages/${id}`)).toBe(500);
});

test('content that would decompress to a very large text is left out, too', async () => {
  const id = await sendThree();
  inflateContent(scene.trap, id, 200_000_000);
  expect((await read('/api/v1/messages')).messages[1].Snippet).toBe(UNREADABLE);
  expect((await read('/api/v1/search?query=nothing-has-this')).messages).toEqual([]);
});
