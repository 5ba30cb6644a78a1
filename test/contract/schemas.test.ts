/** Responses match the document: every described field is there, and no other. */
import { expect, test } from 'bun:test';
import type { z } from 'zod';
import { routes } from '../../src/app/routes.ts';
import { findInbox } from '../../src/features/inboxes/find.ts';
import { setWebhook } from '../../src/features/webhooks/configure.ts';
import { ErrorEnvelope } from '../../src/platform/http/openapi-responses.ts';
import { readyDomain } from '../features/domains/ready.ts';
import { createMemberKey } from '../features/outbound/held.ts';
import { Sender, sending } from '../features/outbound/sender.ts';
import { startReceiver } from '../peers/https-receiver.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';

type Requests = Record<string, [path: string, body?: unknown]>;

/** Expects no keys that the schema does not have: parsing drops them, and the result must be equal. */
function expectFits(schema: z.ZodType, value: unknown): void {
  expect(schema.parse(value)).toEqual(value);
}

async function domainRequests({ appliance, owner }: Sender): Promise<Requests> {
  const { id } = await readyDomain(appliance.services, owner.account.no, 'one.example');
  return {
    listDomains: ['/api/v1/domains?limit=1'],
    createDomain: ['/api/v1/domains', { name: 'two.example' }],
    getDomain: [`/api/v1/domains/${id}`],
    verifyDomain: [`/api/v1/domains/${id}/verify`],
    setCatchAll: [`/api/v1/domains/${id}/catch_all`, { catch_all: true }],
    setUpSending: [`/api/v1/domains/${id}/sending_setup`],
  };
}

/** Operations that succeed only in a trap. */
const OF_TRAPS = 'SMTP faults';

test('every JSON answer of a trap matches its schema completely', async () => {
  await using trap = await startAppliance({ capture: {} });
  const body = { stage: 'mail', sender: '*@x', reply: '450', times: 1, probability: 0.5, expires_in_s: 9 };
  for (const route of routes.filter(({ tag, path }) => tag === OF_TRAPS && !path.includes(':'))) {
    const given = { key: trap.apiKey ?? '', ...(route.body && { body }) };
    const { status, json } = await trap.request(route.method, route.path, given);
    expect([route.name, Object.keys(route.responses)]).toEqual([route.name, [String(status)]]);
    const schema = route.responses[status];
    if (schema) expectFits(schema, json);
  }
});

async function ruleRequests({ appliance, owner }: Sender, address: string): Promise<Requests> {
  const rule = {
    tags: ['x'],
    notify: { url: 'http://127.0.0.1:19999/', template: '{"text":"{{subject}}"}' },
  };
  const created = await appliance.request('POST', '/api/v1/rules', { key: owner.key, body: rule });
  const path = `/api/v1/rules/${created.json.data.id}`;
  return {
    listRules: ['/api/v1/rules'],
    createRule: ['/api/v1/rules', rule],
    getRule: [path],
    updateRule: [path, { stop: true }],
    dryRunRules: ['/api/v1/rules/dry_run', {}],
    listMessageDiary: [`/api/v1/messages/${await appliance.deliver(address)}/diary`],
  };
}

function messageRequests(inbox: string, message: string): Requests {
  return {
    listAccountMessages: ['/api/v1/messages?limit=1'],
    setMessageTags: [`/api/v1/messages/${message}/tags`, { tags: ['a'] }],
    getSenders: [`/api/v1/inboxes/${inbox}/senders`],
    setSenders: [`/api/v1/inboxes/${inbox}/senders`, { block: ['spam.example'] }],
    listWithheldMessages: [`/api/v1/inboxes/${inbox}/withheld?limit=1`],
    acceptMessage: [`/api/v1/messages/${message}/accept`, undefined],
    listMessages: [`/api/v1/inboxes/${inbox}/messages?limit=1`],
    getLatestMessage: [`/api/v1/inboxes/${inbox}/messages/latest`],
    waitForMessage: [`/api/v1/inboxes/${inbox}/messages/wait?since=1`],
    waitForAnyMessage: ['/api/v1/messages/wait?since=0&require=message'],
    getMessage: [`/api/v1/messages/${message}`],
    listThreads: ['/api/v1/threads?limit=1'],
    getThread: [`/api/v1/threads/${message.replace('msg_', 'thr_')}`],
    checkMessage: [`/api/v1/messages/${message}/checks`],
    markMessage: [`/api/v1/messages/${message}`, { read: true }],
    batchMessages: ['/api/v1/messages/batch', { action: 'fetch', ids: [message, 'x'] }],
  };
}

