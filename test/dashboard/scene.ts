/** An appliance with something on each of the owners' pages: for the tests of the pages and for their pictures. */
import { sendMail } from '../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';
import { makeSurroundings, type Surroundings } from '../webhooks/hooked.ts';
import { member, owner, type Person, type Visitor } from './visitor.ts';

export interface Scene extends AsyncDisposable {
  appliance: RunningAppliance;
  world: Surroundings;
  /** Runs the server, with inboxes, a webhook, a domain, members. */
  ann: Person;
  /** On the free plan, with nothing. */
  eve: Person;
  /** Of the page of ann's webhook, and of her domain. */
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
    ...{ appliance, world, ann, eve, paths },
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
  await ann.visitor.post(`/webhooks/${inbox.id}`, { url });
  const send = (to: string, raw: string, from = 'ann@sender.test') =>
    sendMail({ port: appliance.smtp_port, from, to: [to], raw });
  for (const subject of ['Welcome', 'Your code']) {
    await send(
      inbox.address,
      `From: A <ann@sender.test>\r\nSubject: ${subject}\r\n\r\nYour code is 482913\r\n`,
    );
  }
  await send(inbox.address, `${'x'.repeat(70_000)}\r\n`, 'big@sender.test');
  await send('sigup@postern.test', 'x\r\n', 'news@shop.example');
  await send('someone@gmail.com', 'x\r\n', 'spam@relay.example');
  return inbox;
}

/** For a browser that is signed in as this person. */
export function cookieOf({ cookie }: Visitor): { name: string; value: string } {
  const [name = '', value = ''] = (cookie ?? '').split('=');
  return { name, value };
}

/** The pages of the account and of the server. */
export const account_pages = [
  'usage',
  'keys',
  'webhooks',
  'domains',
  'sending',
  'refused',
  'members',
  'sign-in',
];
export const server_pages = ['health', 'accounts', 'all-refused', 'log', 'settings', 'doctor'];
