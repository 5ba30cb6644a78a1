/** A message as a person reads it in a real browser: recipients, tags, files, text, source, and values to copy. */
import { describe, expect, test } from 'bun:test';
import { haveBrowser, type OpenPage } from '../../peers/browser.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { useTrapPages } from './trap-pages.ts';

const hasBrowser = haveBrowser();
const pages = useTrapPages();
const { onPage } = pages;

/** Sends a mail and returns the path of the message of its last recipient. */
async function send(to: string[], lines: string[], from = 'Ann Sender <ann@example.org>'): Promise<string> {
  const raw = [`From: ${from}`, ...lines, ''].join('\r\n');
  const { data } = await sendMail({ port: pages.trap.smtpPort, from: 'ann@example.org', to, raw });
  expect(data?.code).toBe(250);
  const { json } = await pages.trap.request('GET', '/dashboard/api/messages?limit=1');
  return `/dashboard/all/${json.data[0].id}`;
}

const copied = ({ page }: OpenPage) => page.evaluate('navigator.clipboard.readText()');
const file = (type: string, name: string, text: string) => [
  '--m',
  `Content-Type: ${type}`,
  `Content-Disposition: attachment; filename="${name}"`,
  '',
  text,
];

describe.skipIf(!hasBrowser)('a mail to several', () => {
  test('shows recipients that are only in the envelope as Bcc, and links to the message of each', async () => {
    const to = ['dev+ci@shop.test', 'bob@shop.test', 'eve@shop.test'];
    const path = await send(to, [
      'To: Dev <dev@shop.test>',
      'Cc: bob@shop.test',
      'Subject: To three',
      '',
      'x',
    ]);
    await onPage(path, async (open) => {
      const { page } = open;
      const head = page.getByRole('article').getByRole('banner').or(page.locator('article header'));
      await head.getByText('bcc', { exact: true }).waitFor();
      expect(await head.locator('dt, dd').allInnerTexts()).toEqual([
        ...['to', 'Dev <dev@shop.test>', 'cc', 'bob@shop.test', 'bcc', 'eve@shop.test'],
      ]);
      await head.getByRole('button', { name: 'Dev <dev@shop.test>' }).click();
      expect(await copied(open)).toBe('dev@shop.test');
      await page.getByRole('button', { name: 'Delivered to 3 recipients' }).click();
      await page.getByRole('link', { name: 'dev+ci@shop.test', exact: true }).click();
      // The message of the sub-address says which one it is for.
      await head.getByText('for', { exact: true }).waitFor();
      await head.getByRole('button', { name: 'dev+ci@shop.test' }).waitFor();
    });
  });
});

test.skipIf(!hasBrowser)('a sender without a name is shown once, and can be copied', async () => {
  const path = await send(['dev@shop.test'], ['Subject: No name', '', 'x'], 'ann@example.org');
  await onPage(path, async (open) => {
    const sender = open.page.locator('article header').getByText('ann@example.org');
    await sender.click();
    expect(await sender.count()).toBe(1);
    expect(await copied(open)).toBe('ann@example.org');
  });
});

describe.skipIf(!hasBrowser)('tags', () => {
  test('are added and removed by keyboard alone, and a bad one is reported', async () => {
    await send(['tags@shop.test'], ['Subject: Other', 'X-Tags: known', '', 'x']);
    const path = await send(['tags@shop.test'], ['Subject: Tagged', 'X-Tags: one', '', 'x']);
    const id = path.split('/').at(-1);
    await onPage(path, async ({ page }) => {
      await page.getByRole('list', { name: 'Tags' }).getByText('one').waitFor();
      await page.getByRole('link', { name: 'Other' }).waitFor();
      await page.keyboard.press('l');
      const input = page.getByLabel('New tag');
      await input.waitFor();
      expect(await page.locator('#known-tags option').getAttribute('value')).toBe('known');
      await page.keyboard.type('no tag');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await input.fill('Two');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Remove tag two' }).waitFor();
      const addButton = page.getByRole('button', { name: 'Add tag' });
      await addButton.and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Remove tag one' }).focus();
      const stored = page.waitForResponse('**/tags');
      await page.keyboard.press('Enter');
      await stored;
      // The list shows them at once.
      await page.locator('main li').getByTitle('two', { exact: true }).waitFor();
      await addButton.and(page.locator(':focus')).waitFor();
      const { json } = await pages.trap.request('GET', `/dashboard/api/messages/${id}`);
      expect(json.data.tags).toEqual(['two']);
    });
  });
});