test('every JSON answer matches its schema completely', async () => {
  const allowed = { webhook_allow_networks: '127.0.0.0/8' };
  await using appliance = await startAppliance({ settings: { ...sending, ...allowed } });
  await using receiver = await startReceiver({ kind: 'http' });
  const sender = await Sender.join(appliance);
  const { owner } = sender;
  const inbox = await appliance.inbox(owner, { public: true, metadata: { a: [1] } });
  const attachment = {
    index: 0,
    filename: null,
    content_type: 'a/b',
    size: 1,
    content_id: 'x',
    inline: true,
  };
  const message = await appliance.deliver(inbox.address, {
    otp: '123456',
    otp_confidence: 0.5,
    magic_link: 'https://example.org/',
    links: ['https://example.org/'],
    content: { attachments: [attachment], otp_candidates: [{ code: '1', confidence: 1, context: '1' }] },
  });
  const hooked = findInbox(appliance.services.store, inbox.id);
  await setWebhook(appliance.services, hooked, `http://127.0.0.1:${receiver.port}/`);
  for (let count = 0; count < 2; count++) await appliance.deliver(inbox.address);
  const requests: Requests = {
    listAuditLog: ['/api/v1/audit_log?limit=1'],
    getAccount: ['/api/v1/account'],
    listInboxes: ['/api/v1/inboxes?limit=1'],
    createInbox: ['/api/v1/inboxes', { label: 'x' }],
    updateInbox: [`/api/v1/inboxes/${inbox.id}`, { label: 'y' }],
    getInbox: [`/api/v1/inboxes/${inbox.id}`],
    ...messageRequests(inbox.id, message),
    testWebhook: [`/api/v1/inboxes/${inbox.id}/webhook/test`],
    ...(await webhookRequests(appliance, owner.key, inbox.id, `http://127.0.0.1:${receiver.port}/`)),
    ...(await sendingRequests(sender)),
    verifyEmail: ['/api/v1/verify', { email: 'a@b..c' }],
    verifyBatch: ['/api/v1/verify/batch', { emails: ['a@b..c', 'a@[192.0.2.1]'] }],
    ...(await domainRequests(sender)),
    ...(await ruleRequests(sender, inbox.address)),
    readPublicMessages: [`/api/v1/public/emails/${inbox.address}/messages`],
    registerAgent: ['/api/v1/agents/register', { name: 'x' }],
    getOpenApi: ['/api/v1/openapi.json'],
    getHealth: ['/healthz'],
    getReadiness: ['/readyz'],
  };
  for (const route of routes.filter(({ tag }) => tag !== OF_TRAPS)) {
    const schemas = Object.entries(route.responses).filter(([, schema]) => schema !== null);
    // A stream is not JSON; its own test checks that its messages are those of getMessage.
    if (schemas.length === 0 || !route.content.includes('application/json')) continue;
    const [path = '', body] = requests[route.name] ?? [];
    const reply = await appliance.request(route.method, path, { key: owner.key, body });
    const schema = route.responses[reply.status];
    expect([route.name, schema != null]).toEqual([route.name, true]);
    expectFits(schema!, reply.json);
  }
  const failure = await appliance.request('GET', '/nope');
  expectFits(ErrorEnvelope, failure.json);
});

/** Returns the ids of emails that wait for an owner's approval. */
async function heldEmails({ appliance, owner }: Sender, count: number): Promise<string[]> {
  const key = await createMemberKey(appliance, owner);
  const asOwner = { key: owner.key, body: { enabled: true } };
  await appliance.request('PUT', '/api/v1/outbound_hold', asOwner);
  const body = { from_address: 'a@shop.example', to: ['b@example.org'], subject: 'x', body_text: 'x' };
  const asked = Array.from({ length: count }, () =>
    appliance.request('POST', '/api/v1/outbound_emails', { key, body }),
  );
  return (await Promise.all(asked)).map(({ json }) => json.data.id);
}

