/** Every screen of Mail, with mail in it, for axe (screens.test.ts) and for screenshots (scripts/screenshots.ts). */
import type { Page } from 'playwright-core';
import { sendMail } from '../../peers/smtp-client.ts';
import type { RunningAppliance } from '../../start.ts';

export interface Screen {
  name: string;
  path: (mail: Seeded) => string;
  /** What to do before the screen is examined. */
  act?: (page: Page) => Promise<unknown>;
  /** Visible once the screen is complete. */
  until: string;
}

export interface Seeded {
  inbox: string;
  /** Ids by subject. */
  messages: Record<string, string>;
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const newsletter = `<!doctype html><html><head><style>.b{background:#1d6450;color:#fff;padding:12px 20px;border-radius:6px;text-decoration:none}</style></head>
<body style="font-family:Georgia,serif"><table width="100%"><tr><td align="center"><table width="560"><tr><td>
<img src="https://pixel.example.net/open.gif" width="1" height="1"><img src="cid:logo" width="48" height="48" alt="Logo">
<h1 style="font-size:28px">Welcome to Northwind</h1><p>Confirm your address, and we will set up your workspace. This link works once, for thirty minutes.</p>
<p style="margin:28px 0"><a class="b" href="https://app.northwind.example/auth/magic?token=8f2c1e9ab4">Sign in to Northwind</a></p>
<p style="color:#777;font-size:13px">If you did not ask for this, ignore this mail.</p></td></tr></table></td></tr></table></body></html>`;

interface Seed {
  from: string;
  to: string;
  subject: string;
  body: string;
}

const plain = (from: string, to: string, subject: string, text: string): Seed => ({
  from,
  to,
  subject,
  body: `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`,
});

const mixed = (from: string, to: string, subject: string): Seed => ({
  from,
  to,
  subject,
  body: [
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=mixed',
    '',
    '--mixed',
    'Content-Type: multipart/related; boundary=related',
    '',
    '--related',
    'Content-Type: text/html; charset=utf-8',
    '',
    newsletter,
    '--related',
    'Content-Type: image/png; name=logo.png',
    'Content-ID: <logo>',
    'Content-Disposition: inline; filename=logo.png',
    'Content-Transfer-Encoding: base64',
    '',
    PIXEL,
    '--related--',
    '--mixed',
    'Content-Type: image/png; name=diagram.png',
    'Content-Disposition: attachment; filename=diagram.png',
    'Content-Transfer-Encoding: base64',
    '',
    PIXEL,
    '--mixed',
    'Content-Type: application/pdf; name=terms.pdf',
    'Content-Disposition: attachment; filename=terms.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjQKJcOkw7zDtsOfCg==',
    '--mixed--',
    '',
  ].join('\r\n'),
});

const seeds: Seed[] = [
  plain(
    'Statuspage <status@statuspage.example>',
    'ops@postern.test',
    'All systems operational',
    'Everything is well.',
  ),
  plain(
    'Ben Ode <ben@example.org>',
    'ops@postern.test',
    'Re: rollout on Thursday',
    'Thursday works. I will be there at nine.',
  ),
  plain(
    'CI <ci@builds.example>',
    'ops@postern.test',
    'main is green again after 3 failures: build 18,204 of a repository whose name is rather long',
    'The build passed.',
  ),
  plain('Zoë Ångström <zoe@example.org>', 'hello@shop.example', 'Fråga om order', 'Hej! När kommer paketet?'),
  mixed('Northwind <hello@northwind.example>', 'signup@postern.test', 'Sign in to Northwind'),
  plain(
    'Acme Accounts <no-reply@acme.example>',
    'signup@postern.test',
    'Your verification code',
    'Hello,\r\n\r\nYour verification code is 493817. It is valid for 10 minutes.\r\nReference 20261121. If you did not ask for it, write to us.\r\n\r\nAcme, 221 Baker Street',
  ),
];

/** Sends the mails that the screens show by SMTP; capture mode accepts them. */
export async function seedMail(trap: RunningAppliance): Promise<Seeded> {
  const input = { routing_key: 'signup', label: 'sign-up test' };
  const { json } = await trap.request('POST', '/dashboard/api/inboxes', { body: input });
  for (const { from, to, subject, body } of seeds) {
    const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
    const [, name = '', address = ''] = /^(.*) <(.*)>$/.exec(from) ?? [];
    const fromLine = `=?utf-8?B?${Buffer.from(name).toString('base64')}?= <${address}>`;
    const raw = `From: ${fromLine}\r\nTo: ${to}\r\nSubject: ${encoded}\r\nDate: Sat, 21 Nov 2026 08:00:00 +0000\r\n${body}`;
    await sendMail({ port: trap.smtpPort, from: address, to: [to], raw });
  }
  const list = await trap.request('GET', '/dashboard/api/messages?limit=100');
  const messages: Record<string, string> = {};
  for (const { id, subject } of list.json.data) messages[subject] = id;
  return { inbox: json.data.id, messages };
}

const messagePath = (subject: string) => (mail: Seeded) => `/dashboard/all/${mail.messages[subject]}`;
const code = messagePath('Your verification code');
const newsletterPath = messagePath('Sign in to Northwind');
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();

/** Presses a key until its dialog opens, since a new page may not be listening yet. */
async function pressUntil(page: Page, key: string, shown: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await page.keyboard.press(key);
    const came = await page
      .locator(shown)
      .first()
      .waitFor({ timeout: 1_500 })
      .then(
        () => true,
        () => false,
      );
    if (came) return;
  }
}

