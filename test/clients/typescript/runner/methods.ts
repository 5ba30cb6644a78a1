/** The neutral names of clients/contract/README.md (Names), as methods of this client. */
import type * as Client from '../../../../clients/typescript/src/index.ts';
import type { Values } from './values.ts';

export interface CallSite {
  client: Client.Postern;
  webhooks: typeof Client.webhooks;
  /** The object on which it is called; null for the client itself. */
  on: Client.InboxMethods | null;
  /** The arguments under their names on the wire, without those below. */
  args: Values;
  inbox: string;
  id: string;
  signal: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: a case has any arguments, right or wrong.
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
  'message.accept': ({ client, id, signal }) => client.message.accept(id, { signal }),
  'message.diary': ({ client, id, signal }) => client.message.diary(id, { signal }),
  senders: ({ on, signal }) => on?.senders({ signal }),
  set_senders: ({ on, args, signal }) => on?.setSenders(args, { signal }),
  withheld: ({ on, args, signal }) => on?.withheld({ ...args, signal }),
  hold: ({ on, signal }) => on?.hold({ signal }),
  set_hold: ({ on, args, signal }) => on?.setHold(args.enabled, { signal }),
  'webhook.set': ({ on, args, signal }) => on?.webhook.set(args.url, { signal }),
  'webhook.get': ({ on, signal }) => on?.webhook.get({ signal }),
  'webhook.delete': ({ on, signal }) => on?.webhook.delete({ signal }),
  'webhook.rotate': ({ on, signal }) => on?.webhook.rotate({ signal }),
  'webhook.enable': ({ on, signal }) => on?.webhook.enable({ signal }),
  'webhook.disable': ({ on, signal }) => on?.webhook.disable({ signal }),
  'webhook.test': ({ on, signal }) => on?.webhook.test({ signal }),
  'webhook.deliveries': ({ on, args, signal }) => on?.webhook.deliveries({ ...args, signal }),
  'webhook.replay': ({ on, args, signal }) => on?.webhook.replay(args, { signal }),
  'webhooks.create': ({ client, args, signal }) => client.webhooks.create(args, { signal }),
  'webhooks.list': ({ client, args, signal }) => client.webhooks.list({ ...args, signal }),
  'webhooks.get': ({ client, id, signal }) => client.webhooks.get(id, { signal }),
  'webhooks.update': ({ client, id, args, signal }) => client.webhooks.update(id, args, { signal }),
  'webhooks.delete': ({ client, id, signal }) => client.webhooks.delete(id, { signal }),
  'webhooks.rotate': ({ client, id, signal }) => client.webhooks.rotate(id, { signal }),
  'webhooks.enable': ({ client, id, signal }) => client.webhooks.enable(id, { signal }),
  'webhooks.disable': ({ client, id, signal }) => client.webhooks.disable(id, { signal }),
  'webhooks.test': ({ client, id, signal }) => client.webhooks.test(id, { signal }),
  'webhooks.deliveries': ({ client, id, args, signal }) =>
    client.webhooks.deliveries(id, { ...args, signal }),
  'webhooks.replay': ({ client, id, args, signal }) => client.webhooks.replay(id, args, { signal }),
  events: ({ client, args, signal }) => client.events({ ...args, signal }),
  audit_log: ({ client, args, signal }) => client.auditLog({ ...args, signal }),
  'rules.create': ({ client, args, signal }) => client.rules.create(args, { signal }),
  'rules.list': ({ client, signal }) => client.rules.list({ signal }),
  'rules.get': ({ client, id, signal }) => client.rules.get(id, { signal }),
  'rules.update': ({ client, id, args, signal }) => client.rules.update(id, args, { signal }),
  'rules.delete': ({ client, id, signal }) => client.rules.delete(id, { signal }),
  'rules.dry_run': ({ client, args, signal }) => client.rules.dryRun(args, { signal }),
  'threads.list': ({ client, args, signal }) => client.threads.list({ ...args, signal }),
  'threads.get': ({ client, id, args, signal }) => client.threads.get(id, { ...args, signal }),
  'threads.messages': ({ client, id, args, signal }) => client.threads.messages(id, { ...args, signal }),
  'outbound.list': ({ client, args, signal }) => client.outbound.list({ ...args, signal }),
  'outbound.get': ({ client, id, signal }) => client.outbound.get(id, { signal }),
  'outbound.raw': async ({ client, id, signal }) => decode(await client.outbound.raw(id, { signal })),
  'outbound.approve': ({ client, id, signal }) => client.outbound.approve(id, { signal }),
  'outbound.reject': ({ client, id, args, signal }) => client.outbound.reject(id, { ...args, signal }),
  'outbound.hold': ({ client, signal }) => client.outbound.hold({ signal }),
  'outbound.set_hold': ({ client, args, signal }) => client.outbound.setHold(args.enabled, { signal }),
  'allowlist.add': ({ client, args, signal }) => client.allowlist.add(args.email, { signal }),
  'allowlist.list': ({ client, args, signal }) => client.allowlist.list({ ...args, signal }),
  'allowlist.get': ({ client, id, signal }) => client.allowlist.get(id, { signal }),
  'allowlist.delete': ({ client, id, signal }) => client.allowlist.delete(id, { signal }),
  'allowlist.set_enabled': ({ client, args, signal }) =>
    client.allowlist.setEnabled(args.enabled, { signal }),
  'domains.create': ({ client, args, signal }) => client.domains.create(args.name, { signal }),
  'domains.list': ({ client, args, signal }) => client.domains.list({ ...args, signal }),
  'domains.get': ({ client, id, signal }) => client.domains.get(id, { signal }),
  'domains.delete': ({ client, id, signal }) => client.domains.delete(id, { signal }),
  'domains.verify': ({ client, id, signal }) => client.domains.verify(id, { signal }),
  'domains.set_catch_all': ({ client, id, args, signal }) => client.domains.setCatchAll(id, args, { signal }),
  'domains.set_up_sending': ({ client, id, signal }) => client.domains.setUpSending(id, { signal }),
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
