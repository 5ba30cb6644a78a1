/** Who may write to whom, in a real browser: an owner reviews what an agent sends, and who reaches its inbox. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createMemberKey } from '../../features/outbound/held.ts';
import { Sender } from '../../features/outbound/sender.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { keepPage } from '../../peers/kept-page.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { Agent } from '../mcp/agent.ts';
import { makeCookie } from './scene.ts';
import { member, type Person, signInOwner } from './visitor.ts';

const hasBrowser = haveBrowser();
let sender: Sender;
let ann: Person;
let mia: Person;
let memberKey: string;
let browser: TestBrowser;

beforeAll(async () => {
  sender = await Sender.start();
  const { appliance, owner } = sender;
  memberKey = await createMemberKey(appliance, owner);
  [ann, mia] = [await signInOwner(appliance, owner.account), await member(appliance, owner.account)];
  await ann.visitor.ask('PUT', '/outbound_hold', { enabled: true });
  if (hasBrowser) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await sender[Symbol.asyncDispose]();
});

const openKept = keepPage(() => browser);
const asAnn = (path: string) => openKept(sender.appliance.url + path, { cookie: makeCookie(ann.visitor) });

async function askAs(key: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { from_address: 'desk@shop.example', to: ['bob@example.org'], subject: 'Offer', ...fields };
  const { json } = await sender.appliance.request('POST', '/api/v1/outbound_emails', { key, body });
  return json.data.id;
}

test('an agent learns that its email is held, and what that means', async () => {
  await using agent = await Agent.overHttp(sender.appliance.url, memberKey);
  const email = { from_address: 'desk@shop.example', to: ['bob@example.org'], subject: 'x', body_text: 'x' };
  const { json } = await agent.use('send_email', email);
  expect(json.email.status).toBe('held');
  expect(json.note).toContain('Do not send it again');
});

test('only an owner reads and decides what is held, and sees the texts that its bytes contain', async () => {
  const id = await askAs(memberKey, { body_html: '<p>Hi <script>alert(1)</script><b>Bob</b></p>' });
  const path = `/outbound_emails/${id}`;
  const read = await ann.visitor.get(`${path}/mail`);
  expect(read.json.data).toMatchObject({ subject: 'Offer', to: ['bob@example.org'], attachments: [] });
  const frame = await ann.visitor.get(`${path}/mail/frame`);
  expect(frame.text).toContain('<b>Bob</b>');
  expect(frame.text).not.toContain('alert(1)');
  for (const [method, at] of [
    ['GET', `${path}/mail`],
    ['GET', `${path}/mail/frame`],
    ['GET', `${path}/raw`],
    ['POST', `${path}/approve`],
    ['POST', `${path}/reject`],
    ['PUT', '/outbound_hold'],
  ]) {
    expect([at, (await mia.visitor.ask(method!, at!)).status]).toEqual([at, 403]);
  }
  expect((await ann.visitor.post(`${path}/reject`)).json.data.status).toBe('rejected');
  expect((await ann.visitor.get(`${path}/mail`)).status).toBe(404);
});

describe.skipIf(!hasBrowser)('an owner', () => {
  test('reviews a held email with its blind copies, and approves it', async () => {
    const id = await askAs(memberKey, {
      subject: 'Quarterly offer',
      bcc: ['hidden@example.org'],
      body_text: 'Dear Bob,\n\nour offer is attached.\n',
      attachments: [{ filename: 'offer.txt', content: Buffer.from('x').toString('base64') }],
    });
    const { page, faults, violations, close } = await asAnn('/dashboard/sending');
    await page.getByRole('button', { name: 'Review Quarterly offer' }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Review Quarterly offer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('our offer is attached').waitFor();
    await dialog.getByText('bob@example.org, hidden@example.org').waitFor();
    await dialog.getByText(/offer\.txt/).waitFor();
    expect(await violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Approve and send' }).click();
    await page.getByText('Email approved').waitFor();
    await page.getByRole('button', { name: 'Review Quarterly offer' }).waitFor({ state: 'detached' });
    expect((await sender.get(`/outbound_emails/${id}`)).json.data.status).toBe('queued');
    expect(faults).toEqual([]);
    await close();
  });

  test('rejects a held email with a reason', async () => {
    const id = await askAs(memberKey, { subject: 'Bad idea', body_text: 'x' });
    const { page, close } = await asAnn('/dashboard/sending');
    await page.getByRole('button', { name: 'Review Bad idea' }).click();
    await page.getByLabel('Reason for rejection (optional)').fill('Not before Monday.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByText('Email rejected').waitFor();
    const { data } = (await sender.get(`/outbound_emails/${id}`)).json;
    expect([data.status, data.last_error]).toEqual(['rejected', 'rejected by an owner: Not before Monday.']);
    await close();
  });

  test('puts members’ emails from one inbox on hold', async () => {
    const path = `/inboxes/${sender.inbox.id}/outbound_hold`;
    const { page, violations, close } = await asAnn(`/dashboard/senders/${sender.inbox.id}`);
    await page.getByText(/^Off for this inbox/).waitFor();
    await page.getByRole('button', { name: 'Turn on', exact: true }).click();
    await page.getByText(/^On for this inbox/).waitFor();
    expect((await sender.get(path)).json.data.enabled).toBe(true);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByText(/^Off for this inbox/).waitFor();
    await close();
  });

  test('blocks a sender, sees a wrong entry reported, reads what is withheld and accepts it', async () => {
    const { page, faults, violations, close } = await asAnn('/dashboard/senders');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await violations()).toEqual([]);
    const search = page.getByRole('searchbox', { name: 'Search inboxes' });
    await search.fill('no inbox is called this');
    await page.getByText('No matching inboxes').waitFor();
    await search.fill('');
    await page.getByRole('link', { name: sender.inbox.address }).click();
    await page.getByRole('link', { name: 'All inboxes' }).waitFor();
    await page.getByRole('textbox', { name: 'Blocked senders' }).fill('spam.example\nno domain');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Entry 2 must be an address/).waitFor();
    await page.getByRole('textbox', { name: 'Blocked senders' }).fill('Spam.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Applies to new mail.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Blocked senders' }).inputValue()).toBe('spam.example');
    const raw = 'From: Eve <eve@spam.example>\r\nSubject: Win a prize\r\n\r\nClick here.\r\n';
    const { smtpPort } = sender.appliance;
    await sendMail({ port: smtpPort, from: 'eve@spam.example', to: [sender.inbox.address], raw });
    await page.reload();
    await page.getByRole('button', { name: 'Read Win a prize' }).click();
    await page.getByRole('dialog').getByText('Click here.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Delete Win a prize' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this message?' });
    await question.getByText('“Win a prize” can’t be restored.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Accept Win a prize' }).click();
    await page.getByText('No withheld messages').waitFor();
    const listed = await sender.get(`/inboxes/${sender.inbox.id}/messages`);
    expect(listed.json.data[0].subject).toBe('Win a prize');
    expect(faults).toEqual([]);
    await close();
  });
});
