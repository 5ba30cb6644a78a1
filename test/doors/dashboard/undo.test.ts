/** Deleting and marking with an Undo: nothing is lost by it, and nothing comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  haveBrowser,
  type Looks,
  type OpenPage,
  openBrowser,
  type TestBrowser,
} from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { owner } from './visitor.ts';

const hasBrowser = haveBrowser();
let trap: RunningAppliance;
let browser: TestBrowser;

beforeAll(async () => {
  if (hasBrowser) [trap, browser] = await Promise.all([startAppliance({ capture: {} }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await trap?.[Symbol.asyncDispose]();
});

const mail = (to: string, subject: string) =>
  sendMail({
    port: trap.smtpPort,
    from: 'a@sender.test',
    to: [to],
    raw: `From: A <a@sender.test>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nx\r\n`,
  });

/** An inbox with these mails, the last of them on top. */
async function fill(name: string, subjects: readonly string[]): Promise<string> {
  for (const subject of subjects) await mail(`${name}@postern.test`, subject);
  const { json } = await trap.request('GET', `/dashboard/api/inboxes?q=${name}`);
  return json.data[0].id;
}

async function listStored(inbox: string): Promise<string[]> {
  const { json } = await trap.request('GET', `/dashboard/api/inboxes/${inbox}/messages`);
  return (json.data as { subject: string }[]).map(({ subject }) => subject);
}

async function openInbox(
  inbox: string,
  run: (open: OpenPage, subjects: () => Promise<string[]>) => Promise<void>,
  looks: Looks = {},
) {
  const open = await browser.open(`${trap.url}/dashboard/inbox/${inbox}`, looks);
  const rows = open.page.getByRole('region', { name: 'Messages, newest first' }).getByRole('listitem');
  await rows.first().waitFor();
  const subjects = () => rows.getByRole('link').allInnerTexts();
  await run(open, async () => (await subjects()).map((text) => text.replace(/^\s*Unread:/, '').trim()));
  expect(open.faults).toEqual([]);
  await open.close();
}

async function select(page: Page, subjects: readonly string[]) {
  for (const subject of subjects) await page.getByLabel(`Select ${subject}`).check({ force: true });
  return page.getByRole('toolbar', { name: 'Selected messages' });
}

/** How long it is offered (src/web/toast.tsx). */
const UNDO_MS = 8_000;
const undoButton = (page: Page) => page.getByRole('button', { name: 'Undo' });

