/** The rows of the comparison: what is compared, and where it is in both products. */
import type { Page } from 'playwright-core';
import type { Ids } from './ids.ts';

export interface View {
  path: (ids: Ids) => string;
  act?: (page: Page) => Promise<unknown>;
  /** A selector that is visible once the screen is complete. If it never is, the row is left out for this product. */
  until: string;
}

export interface Row {
  name: string;
  phone?: true;
  dark?: true;
  /** Taken before any mail has arrived. */
  isEmpty?: true;
  postern: View;
  mailpit: View;
}

const NEWSLETTER = 'The slow internet is back, and it is lovely';
const CODE = 'Your verification code';
const LINK = 'Sign in to Northwind';
const FILES = 'Photos of the cabin, and the figures';

const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).first().click();

function posternMail(subject: string, until: string, act?: View['act']): View {
  return { path: (ids) => `/dashboard/all/${ids.get(subject)}`, until, act };
}

function mailpitMail(subject: string, until: string, act?: View['act']): View {
  return { path: (ids) => `/view/${ids.get(subject)}`, until, act };
}

const lists = {
  postern: { path: () => '/dashboard', until: 'text=/All mail|Inbox/i' },
  mailpit: { path: () => '/', until: `text=${CODE} >> visible=true` },
};
const newsletter = {
  postern: posternMail(NEWSLETTER, 'iframe'),
  mailpit: mailpitMail(NEWSLETTER, '#preview-html'),
};

const search = (query: string) => `/search?q=${encodeURIComponent(query)}`;

async function searchPostern(page: Page, query: string): Promise<void> {
  await page.keyboard.press('/');
  await page.locator('input:focus').fill(query);
  await page.waitForTimeout(600);
}

export const comparedRows: readonly Row[] = [
  {
    name: 'first',
    isEmpty: true,
    postern: { path: () => '/dashboard', until: 'text=Send a test mail' },
    mailpit: { path: () => '/', until: 'body' },
  },
  { name: 'list', ...lists },
  { name: 'newsletter', ...newsletter },
  {
    name: 'code',
    postern: posternMail(CODE, 'text=Copy code'),
    mailpit: mailpitMail(CODE, 'text=Reference'),
  },
  { name: 'link', postern: posternMail(LINK, 'iframe'), mailpit: mailpitMail(LINK, '#preview-html') },
  {
    name: 'attachments',
    postern: posternMail(FILES, 'text=contract.pdf', async (page) => {
      // Attachments have a tab of their own, or are below the mail.
      const own = page.getByRole('tab', { name: 'Attachments' });
      if ((await own.count()) > 0) await own.click();
      await page.getByText('contract.pdf').first().scrollIntoViewIfNeeded();
    }),
    mailpit: mailpitMail(FILES, '#nav-html >> text=contract.pdf', (page) =>
      page.locator('#nav-html').getByText('contract.pdf').first().scrollIntoViewIfNeeded(),
    ),
  },
  {
    name: 'source',
    postern: posternMail(NEWSLETTER, '[role=tabpanel]', tab('Source')),
    mailpit: mailpitMail(NEWSLETTER, 'pre', tab('HTML Source')),
  },
  {
    name: 'search',
    postern: {
      path: () => '/dashboard',
      act: (page) => searchPostern(page, 'thursday'),
      until: 'text=Minutes of Monday',
    },
    mailpit: { path: () => search('thursday'), until: 'text=Minutes of Monday' },
  },
  {
    name: 'empty',
    postern: {
      path: () => '/dashboard',
      act: (page) => searchPostern(page, 'nobody writes this'),
      until: 'text=No matching messages',
    },
    mailpit: { path: () => search('nobody writes this'), until: 'text=/no results|no messages/i' },
  },
  {
    name: 'settings',
    postern: { path: () => '/dashboard/preferences', until: 'text=Time zone' },
    mailpit: {
      path: () => '/',
      act: (page) =>
        page.locator('[data-bs-target="#SettingsModal"]').locator('visible=true').first().click(),
      until: '#SettingsModal >> visible=true',
    },
  },
  {
    name: 'checks',
    postern: posternMail(NEWSLETTER, '[aria-label^=Score]', tab('Checks')),
    mailpit: mailpitMail(NEWSLETTER, '#nav-html-check >> text=/tests|clients/i', tab('HTML Check')),
  },
  { name: 'phone-list', phone: true, ...lists },
  { name: 'phone-message', phone: true, ...newsletter },
  { name: 'dark-list', dark: true, ...lists },
  { name: 'dark-newsletter', dark: true, ...newsletter },
];
