/** The neutral names of clients/contract/README.md (Names), as methods of this client. */
import type * as Client from '../../../../clients/typescript/src/index.ts';
import type { Values } from './values.ts';

export interface CallSite {
  client: Client.Postern;
  webhooks: typeof Client.webhooks;
  /** On which it is called; null for the client's own. */
  on: Client.InboxMethods | null;
  /** With the names of the wire, and without those below. */
  args: Values;
  inbox: string;
  id: string;
  signal: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: arguments are what the case says, right or wrong.
type Args = any;
type Method = (site: CallSite & { args: Args }) => unknown;

export const methods: Record<string, Method> = {
  account: ({ client, signal }) => client.account({ signal }),
  'inboxes.create': ({ client, args, signal }) => client.inboxes.create(args, { signal }),
  'inboxes.get': ({ client, inbox, signal }) => client.inboxes.get(inbox, { signal }),
  'inboxes.list': ({ client, args, signal }) => client.inboxes.list({ ...args, signal }),
  'inboxes.update': ({ client, inbox, args, signal }) => client.inboxes.update(inbox, args, { signal }),
  'inboxes.delete': ({ client, inbox, signal }) => client.inboxes.delete(inbox, { signal }),
  update: ({ on, args, signal }) => on?.update(args, { signal }),
  delete: ({ on, signal }) => on?.delete({ signal }),
  wait_for_code: (site) => (site.on ?? site.client).waitForCode(waitOptions(site)),
  wait_for_link: (site) => (site.on ?? site.client).waitForLink(waitOptions(site)),
  wait_for_message: (site) => (site.on ?? site.client).waitForMessage(waitOptions(site)),
  stream: (site) => (site.on ?? site.client).stream(waitOptions(site)),
  messages: ({ on, client, args, signal }) => (on ?? client).messages({ ...args, signal }),
  latest: ({ on, signal }) => on?.latest({ signal }),
  'message.get': ({ client, id, signal }) => client.message.get(id, { signal }),
  'message.delete': ({ client, id, signal }) => client.message.delete(id, { signal }),
  'message.mark': ({ client, id, args, signal }) => client.message.mark(id, args.read, { signal }),
  'message.set_tags': ({ client, id, args, signal }) => client.message.setTags(id, args.tags, { signal }),
  'message.batch': ({ client, args, signal }) => client.message.batch(args.action, args.ids, { signal }),
  'message.raw': async ({ client, id, signal }) => decode(await client.message.raw(id, { signal })),
  'message.attachment': async ({ client, id, args, signal }) =>
    decode(await client.message.attachment(id, args.index, { signal })),
  'message.checks': ({ client, id, signal }) => client.message.checks(id, { signal }),
  send: ({ on, client, args, signal }) => (on ? on.send(args, { signal }) : client.send(args, { signal })),
  reply: ({ on, args: { message, ...email }, signal }) => on?.reply(message, email, { signal }),
  forward: ({ on, args: { message, ...email }, signal }) => on?.forward(message, email, { signal }),
  sent: ({ client, id, signal }) => client.sent(id, { signal }),
  verify: ({ client, args: { email, ...options }, signal }) => client.verify(email, { ...options, signal }),
  verify_batch: ({ client, args, signal }) => client.verifyBatch(args, { signal }),
  'smtp_faults.add': ({ client, args, signal }) => client.smtpFaults.add(args, { signal }),
  'smtp_faults.list': ({ client, signal }) => client.smtpFaults.list({ signal }),
  'smtp_faults.delete': ({ client, id, signal }) => client.smtpFaults.delete(id, { signal }),
  'smtp_faults.clear': ({ client, signal }) => client.smtpFaults.clear({ signal }),
  'webhooks.verify': ({ webhooks, args: { body, headers, secret, now_s, tolerance_s } }) =>
    webhooks.verify({ body, headers }, secret, {
      nowMs: now_s * 1000,
      ...(tolerance_s === undefined ? {} : { toleranceMs: tolerance_s * 1000 }),
    }),
};

function waitOptions({ args: { timeout_s, min_confidence, ...rest }, signal }: CallSite & { args: Args }) {
  return {
    ...rest,
    signal,
    ...(timeout_s === undefined ? {} : { timeoutMs: timeout_s * 1000 }),
    ...(min_confidence === undefined ? {} : { minConfidence: min_confidence }),
  };
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