describe.skipIf(!hasBrowser)('a deletion', () => {
  test('of several messages asks for no confirmation, and Undo puts them back in place', async () => {
    const inbox = await fill('several', ['a1', 'a2', 'a3']);
    await openInbox(inbox, async ({ page }, subjects) => {
      const bar = await select(page, ['a1', 'a2']);
      await bar.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('2 messages deleted').waitFor();
      expect(await subjects()).toEqual(['a3']);
      await undoButton(page).click();
      await page.getByRole('link', { name: 'a1' }).waitFor();
      expect(await subjects()).toEqual(['a3', 'a2', 'a1']);
      await undoButton(page).waitFor({ state: 'detached' });
      expect(await listStored(inbox)).toEqual(['a3', 'a2', 'a1']);
    });
  });

  test('by key can be undone by key, and neither opens nor marks another message', async () => {
    const inbox = await fill('by-key', ['b1', 'b2']);
    await openInbox(inbox, async ({ page }, subjects) => {
      await page.keyboard.press('j');
      await page.getByRole('article').getByRole('heading', { name: 'b2' }).waitFor();
      await page.keyboard.press('#');
      await page.getByText('No message selected').waitFor();
      await page.getByRole('link', { name: 'Unread: b1' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/dashboard/inbox/${inbox}`);
      await page.keyboard.press('z');
      await page.getByRole('link', { name: 'b2' }).waitFor();
      expect(await subjects()).toEqual(['b2', 'b1']);
    });
  });

  test('closes its message even when the list does not have it', async () => {
    const inbox = await fill('linked', ['l1']);
    const { json } = await trap.request('GET', `/dashboard/api/inboxes/${inbox}/messages`);
    const { page, faults, close } = await browser.open(
      `${trap.url}/dashboard/inbox/${inbox}/${json.data[0].id}?q=nothing`,
    );
    await page.getByRole('article').getByRole('heading', { name: 'l1' }).waitFor();
    await page.getByText('No matching messages').waitFor();
    await page.keyboard.press('#');
    await page.getByRole('article').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await undoButton(page).waitFor({ state: 'detached' });
    expect(await listStored(inbox)).toEqual(['l1']);
    expect(faults).toEqual([]);
    await close();
  });

  test('that is not undone reaches the server when its time is over', async () => {
    const inbox = await fill('time', ['c1', 'c2']);
    const play: Parameters<typeof openInbox>[1] = async ({ page }, subjects) => {
      const bar = await select(page, ['c1']);
      const sent = page.waitForResponse('**/messages/delete');
      await bar.getByRole('button', { name: 'Delete' }).click();
      await undoButton(page).waitFor();
      expect(await listStored(inbox)).toEqual(['c2', 'c1']);
      await page.clock.fastForward(UNDO_MS);
      expect((await sent).status()).toBe(200);
      await undoButton(page).waitFor({ state: 'detached' });
      expect(await listStored(inbox)).toEqual(['c2']);
      expect(await subjects()).toEqual(['c2']);
    };
    await openInbox(inbox, play, { ownClock: true });
  });

  test('is carried out when the next one begins, so that there is only one to undo', async () => {
    const inbox = await fill('next', ['d1', 'd2', 'd3']);
    await openInbox(inbox, async ({ page }, subjects) => {
      const sent = page.waitForResponse('**/messages/delete');
      for (const subject of ['d1', 'd2']) {
        const bar = await select(page, [subject]);
        await bar.getByRole('button', { name: 'Delete' }).click();
      }
      await sent;
      await undoButton(page).click();
      await page.getByRole('link', { name: 'd2' }).waitFor();
      expect(await subjects()).toEqual(['d3', 'd2']);
      expect(await listStored(inbox)).toEqual(['d3', 'd2']);
    });
  });

  test.each(['closed', 'left'])('is carried out when its page is %s', async (how) => {
    const inbox = await fill(`page-${how}`, ['e1', 'e2']);
    await openInbox(inbox, async ({ page }) => {
      const bar = await select(page, ['e1']);
      await bar.getByRole('button', { name: 'Delete' }).click();
      await undoButton(page).waitFor();
      await (how === 'left' ? page.goto(`${trap.url}/docs`) : page.close({ runBeforeUnload: true }));
      await until(async () => (await listStored(inbox)).length < 2);
      expect(await listStored(inbox)).toEqual(['e2']);
    });
  });

  test('that the server can’t carry out puts the messages back and says why', async () => {
    const inbox = await fill('refused', ['f1', 'f2']);
    await openInbox(inbox, async ({ page }, subjects) => {
      await page.route('**/messages/delete', (route) => route.abort());
      for (const subject of ['f1', 'f2']) {
        const bar = await select(page, [subject]);
        await bar.getByRole('button', { name: 'Delete' }).click();
      }
      await page.getByText('The server is not responding.').waitFor();
      await undoButton(page).click();
      await page.getByRole('link', { name: 'f2' }).waitFor();
      expect(await subjects()).toEqual(['f2', 'f1']);
    });
  });
});

describe.skipIf(!hasBrowser)('a deletion of a person who signs out', () => {
  test.each(['Sign out', 'Sign out everywhere'])('by %s is carried out first', async (how) => {
    await using app = await startAppliance();
    const { account, visitor } = await owner(app);
    const { address } = (await visitor.post('/inboxes', {})).json.data;
    await app.deliver(address, { subject: 'kept' });
    await app.deliver(address, { subject: 'gone' });
    const [name = '', value = ''] = visitor.cookie!.split('=');
    const { page, close } = await browser.open(`${app.url}/dashboard/all`, { cookie: { name, value } });
    await (await select(page, ['gone'])).getByRole('button', { name: 'Delete' }).click();
    await undoButton(page).waitFor();
    await page.getByRole('link', { name: account.email! }).click();
    await page.getByRole('button', { name: how, exact: true }).first().click();
    if (how !== 'Sign out')
      await page.getByRole('dialog').getByRole('button', { name: how, exact: true }).click();
    await page.getByRole('textbox', { name: 'Password', exact: true }).waitFor();
    await close();
    const { email } = account;
    expect((await visitor.signIn(email!)).status).toBe(200);
    const { data } = (await visitor.get('/messages')).json;
    expect(data.map(({ subject }: { subject: string }) => subject)).toEqual(['kept']);
  });
});

describe.skipIf(!hasBrowser)('all messages of a list', () => {
  test('are deleted without a question, loaded or not, and Undo brings back the list and its counts', async () => {
    const inbox = await fill('whole', ['w1', 'w2', 'w3']);
    await openInbox(inbox, async ({ page }, subjects) => {
      await page.getByRole('link', { name: /^whole.*3/ }).waitFor();
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('All messages deleted').waitFor();
      await page.getByRole('heading', { name: 'This inbox has no mail' }).waitFor();
      await mail('whole@postern.test', 'w4');
      await page.getByRole('link', { name: 'w4' }).waitFor();
      await page.keyboard.press('z');
      await page.getByRole('link', { name: 'w1' }).waitFor();
      expect(await subjects()).toEqual(['w4', 'w3', 'w2', 'w1']);
      await page.getByRole('link', { name: /^whole.*4/ }).waitFor();
      expect(await listStored(inbox)).toEqual(['w4', 'w3', 'w2', 'w1']);
    });
  });

  test('are marked as read, and unread again by Undo', async () => {
    const inbox = await fill('marked', ['g1', 'g2']);
    await openInbox(inbox, async ({ page }) => {
      await page.getByRole('button', { name: 'Mark all as read' }).click();
      await page.getByText('Marked 2 messages as read').waitFor();
      const unread = () => trap.request('GET', `/dashboard/api/inboxes/${inbox}/messages?read=false`);
      expect((await unread()).json.data).toEqual([]);
      const marked = page.waitForResponse('**/messages/mark');
      await undoButton(page).click();
      await marked;
      expect((await unread()).json.data).toHaveLength(2);
    });
  });
});

describe('a list that is deleted as a whole', () => {
  const remove = (app: RunningAppliance, body: unknown) =>
    app.request('POST', '/dashboard/api/messages/delete-listed', { body });

  test('loses the mail that it had, and keeps what came later and other lists', async () => {
    await using app = await startAppliance({ capture: {} });
    const send = (to: string, subject: string) =>
      sendMail({
        port: app.smtpPort,
        from: 'a@sender.test',
        to: [to],
        raw: `Subject: ${subject}\r\n\r\nx\r\n`,
      });
    for (let no = 1; no <= 3; no++) await send('one@postern.test', `first ${no}`);
    await send('two@postern.test', 'other');
    const list = async () => (await app.request('GET', '/dashboard/api/messages')).json.data;
    const newest = (await list())[1];
    expect(newest.subject).toBe('first 3');
    await send('one@postern.test', 'later');
    const body = { inbox_id: newest.inbox_id, search: 'first -subject:2', through: newest.id };
    expect((await remove(app, body)).json.data).toEqual({ changed: 2 });
    const subjects = async () => (await list()).map(({ subject }: { subject: string }) => subject);
    expect(await subjects()).toEqual(['later', 'other', 'first 2']);
    const all = { inbox_id: null, search: '', through: (await list())[0].id };
    expect((await remove(app, all)).json.data).toEqual({ changed: 3 });
    expect((await remove(app, all)).json.data).toEqual({ changed: 0 });
  });

  test('is refused if it is not a list of the account', async () => {
    await using app = await startAppliance({ capture: {} });
    await sendMail({
      port: app.smtpPort,
      from: 'a@b.test',
      to: ['one@postern.test'],
      raw: 'Subject: x\r\n\r\nx\r\n',
    });
    const [{ id }] = (await app.request('GET', '/dashboard/api/messages')).json.data;
    const status = async (body: unknown) => (await remove(app, body)).status;
    expect(await status({ inbox_id: 'inbox_0', search: '', through: id })).toBe(404);
    expect(await status({ inbox_id: null, search: 'nope:1', through: id })).toBe(422);
    expect(await status({ inbox_id: null, search: '', through: 'msg_0' })).toBe(422);
    expect(await status({ inbox_id: null, search: '', through: '0' })).toBe(422);
    expect(await status({ inbox_id: null, search: '' })).toBe(422);
  });
});