/** Navigates with the pages' own router: full loads would take most of a test's time. */
export async function goTo(page: Page, path: string): Promise<void> {
  const address = JSON.stringify(path);
  await page.evaluate(
    `history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

export const mailScreens: readonly Screen[] = [
  { name: 'inboxes', path: () => '/dashboard/inboxes', until: 'text=sign-up test' },
  { name: 'all-mail', path: () => '/dashboard/all', until: 'text=Fråga om order' },
  { name: 'inbox', path: ({ inbox }) => `/dashboard/inbox/${inbox}`, until: 'text=Sign in to Northwind' },
  { name: 'code', path: code, until: 'text=Copy code' },
  { name: 'html', path: newsletterPath, until: 'text=Load images' },
  {
    name: 'attachments',

    path: newsletterPath,
    act: (page) => page.getByRole('button', { name: '2 attachments' }).click(),
    until: 'text=terms.pdf',
  },
  {
    name: 'links',
    path: newsletterPath,
    act: tab('Links'),
    until: '#tab-panel >> text=app.northwind.example',
  },
  { name: 'headers', path: code, act: tab('Headers'), until: 'dt >> text=Subject' },
  { name: 'source', path: code, act: tab('Source'), until: 'text=Copy source' },
  { name: 'html-source', path: newsletterPath, act: tab('Source'), until: 'text=doctype' },
  {
    name: 'raw-source',
    path: newsletterPath,
    act: async (page) => {
      await tab('Source')(page);
      await page.getByRole('button', { name: 'Raw' }).click();
    },
    until: 'text=--mixed',
  },
  { name: 'text-of-html', path: newsletterPath, act: tab('Text'), until: 'text=Made from the HTML' },
  {
    name: 'new-tag',
    path: code,
    act: (page) => page.getByRole('button', { name: 'Add tag' }).click(),
    until: '[placeholder="Tag name"]',
  },
  {
    name: 'copy',
    path: code,
    act: (page) => page.getByRole('button', { name: 'Copy…' }).click(),
    until: 'text=curl command',
  },
  { name: 'delivery', path: code, act: tab('Delivery'), until: 'text=SMTP session' },
  {
    name: 'open-link',
    path: newsletterPath,
    act: (page) => page.getByRole('button', { name: 'Open…' }).first().click(),
    until: 'text=Open this link?',
  },
  {
    name: 'new-inbox',
    path: () => '/dashboard/inboxes',
    act: (page) => page.getByRole('button', { name: 'New inbox' }).click(),
    until: 'text=Create and copy address',
  },
  {
    name: 'selection',
    path: () => '/dashboard/all',
    act: async (page) => {
      for (const nth of [0, 2]) await page.getByRole('checkbox').nth(nth).check({ force: true });
    },
    until: 'text=2 selected',
  },
  {
    name: 'no-match',
    path: () => '/dashboard/all',
    act: (page) => page.getByPlaceholder('Search mail').fill('nobody says this'),
    until: 'text=No matching messages',
  },
  {
    name: 'help',
    path: () => '/dashboard/all',
    act: (page) => pressUntil(page, '?', 'text=Next message'),
    until: 'text=Next message',
  },
  {
    name: 'palette',
    path: () => '/dashboard/all',
    act: (page) => pressUntil(page, 'Control+k', 'text=Theme: dark'),
    until: 'text=Theme: dark',
  },
  { name: 'trap', path: () => '/dashboard/trap', until: 'text=Set up your app' },
  { name: 'faults', path: () => '/dashboard/faults', until: 'text=No faults' },
  { name: 'preferences', path: () => '/dashboard/preferences', until: 'text=Density' },
  { name: 'gone', path: () => '/dashboard/all/msg_0', until: 'text=Message not found' },
  { name: 'no-page', path: () => '/dashboard/nowhere', until: 'text=Page not found' },
];