describe.skipIf(!hasBrowser)('files', () => {
  test('are under the mail with names that disguise nothing, and no SVG is shown', async () => {
    const path = await send(
      ['files@shop.test'],
      [
        ...['Subject: Files', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=m', ''],
        ...file('text/plain', `=?utf-8?B?${Buffer.from('../x/in\u202Egnp.exe').toString('base64')}?=`, 'MZ'),
        ...file('image/svg+xml', 'a.svg', '<svg/>'),
        '--m--',
      ],
    );
    await onPage(path, async ({ page }) => {
      const section = page.getByRole('region', { name: 'Attachments' });
      await section.getByText('ingnp.exe', { exact: true }).waitFor();
      await section.getByRole('link', { name: 'Download a.svg' }).waitFor();
      expect(await section.locator('img').count()).toBe(0);
      await page.getByRole('button', { name: '2 attachments' }).click();
      expect(await section.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    });
  });

  test('are downloaded as one zip, and an attached mail opens as a mail, with the same protection', async () => {
    const inner = [
      'From: In <in@shop.test>',
      'To: Al <al@shop.test>',
      'Subject: Inner',
      'Content-Type: text/html',
      '',
      '<p>inner html</p><script>parent.x = 1</script><img src="https://tracker.example/a.gif">',
    ];
    const path = await send(
      ['zip@shop.test'],
      [
        ...['Subject: Two files', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=m', ''],
        ...file('text/plain', 'a.txt', 'first'),
        ...file('text/plain', 'A.txt', 'second'),
        ...['--m', 'Content-Type: message/rfc822', 'Content-Disposition: attachment; filename=fwd.eml', ''],
        ...inner,
        '--m--',
      ],
    );
    await onPage(path, async ({ page, violations }) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download all' }).click(),
      ]);
      const zip = Buffer.from(await Bun.file(await download.path()).arrayBuffer());
      expect(zip.subarray(0, 2).toString()).toBe('PK');
      for (const name of ['a.txt', 'A (2).txt', 'fwd.eml', 'second']) expect(zip.includes(name)).toBe(true);
      await page.getByRole('button', { name: 'Open fwd.eml' }).click();
      const dialog = page.getByRole('dialog', { name: 'Inner' });
      await dialog.getByText('In <in@shop.test>').waitFor();
      await dialog.frameLocator('iframe').getByText('inner html').waitFor();
      await dialog.getByText('Remote images are blocked.').waitFor();
      await dialog.getByText('Removed: a script').waitFor();
      expect(await dialog.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
      expect(await violations()).toEqual([]);
    });
    const id = path.split('/').at(-1);
    const frame = await pages.trap.request('GET', `/dashboard/api/messages/${id}/attachments/2/mail/frame`);
    expect(frame.headers.get('content-security-policy')).toStartWith(
      "sandbox allow-scripts; default-src 'none'",
    );
    for (const index of ['0', '9', 'x'])
      expect(
        (await pages.trap.request('GET', `/dashboard/api/messages/${id}/attachments/${index}/mail`)).status,
      ).toBe(404);
  });

  test('beyond the first are shown on request', async () => {
    const files = Array.from({ length: 60 }, (_, index) => file('text/plain', `f${index}.txt`, 'x'));
    const head = ['Subject: Many', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=m', ''];
    const path = await send(['many@shop.test'], [...head, ...files.flat(), '--m--']);
    await onPage(path, async ({ page }) => {
      const section = page.getByRole('region', { name: 'Attachments' });
      await section.getByText('f23.txt').waitFor();
      expect(await section.getByRole('listitem').count()).toBe(24);
      await section.getByRole('button', { name: 'Show all 60' }).click();
      await section.getByText('f59.txt').waitFor();
    });
  });
});

describe.skipIf(!hasBrowser)('the source', () => {
  const head = ['Subject: Source', 'MIME-Version: 1.0', 'Content-Type: text/html', ''];

  test('is decoded HTML that folds by keyboard, and the raw mail beside it', async () => {
    const html = '<table><tr><td>one</td></tr></table><p>two</p>';
    const path = await send(['source@shop.test'], [...head, html]);
    await onPage(path, async (open) => {
      const { page } = open;
      await page.getByRole('tab', { name: 'Source' }).click();
      const source = page.getByRole('region', { name: 'HTML source' });
      await source.getByText('one').waitFor();
      await source.focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await source.getByText('one').waitFor({ state: 'detached' });
      await source.getByText('3 lines').waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await source.getByText('1 line', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Copy HTML' }).click();
      expect(await copied(open)).toContain(html);
      await page.getByRole('button', { name: 'Raw' }).click();
      await page.getByRole('region', { name: 'Raw source' }).getByText('Content-Type:').waitFor();
    });
  });

  test.each([
    ['Source', 'Raw source'],
    ['Headers', ''],
  ])('that could not be loaded is loaded on request, under %s', async (tab, region) => {
    const path = await send(['lost@shop.test'], ['Subject: Lost', '', 'text']);
    await onPage(path, async ({ page }) => {
      await page.route('**/source', (route) => route.fulfill({ status: 500 }), { times: 1 });
      await page.getByRole('tab', { name: tab }).click();
      const panel = page.getByRole('tabpanel');
      await panel.getByText('The source could not be loaded.').waitFor();
      await panel.getByRole('button', { name: 'Try again' }).click();
      await (region ? page.getByRole('region', { name: region }) : panel).getByText('Lost').waitFor();
    });
  });

  test('of a very large HTML mail is cut, says so, and offers all of it', async () => {
    const html = '<p class="row">text</p>\r\n'.repeat(40_000);
    const path = await send(['large@shop.test'], [...head, html]);
    await onPage(path, async ({ page }) => {
      await page.getByRole('tab', { name: 'Source' }).click();
      await page.getByText('Only the beginning is shown. Download the HTML for the rest.').waitFor();
      const rows = page.getByRole('region', { name: 'HTML source' }).locator('code');
      await rows.first().waitFor();
      expect(await rows.count()).toBeLessThan(1_000);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download', exact: true }).click(),
      ]);
      expect((await Bun.file(await download.path()).text()).length).toBeGreaterThan(900_000);
    });
  });
});

describe.skipIf(!hasBrowser)('the text', () => {
  test('of a mail that has only HTML is made from it, says so, and remembers its font', async () => {
    const head = ['Subject: HTML alone', 'MIME-Version: 1.0', 'Content-Type: text/html', ''];
    const path = await send(['text@shop.test'], [...head, '<p>Hello <script>no</script>you</p>']);
    await onPage(path, async ({ page }) => {
      await page.getByRole('tab', { name: 'Text' }).click();
      await page.getByText('Made from the HTML').waitFor();
      await page.getByRole('tabpanel').getByText('Hello you', { exact: true }).waitFor();
      await page.getByLabel('Fixed width').check();
      await page.reload();
      await page.getByRole('tab', { name: 'Text' }).click();
      expect(await page.getByLabel('Fixed width').isChecked()).toBe(true);
    });
  });
});

describe.skipIf(!hasBrowser)('a link', () => {
  test('to sign in opens only after a confirmation that shows the host, without a referrer', async () => {
    const url = 'https://login.example.org/magic?token=8f2c1e9ab4d7';
    const path = await send(['links@shop.test'], ['Subject: Sign in', '', `Sign in by this link: ${url}`]);
    await onPage(path, async ({ page, context }) => {
      await page.getByText('login.example.org', { exact: true }).waitFor();
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Open…' }).first().click();
      await dialog.locator(`a[href="${url}"]`).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      // The link in the text asks too, whichever mouse button is used.
      const inText = page.getByRole('tabpanel').getByRole('link', { name: url });
      const open = [
        () => inText.click(),
        () => inText.click({ button: 'middle' }),
        () => inText.click({ modifiers: ['ControlOrMeta'] }),
      ];
      for (const click of open) {
        await click();
        await dialog.waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await dialog.waitFor({ state: 'detached' });
      }
      for (const link of await page.locator(`a[href="${url}"]`).all()) {
        expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      }
      expect(context.pages()).toHaveLength(1);
    });
  });

  test('to a long host has a confirmation whose buttons fit a narrow phone', async () => {
    const url = `https://${'a-long-name.'.repeat(9)}example.org/magic?token=8f2c1e9ab4d7`;
    const path = await send(['links@shop.test'], ['Subject: Long', '', `Sign in by this link: ${url}`]);
    await onPage(path, async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 640 });
      await page.getByRole('button', { name: 'Open…' }).first().click();
      const dialog = page.getByRole('dialog');
      const outer = (await dialog.boundingBox())!;
      for (const button of [dialog.getByRole('button', { name: 'Cancel' }), dialog.getByRole('link')]) {
        const { x, width } = (await button.boundingBox())!;
        expect([x >= outer.x, x + width <= outer.x + outer.width]).toEqual([true, true]);
      }
    });
  });
});

