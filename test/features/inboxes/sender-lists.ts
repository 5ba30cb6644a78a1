/** A server whose senders are checked against our own DNS, and mail to it by SMTP. */
import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, type StartOptions, startAppliance } from '../../start.ts';
import { publish } from '../authenticity/signed.ts';

export interface Post {
  appliance: RunningAppliance;
  dns: DnsServer;
  owner: Holder;
}

export async function startPost(options: StartOptions = {}): Promise<Post> {
  const dns = await startDnsServer();
  const settings = {
    authentication: 'all',
    limits: 'off',
    dns_servers: `${dns.host}:${dns.port}`,
    ...options.settings,
  };
  const appliance = await startAppliance({ ...options, settings });
  return { appliance, dns, owner: await appliance.holder() };
}

export async function endPost({ appliance, dns }: Post): Promise<void> {
  await appliance[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
}

/** A domain whose SPF names this machine, so that mail from it is authentic. */
export const publishHonest = ({ dns }: Post, name: string) => void publish(dns, name);

/** The server of a test file that calls `usePost`. */
export let post: Post;
/** An inbox on that server, new for each test. */
export let inbox: { id: string; address: string };

/** Starts a server for the tests of a file, with three honest domains. */
export function usePost(): void {
  beforeAll(async () => {
    post = await startPost();
    for (const name of ['shop.example', 'mail.shop.example', 'spam.example']) publishHonest(post, name);
  });
  afterAll(() => endPost(post));
  beforeEach(async () => {
    inbox = await post.appliance.inbox(post.owner);
  });
}

export const mailFrom = (from: string, subject = 'hello') =>
  `From: ${from}\r\nSubject: ${subject}\r\n\r\nYour code is 481516.\r\n`;

/** Sends by SMTP; the envelope's sender is `a@` the given domain. Returns the id of the message. */
export async function send(
  { appliance }: Post,
  to: string,
  mail: string | Uint8Array,
  envelopeDomain: string,
): Promise<string> {
  const from = `a@${envelopeDomain}`;
  const { data } = await sendMail({ port: appliance.smtpPort, from, to: [to], raw: mail });
  if (data?.code !== 250) throw new Error(`refused: ${data?.code} ${data?.lines.join(' ')}`);
  return data.lines.join(' ').match(/msg_\w+/)?.[0] ?? '';
}

/** Sends a mail to `inbox`, by default from the domain of its sender. */
export const sendFrom = (address: string, domain = address.split('@')[1]!.replace('>', '')) =>
  send(post, inbox.address, mailFrom(address), domain);

/** Requests of the owner. */
export function ask({ appliance, owner }: Post, method: string, path: string, body?: unknown) {
  return appliance.request(method, path, { key: owner.key, ...(body === undefined ? {} : { body }) });
}

export async function setSenders(post: Post, inbox: { id: string }, lists: object): Promise<void> {
  const { status, text } = await ask(post, 'PUT', `/api/v1/inboxes/${inbox.id}/senders`, lists);
  if (status !== 200) throw new Error(text);
}

export async function listIds(post: Post, path: string): Promise<string[]> {
  const { json } = await ask(post, 'GET', path);
  return json.data.map(({ id }: { id: string }) => id);
}

export const handedOn = (post: Post, inbox: { id: string }) =>
  listIds(post, `/api/v1/inboxes/${inbox.id}/messages`);

export const withheld = (post: Post, inbox: { id: string }) =>
  listIds(post, `/api/v1/inboxes/${inbox.id}/withheld`);

/** Waits until the check of a message's sender is stored. Returns why it is withheld then. */
export async function whenChecked(post: Post, id: string): Promise<string | null> {
  for (const giveUp = performance.now() + 10_000; performance.now() < giveUp; await Bun.sleep(5)) {
    const { json } = await ask(post, 'GET', `/api/v1/messages/${id}`);
    if (json.data.authentication !== null) return json.data.withheld;
  }
  throw new Error(`the sender of ${id} was not checked in time`);
}