async function webhookRequests(
  appliance: RunningAppliance,
  key: string,
  inbox: string,
  url: string,
): Promise<Requests> {
  const body = { url, events: ['email.received', 'webhook.disabled', 'message.deleted'] };
  const created = await appliance.request('POST', '/api/v1/webhooks', { key, body });
  // Events are kept from the first request on.
  await appliance.request('GET', '/api/v1/events', { key });
  const { id, address } = (await appliance.request('GET', `/api/v1/inboxes/${inbox}`, { key })).json.data;
  const gone = await appliance.deliver(address);
  await appliance.request('DELETE', `/api/v1/messages/${gone}`, { key });
  const since = '2026-11-01T00:00:00Z';
  const own = `/api/v1/inboxes/${id}/webhook`;
  const hook = `/api/v1/webhooks/${created.json.data.id}`;
  return {
    setInboxWebhook: [own, { url }],
    getInboxWebhook: [own],
    listInboxWebhookDeliveries: [`${own}/deliveries`],
    rotateInboxWebhook: [`${own}/rotate`],
    enableInboxWebhook: [`${own}/enable`],
    disableInboxWebhook: [`${own}/disable`],
    replayInboxWebhook: [`${own}/replay`, { since }],
    listWebhooks: ['/api/v1/webhooks'],
    createWebhook: ['/api/v1/webhooks', body],
    getWebhook: [hook],
    updateWebhook: [hook, { events: ['email.received'] }],
    listWebhookDeliveries: [`${hook}/deliveries`],
    rotateWebhook: [`${hook}/rotate`],
    enableWebhook: [`${hook}/enable`],
    disableWebhook: [`${hook}/disable`],
    replayWebhook: [`${hook}/replay`, { since }],
    testAccountWebhook: [`${hook}/test`],
    listEvents: ['/api/v1/events'],
  };
}

async function sendingRequests(sender: Sender): Promise<Requests> {
  const letter = await sender.appliance.deliver(sender.inbox.address, {
    content: { answer_to: ['Ann <ann@example.org>'] },
  });
  const thread = `/api/v1/inboxes/${sender.inbox.id}/messages/${letter}`;
  const to = ['b@example.org'];
  const sent = await sender.send({ cc: to, bcc: ['c@example.org'], reply_to: 'd@example.org' });
  const held = await heldEmails(sender, 2);
  const approved = await sender.post('/outbound_allowlist', { email: 'e@example.org' });
  return {
    sendEmail: [
      '/api/v1/outbound_emails',
      { from_address: 'a@shop.example', to, subject: 'x', body_text: 'x' },
    ],
    approveOutboundEmail: [`/api/v1/outbound_emails/${held[0]}/approve`],
    rejectOutboundEmail: [`/api/v1/outbound_emails/${held[1]}/reject`, { reason: 'x' }],
    getOutboundHold: ['/api/v1/outbound_hold'],
    setOutboundHold: ['/api/v1/outbound_hold', { enabled: true }],
    getInboxOutboundHold: [`/api/v1/inboxes/${sender.inbox.id}/outbound_hold`],
    setInboxOutboundHold: [`/api/v1/inboxes/${sender.inbox.id}/outbound_hold`, { enabled: true }],
    listOutboundEmails: ['/api/v1/outbound_emails'],
    getOutboundEmail: [`/api/v1/outbound_emails/${sent.json.data.id}`],
    replyToMessage: [`${thread}/reply`, { body_text: 'x' }],
    forwardMessage: [`${thread}/forward`, { to }],
    composeEmail: [`/api/v1/inboxes/${sender.inbox.id}/compose`, { to, subject: 'x', body_text: 'x' }],
    listApprovedRecipients: ['/api/v1/outbound_allowlist'],
    approveRecipient: ['/api/v1/outbound_allowlist', { email: 'b@example.org' }],
    getApprovedRecipient: [`/api/v1/outbound_allowlist/${approved.json.data.id}`],
    setAllowlistMode: ['/api/v1/outbound_allowlist/mode', { enabled: true }],
  };
}
