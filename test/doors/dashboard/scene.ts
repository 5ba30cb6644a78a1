/** An appliance with something on each of the owners' pages, for tests and screenshots of the pages. */
import type { Page } from 'playwright-core';
import { readyDomain } from '../../features/domains/ready.ts';
import { makeSurroundings, type Surroundings } from '../../features/webhooks/hooked.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, owner, type Person, type Visitor } from './visitor.ts';

export interface Scene extends AsyncDisposable {
  appliance: RunningAppliance;
  world: Surroundings;
  /** Runs the server, and has inboxes, a webhook, a domain and members. */
  ann: Person;
  /** On the free plan, with nothing. */
  eve: Person;
  /** Paths of the pages of ann's webhook and domain. */
  paths: { webhook: string; domain: string; invite: string };
}

export async function makeScene(): Promise<Scene> {
  const world = await makeSurroundings();
  const settings = { ...world.settings, outbound: 'direct', signup: 'open', smtp_max_size: '64KiB' };
  const appliance = await startAppliance({ settings });
  const ann = await owner(appliance, 'business', 'ann@example.com');
  const eve = await owner(appliance, 'free', 'eve@example.org');
  await member(appliance, ann.account, 'mia@example.com');
  const invited = (await ann.visitor.post('/members', { email: 'newcomer@example.com' })).json.data;
  const inbox = await fill(appliance, world, ann);
  const domain = (await ann.visitor.post('/domains', { name: 'mail.example.com' })).json.data;
  const paths = {
    webhook: `/dashboard/webhooks/${inbox.id}`,
    domain: `/dashboard/domains/${domain.id}`,
    invite: invited.invite_path as string,
  };
  return {
    appliance,
    world,
    ann,
    eve,
    paths,
    async [Symbol.asyncDispose]() {
      await appliance[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function fill(appliance: RunningAppliance, { receiver, url }: Surroundings, ann: Person) {
  const key = (await ann.visitor.post('/keys', { name: 'CI' })).json.data.api_key;
  const old = (await ann.visitor.post('/keys', { name: 'old laptop' })).json.data.key_id;
  await ann.visitor.ask('DELETE', `/keys/${old}`);
  const holder = { account: ann.account, key };
  const inbox = await appliance.inbox(holder, { routing_key: 'signup', label: 'Sign-up tests' });
  await appliance.inbox(holder, { routing_key: 'billing' });
  receiver.answer({ status: 200 }, { status: 400, body: '{"error":"unknown tenant"}' });
  await ann.visitor.ask('PUT', `/webhooks/${inbox.id}`, { url });
  const send = (to: string, raw: string, from = 'ann@sender.test') =>
    sendMail({ port: appliance.smtpPort, from, to: [to], raw });
  for (const subject of ['Welcome', 'Your code']) {
    await send(
      inbox.address,
      `From: A <ann@sender.test>\r\nSubject: ${subject}\r\n\r\nYour code is 482913\r\n`,
    );
  }
  await readyDomain(appliance.services, ann.account.no, 'shop.example');
  for (const [to, subject] of [
    ['nobody@no-such-host.example', 'Your order 1042'],
    ['desk@postern.test', 'Stock for Monday'],
  ]) {
    const body = { from_address: 'hello@shop.example', to: [to], subject, body_text: 'Good morning.' };
    await appliance.request('POST', '/api/v1/outbound_emails', { key, body });
  }
  await send(inbox.address, `${'x'.repeat(70_000)}\r\n`, 'big@sender.test');
  await send('sigup@postern.test', 'x\r\n', 'news@shop.example');
  await send('someone@gmail.com', 'x\r\n', 'spam@relay.example');
  return inbox;
}

/** The session cookie for a browser that is signed in as this person. */
export function makeCookie({ cookie }: Visitor): { name: string; value: string } {
  const [name = '', value = ''] = (cookie ?? '').split('=');
  return { name, value };
}

/** The pages of the account and of the server. */
export const accountPages = [
  'usage',
  'keys',
  'webhooks',
  'rules',
  'domains',
  'senders',
  'sending',
  'refused',
  'members',
  'audit',
  'sign-in',
  'preferences',
];
export const serverPages = ['health', 'accounts', 'all-refused', 'log', 'all-audit', 'settings', 'doctor'];

interface Screen {
  name: string;
  as: 'nobody' | 'ann' | 'eve';
  path: (scene: Scene) => string;
  act?: (page: Page) => Promise<unknown>;
  /** Visible once the page is complete. */
  until: string;
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
const doctorMs = 40_000;

/** What scripts/screenshots takes pictures of. */
export const ownerScreens: readonly Screen[] = [
  { name: 'door', as: 'nobody', path: () => '/dashboard', until: 'text=Sign in' },
  {
    name: 'door-sign-up',
    as: 'nobody',
    path: () => '/dashboard',
    act: press('Create an account'),
    until: 'text=on the free plan',
  },
  { name: 'door-invite', as: 'nobody', path: ({ paths }) => paths.invite, until: 'text=You were invited' },
  { name: 'door-void', as: 'nobody', path: () => '/invite/none', until: 'text=This link does not work' },
  {
    name: 'sending-open',
    as: 'ann',
    path: () => '/dashboard/sending',
    act: (page) => page.locator('summary').last().click(),
    until: 'text=Suppressions',
  },
  ...[...accountPages, ...serverPages].map(
    (name): Screen => ({ name, as: 'ann', path: () => `/dashboard/${name}`, until: 'h1' }),
  ),
  {
    name: 'key-new',
    as: 'ann',
    path: () => '/dashboard/keys',
    async act(page) {
      await press('New key')(page);
      await press('Create key')(page);
    },
    until: 'text=API key created',
  },
  {
    name: 'key-revoke',
    as: 'ann',
    path: () => '/dashboard/keys',
    act: (page) => page.getByRole('button', { name: 'Revoke' }).first().click(),
    until: 'text=Revoke this key?',
  },
  {
    name: 'webhook',
    as: 'ann',
    path: ({ paths }) => paths.webhook,
    async act(page) {
      await page.locator('summary').first().click();
      await press('Send test')(page);
    },
    until: 'text=Rejected by your endpoint',
  },
  { name: 'domain', as: 'ann', path: ({ paths }) => paths.domain, until: 'text=not found' },
  {
    name: 'account',
    as: 'ann',
    path: () => '/dashboard/accounts',
    act: press('Edit eve@example.org'),
    until: 'text=Delete account',
  },
  {
    name: 'doctor-done',
    as: 'ann',
    path: () => '/dashboard/doctor',
    async act(page) {
      await press('Run checks')(page);
      await page.getByText(/checks failed|All checks passed/).waitFor({ timeout: doctorMs });
    },
    until: 'text=Run again',
  },
  { name: 'free-webhooks', as: 'eve', path: () => '/dashboard/webhooks', until: 'text=Your plan has no' },
  { name: 'free-usage', as: 'eve', path: () => '/dashboard/usage', until: 'text=Inboxes' },
];
