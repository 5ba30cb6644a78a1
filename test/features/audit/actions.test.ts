/** Each change that the log must show is one entry, under its own name. */
import { expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { auditActions } from '../../../src/rules/audit.ts';
import { owner, password, Visitor } from '../../doors/dashboard/visitor.ts';
import { type Reply, startAppliance } from '../../start.ts';
import { createMemberKey } from '../outbound/held.ts';
import { Sender } from '../outbound/sender.ts';

/** What is done, and the actions that it adds to the log. */
type Step = [action: string | null, run: () => Promise<Reply>];

/** Runs the steps, and returns what each added to the log, beside what it should add. */
async function follow(steps: readonly Step[], readActions: () => Promise<string[]>) {
  const added: [number, (string | null)[]][] = [];
  const wanted: [number, (string | null)[]][] = [];
  let known = (await readActions()).length;
  for (const [at, [action, run]] of steps.entries()) {
    const { status, text } = await run();
    if (status >= 400) throw new Error(`step ${at} was answered ${status}: ${text}`);
    const actions = await readActions();
    added.push([at, actions.slice(0, actions.length - known)]);
    wanted.push([at, action === null ? [] : [action]]);
    known = actions.length;
  }
  return { added, wanted };
}

test('changes through the API', async () => {
  await using sender = await Sender.start({ settings: { webhook_allow_networks: '127.0.0.0/8' } });
  const { appliance, owner, inbox, domainId } = sender;
  const call = (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/api/v1${path}`, { key: owner.key, body });
  const member = await createMemberKey(appliance, owner);
  const sendHeld = async () => {
    const body = { from_address: inbox.address, to: ['ann@example.org'], subject: 'Hi', body_text: 'Hi' };
    const reply = await appliance.request('POST', '/api/v1/outbound_emails', { key: member, body });
    emailId = reply.json.data?.id;
    return reply;
  };
  let emailId = '';
  let hookId = '';
  let addedId = '';
  const url = 'http://127.0.0.1:1234/hook';
  const steps: Step[] = [
    [
      'webhook.set',
      async () => {
        const reply = await call('POST', '/webhooks', { url, events: ['email.sent'] });
        hookId = reply.json.data?.id;
        return reply;
      },
    ],
    ['webhook.secret_rotated', () => call('POST', `/webhooks/${hookId}/rotate`)],
    ['webhook.disabled', () => call('POST', `/webhooks/${hookId}/disable`)],
    ['webhook.enabled', () => call('POST', `/webhooks/${hookId}/enable`)],
    ['webhook.removed', () => call('DELETE', `/webhooks/${hookId}`)],
    ['webhook.set', () => call('PUT', `/inboxes/${inbox.id}/webhook`, { url })],
    ['webhook.disabled', () => call('POST', `/inboxes/${inbox.id}/webhook/disable`)],
    ['senders.changed', () => call('PUT', `/inboxes/${inbox.id}/senders`, { block: ['spam.example'] })],
    ['domain.catch_all_changed', () => call('PATCH', `/domains/${domainId}/catch_all`, { catch_all: true })],
    ['recipient.approved', () => call('POST', '/outbound_allowlist', { email: 'ann@example.org' })],
    ['allowlist.changed', () => call('POST', '/outbound_allowlist/mode', { enabled: true })],
    ['hold.changed', () => call('PUT', '/outbound_hold', { enabled: true })],
    [null, sendHeld],
    ['email.rejected', () => call('POST', `/outbound_emails/${emailId}/reject`)],
    [null, sendHeld],
    ['email.approved', () => call('POST', `/outbound_emails/${emailId}/approve`)],
    ['hold.changed', () => call('PUT', `/inboxes/${inbox.id}/outbound_hold`, { enabled: true })],
    [
      'domain.added',
      async () => {
        const reply = await call('POST', '/domains', { name: 'other.example' });
        addedId = reply.json.data?.id;
        return reply;
      },
    ],
    ['domain.removed', () => call('DELETE', `/domains/${addedId}`)],
  ];
  const readActions = async () =>
    (await call('GET', '/audit_log?limit=100')).json.data.map(({ action }: { action: string }) => action);
  const { added, wanted } = await follow(steps, readActions);
  expect(added).toEqual(wanted);
});

test('changes in the dashboard', async () => {
  await using appliance = await startAppliance();
  const { visitor, email } = await owner(appliance);
  const elsewhere = new Visitor(appliance);
  let userId = '';
  let secret = '';
  const confirm = { current_password: password };
  const steps: Step[] = [
    [
      'member.added',
      async () => {
        const reply = await visitor.post('/members', { email: 'mia@example.com' });
        userId = reply.json.data.user_id;
        return reply;
      },
    ],
    ['member.link_created', () => visitor.post(`/members/${userId}/link`)],
    ['member.role_changed', () => visitor.ask('PATCH', `/members/${userId}`, { role: 'owner' })],
    ['member.removed', () => visitor.ask('DELETE', `/members/${userId}`)],
    ['sign_in', () => elsewhere.signIn(email)],
    ['sessions.ended', () => visitor.post('/sessions/end-all', { keep_this: true })],
    [
      null,
      async () => {
        const reply = await visitor.post('/second-factor/new');
        secret = reply.json.data.secret;
        return reply;
      },
    ],
    [
      'second_factor.added',
      () => {
        const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
        return visitor.post('/second-factor', { ...confirm, secret, code });
      },
    ],
    ['recovery_codes.created', () => visitor.post('/second-factor/recovery-codes', confirm)],
    ['second_factor.removed', () => visitor.post('/second-factor/remove', confirm)],
    ['sign_out', () => visitor.post('/sign-out')],
  ];
  const { api_key: key } = (await visitor.post('/keys', { name: 'reader' })).json.data;
  const readActions = async () =>
    (await appliance.request('GET', '/api/v1/audit_log?limit=100', { key })).json.data.map(
      ({ action }: { action: string }) => action,
    );
  const { added, wanted } = await follow(steps, readActions);
  expect(added).toEqual(wanted);
});

test('every action of the table is expected in a test', async () => {
  const folder = new URL('../../', import.meta.url).pathname;
  const tests = await Array.fromAsync(new Bun.Glob('**/*.test.ts').scan({ cwd: folder, absolute: true }));
  const texts = await Promise.all(tests.map((file) => Bun.file(file).text()));
  const unexpected = auditActions.filter((action) => !texts.some((text) => text.includes(`'${action}'`)));
  expect(unexpected).toEqual([]);
});
