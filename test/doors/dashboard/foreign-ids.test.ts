/** Every route of the dashboard with an id in its path, asked for what belongs to another account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboardRoutes } from '../../../src/doors/dashboard/routes.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { findExample } from '../../contract/route-examples.ts';
import { Sender, sending } from '../../features/outbound/sender.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, owner, type Person, password, signInOwner } from './visitor.ts';

let appliance: RunningAppliance;
let ann: Person;
let bob: Person;
let ids: Record<string, string>;

const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const RAW = [
  'From: a@b.example',
  'Subject: both',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  ...['--x', 'Content-Type: image/png; name=a.png', 'Content-Transfer-Encoding: base64', '', PICTURE],
  ...['--x', 'Content-Type: message/rfc822', '', 'Subject: inner', '', 'inner', '--x--', ''],
].join('\r\n');
const attachments = [
  { index: 0, filename: 'a.png', content_type: 'image/png', size: 70, content_id: null, inline: false },
  { index: 1, filename: null, content_type: 'message/rfc822', size: 24, content_id: null, inline: false },
];

beforeAll(async () => {
  appliance = await startAppliance({ settings: sending });
  // The first account is the operator's, who may see more.
  await owner(appliance);
  const sender = await Sender.join(appliance);
  ann = await signInOwner(appliance, sender.owner.account);
  bob = await owner(appliance);
  ids = await makeAll(sender);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** Creates one of everything that a path can name. */
async function makeAll(sender: Sender): Promise<Record<string, string>> {
  const { visitor } = ann;
  const made = async (path: string, body: unknown) => (await visitor.post(path, body)).json.data;
  const inbox = sender.inbox.id;
  await visitor.ask('PUT', `/webhooks/${inbox}`, { url: 'https://hooks.example.com/' });
  const message = await appliance.deliver(sender.inbox.address, {
    raw: RAW,
    attachment_count: 2,
    has_html: true,
    content: { html: '<p>secret</p>', attachments },
  });
  const mia = await member(appliance, ann.account);
  await visitor.ask('PUT', '/outbound_hold', { enabled: true });
  const held = await mia.visitor.post(`/inboxes/${inbox}/compose`, {
    to: ['b@example.org'],
    subject: 'x',
    body_text: 'x',
  });
  const webhook = await made('/account-webhooks', {
    url: 'https://hooks.example.com/',
    events: ['email.received'],
  });
  const members = (await visitor.get('/members')).json.data;
  return {
    inboxes: inbox,
    webhooks: inbox,
    messages: message,
    message_id: message,
    threads: message.replace('msg_', 'thr_'),
    domains: sender.domainId,
    rules: (await made('/rules', { mark_read: true })).id,
    outbound_emails: held.json.data.id,
    outbound_allowlist: (await made('/outbound_allowlist', { email: 'b@example.org' })).id,
    'account-webhooks': webhook.id,
    keys: (await made('/keys', { name: 'k' })).key_id,
    members: members.find(({ email }: { email: string }) => email === mia.email).user_id,
    sessions: (await visitor.get('/sessions')).json.data[0].id,
  };
}

/** Bodies of the routes that only the dashboard has. */
const bodies: Record<string, unknown> = {
  dashboardRelease: { to: ['b@example.org'] },
  dashboardChangeRole: { role: 'owner' },
  dashboardRenamePasskey: { name: 'x' },
  dashboardRemovePasskey: { password },
};
/** Left out: tokens and addresses are not ids, operators see all accounts, and the rest can't be put into a test's store. */
const leftOut =
  /^(operator|dashboardInvite$|dashboardSetUpState$)|Passkey$|Suppression$|SmtpFault$|^dashboardDiary/;

const routes = dashboardRoutes.filter(
  ({ path, name }) => path.startsWith('/dashboard/api/') && path.includes('/:') && !leftOut.test(name),
);

function fill({ path }: Route, ofOwner: Record<string, string>): string {
  // The second attachment is a mail.
  const values: Record<string, string> = { ...ofOwner, index: path.includes('/mail') ? '1' : '0' };
  const parts = path.split('/').slice(3);
  const names = parts.map((part, at) =>
    part.startsWith(':') ? pickName(part.slice(1), parts[at - 1]!) : null,
  );
  return `/${parts.map((part, at) => (names[at] == null ? part : (values[names[at]] ?? `no-${names[at]}`))).join('/')}`;
}

const pickName = (name: string, folder: string) => (name === 'id' ? folder : name);

/** Invents an id in the format of a real one, so that it is not refused as malformed. */
const invent = (id: string) => id.replace(/[0-9a-f]{32}$/, '0123456789abcdef'.repeat(2));

async function ask(route: Route, values: Record<string, string>, person = bob) {
  const body =
    bodies[route.name] ?? findExample({ ...route, name: route.name.replace('dashboard.', '') }).body;
  const { status, json } = await person.visitor.ask(
    route.method,
    fill(route, values),
    route.body ? body : undefined,
  );
  const { request_id: _, ...error } = json?.error ?? {};
  return { status, error };
}

const missing = () => Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, invent(id)]));

describe('what belongs to another account is answered as if there were none', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'by %s',
    async (_, route) => {
      expect(fill(route, ids)).not.toContain('/no-');
      const foreign = await ask(route, ids);
      expect(foreign).toEqual(await ask(route, missing()));
      expect(foreign.status).toBe(404);
    },
  );

  test('a message of another account is not found in an inbox of one’s own', async () => {
    const own = (await bob.visitor.post('/inboxes', {})).json.data.id;
    for (const route of routes.filter(({ path }) => path.includes(':message_id'))) {
      const foreign = await ask(route, { ...ids, inboxes: own });
      expect(foreign).toEqual(await ask(route, { ...missing(), inboxes: own }));
      expect(foreign.status).toBe(404);
    }
  });

  test('and its owner still has all of it', async () => {
    const reads = routes.filter(({ method, name }) => method === 'GET' && name !== 'dashboard.checkMessage');
    for (const route of reads)
      expect([route.name, (await ask(route, ids, ann)).status]).toEqual([route.name, 200]);
  });
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