describe.skipIf(!hasBrowser)('values', () => {
  test('are copied with one key and a click: the address of the API, and a command that fetches the message', async () => {
    const path = await send(
      ['values@shop.test'],
      ['Subject: Values', 'Message-ID: <v@example.org>', '', 'x'],
    );
    await onPage(path, async (open) => {
      const { page } = open;
      await page.getByRole('heading', { name: 'Values' }).waitFor();
      await page.keyboard.press('y');
      await page.getByRole('button', { name: /^Message-ID/ }).click();
      expect(await copied(open)).toBe('<v@example.org>');
      await page.keyboard.press('y');
      await page.getByRole('button', { name: /^curl command/ }).click();
      const command = String(await copied(open));
      expect(command).toStartWith(`curl -sS "${pages.trap.url}/api/v1/messages/msg_`);
      const { json } = await pages.trap.request('GET', new URL(command.split('"')[1]!).pathname);
      expect(json.data.subject).toBe('Values');
      await page.getByRole('tab', { name: 'Headers' }).click();
      await page.locator('dd').getByRole('button', { name: 'Values', exact: true }).click();
      expect(await copied(open)).toBe('Values');
    });
  });

  test('the reading view has buttons for the next and the previous message, and the place in the list', async () => {
    for (const subject of ['first', 'second'])
      await send(['order@shop.test'], [`Subject: ${subject}`, '', 'x']);
    const { json } = await pages.trap.request('GET', '/dashboard/api/inboxes?q=order');
    await onPage(`/dashboard/inbox/${json.data[0].id}`, async ({ page }) => {
      await page.getByRole('link', { name: 'second' }).click();
      await page.getByText('1 of 2').waitFor();
      expect(await page.getByRole('button', { name: 'Previous message' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Next message' }).click();
      await page.getByText('2 of 2').waitFor();
      await page.getByRole('heading', { name: 'first' }).waitFor();
    });
  });
});
