/** What an empty dashboard offers: settings to copy, a test mail, and the lines that read its code. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { setTrap } from '../../features/traps/shared-trap.ts';
import { haveBrowser, type Looks, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { makeCookie } from './scene.ts';
import { owner } from './visitor.ts';

const hasBrowser = haveBrowser();
let browser: TestBrowser;

beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const testMail = (app: RunningAppliance, body: unknown) =>
  app.request('POST', '/dashboard/api/test-mail', { body });

describe.skipIf(!hasBrowser)('a capture without mail', () => {
  test.each([{ phone: false }, { phone: true }])(
    'has settings, and a test mail whose code its curl line prints: %p',
    async (looks: Looks) => {
      await using capture = await startAppliance({ capture: {} });
      const { page, faults, violations, close } = await browser.open(`${capture.url}/dashboard/all`, looks);
      await page.getByRole('heading', { name: 'Waiting for your first mail' }).waitFor();
      await page.getByText(`port: ${capture.smtpPort},`).waitFor();
      await page.getByRole('tab', { name: 'Environment' }).waitFor();
      expect(await violations()).toEqual([]);
      await page.getByRole('button', { name: 'Copy command' }).first().click();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toStartWith(`curl -sS "${capture.url}/api/v1/inboxes/you@example.com/messages/wait?`);
      const waiting = fetch(/"(.*)"/.exec(command)![1]!);
      await page.getByRole('button', { name: 'Send a test mail' }).press('Enter');
      await page.getByText('Test mail sent to you@example.com').waitFor();
      const { data } = (await (await waiting).json()) as { data: { otp: string } };
      expect(data.otp).toMatch(/^\d{6}$/);
      await page.getByRole('link', { name: `Your sign-in code is ${data.otp}` }).waitFor();
      expect(faults).toEqual([]);
      await close();
    },
  );

  test('has the settings of the frameworks with the address at which this server listens', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { json } = await capture.request('GET', '/dashboard/api/trap');
    const { mailers, api_needs_key } = json.data;
    expect(mailers.map(({ name }: { name: string }) => name)).toEqual([
      'Nodemailer',
      'Django',
      'Rails',
      'Laravel',
      'Symfony',
      'Spring Boot',
      'Go',
      '.NET',
      'Phoenix',
      'PHP mail()',
      'any',
    ]);
    for (const { settings } of mailers) {
      expect(settings).toContain('localhost');
      expect(settings).toContain(String(capture.smtpPort));
      expect(settings).not.toContain('API_KEY');
    }
    expect(api_needs_key).toBe(false);
  });

  test('sends its test mail by SMTP, so a fault refuses it and the reply is shown', async () => {
    await using capture = await startAppliance({ capture: {} });
    const body = { stage: 'rcpt', reply: '550 5.1.1 No such user' };
    await capture.request('POST', '/dashboard/api/smtp_faults', { body });
    const { status, json } = await testMail(capture, { inbox_id: null });
    expect([status, json.error.message]).toEqual([409, expect.stringContaining('550 5.1.1 No such user')]);
  });
});

describe('on a server, a test mail', () => {
  test('goes to an inbox of the account, and to no other', async () => {
    await using server = await startAppliance({ settings: { limit_dashboard_test_mails_per_hour: '2' } });
    const [ann, eve] = [await owner(server), await owner(server, 'free', 'eve@example.org')];
    const inbox = (await ann.visitor.post('/inboxes', { routing_key: 'signup' })).json.data;
    const send = ({ visitor }: typeof ann, inboxId: string | null) =>
      visitor.post('/test-mail', { inbox_id: inboxId });
    expect((await send(eve, inbox.id)).status).toBe(404);
    expect((await send(eve, null)).status).toBe(404);
    const sent = await send(ann, inbox.id);
    expect([sent.status, sent.json.data.address]).toEqual([200, inbox.address]);
    const { data } = (await ann.visitor.get(`/inboxes/${inbox.id}/messages`)).json;
    expect(data.map(({ otp }: { otp: string }) => otp)).toEqual([sent.json.data.code]);
    expect((await send(ann, inbox.id)).status).toBe(200);
    expect((await send(ann, inbox.id)).status).toBe(429);
    expect((await testMail(server, { inbox_id: inbox.id })).status).toBe(401);
  });

  test('reaches an account’s trap, which SMTP opens only with a key', async () => {
    await using server = await startAppliance();
    const { visitor, account } = await owner(server);
    await setTrap(server, { account, key: '' }, true);
    const { json } = await visitor.post('/test-mail', { inbox_id: null });
    expect(json.data).toEqual({ address: 'you@example.com', code: expect.stringMatching(/^\d{6}$/) });
    const { data } = (await visitor.get('/messages')).json;
    expect(data).toEqual([expect.objectContaining({ address: 'you@example.com', otp: json.data.code })]);
    const trap = (await visitor.get('/trap')).json.data;
    expect(trap.api_needs_key).toBe(true);
    for (const { settings } of trap.mailers) expect(settings).toContain('YOUR_API_KEY');
  });
});

describe.skipIf(!hasBrowser)('an empty account on a server', () => {
  test('is asked to create an inbox, and gets its first mail by a click', async () => {
    await using server = await startAppliance();
    const { visitor } = await owner(server);
    const { page, faults, violations, close } = await browser.open(`${server.url}/dashboard/all`, {
      cookie: makeCookie(visitor),
    });
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Create an inbox' }).click();
    await page.getByRole('button', { name: 'Create and copy address' }).click();
    await page.waitForURL('**/dashboard/inbox/*');
    await page.getByRole('heading', { name: 'This inbox has no mail' }).waitFor();
    await page.getByText('Authorization: Bearer $POSTERN_API_KEY').first().waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Send a test mail' }).click();
    await page.getByRole('link', { name: /Your sign-in code is/ }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});

describe.skipIf(!hasBrowser)('preferences', () => {
  test('are kept in the browser, and apply at once: time zone, theme, and what opening marks', async () => {
    await using capture = await startAppliance({ capture: {} });
    await testMail(capture, { inbox_id: null });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/preferences`);
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByRole('group', { name: 'Theme' }).getByLabel('Dark').check({ force: true });
    await page
      .getByRole('group', { name: 'Mark messages as read' })
      .getByLabel('Never')
      .check({ force: true });
    // What is chosen shows even where the system chooses the colours.
    await page.emulateMedia({ forcedColors: 'active' });
    const readGround = (selector: string, part = '') =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '${part}').backgroundColor`);
    expect(await readGround('label:has(> :checked)')).not.toBe(await readGround('html'));
    await page.goto(`${capture.url}/dashboard/all`);
    const row = page.getByRole('link', { name: /^Unread: Your sign-in code/ });
    await row.waitFor();
    for (const [selector, part] of [['.rounded-full:empty'], ['.row-box.is-unread', '::after']])
      expect(await readGround(selector!, part)).not.toBe(await readGround('html'));
    await page.emulateMedia({ forcedColors: 'none' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await row.click();
    const time = page.getByRole('article').locator('time').first();
    const [iso, text] = [await time.getAttribute('datetime'), await time.textContent()];
    const options = { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' } as const;
    expect(text).toBe(
      await page.evaluate(
        `new Intl.DateTimeFormat(undefined, ${JSON.stringify(options)}).format(new Date('${iso}'))`,
      ),
    );
    await row.waitFor();
    expect((await capture.request('GET', '/dashboard/api/unread')).json.data.unread).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  test('set how many messages the list loads at a time, and a mail with more recipients does not stop it', async () => {
    await using capture = await startAppliance({ capture: {} });
    const send = (subject: string, to: string[]) =>
      sendMail({
        port: capture.smtpPort,
        from: 'a@b.test',
        to,
        raw: `From: a@b.test\r\nSubject: ${subject}\r\n\r\nx\r\n`,
      });
    await send('To one', ['one@many.test']);
    await send(
      'To sixty',
      Array.from({ length: 60 }, (_, no) => `to${no}@many.test`),
    );
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/preferences`);
    await page
      .getByRole('group', { name: 'Messages to load at a time' })
      .getByLabel('25')
      .check({ force: true });
    const first = page.waitForRequest('**/dashboard/api/messages?limit=25');
    await page.goto(`${capture.url}/dashboard/all`);
    await first;
    await page.getByRole('link', { name: 'To sixty' }).waitFor();
    await page.getByRole('link', { name: 'To one' }).waitFor();
    await page.getByText('+59').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test('that another version or a person has broken count as unset', async () => {
    await using capture = await startAppliance({ capture: {} });
    const { page, faults, close } = await browser.open(`${capture.url}/dashboard/preferences`);
    const broken = ['{', 'null', '[1]', '{"timeZone":"Mars/Olympus","markRead":7,"density":"compact"}'];
    for (const text of broken) {
      await page.evaluate(`localStorage.setItem('postern.preferences', ${JSON.stringify(text)})`);
      await page.reload();
      await page.getByRole('group', { name: 'Mark messages as read' }).waitFor();
      expect(await page.getByLabel('When opened').isChecked()).toBe(true);
      expect(await page.getByLabel('Time zone').inputValue()).toBe('');
    }
    expect(await page.getByLabel('Compact').isChecked()).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
