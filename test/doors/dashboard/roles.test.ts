/** Who may do what: every route of the owners' pages by role, and resources of other accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { dashboardRoutes } from '../../../src/doors/dashboard/routes.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, owner, type Person } from './visitor.ts';

let appliance: RunningAppliance;
let operator: Person;
let someone: Person;
let mia: Person;

beforeAll(async () => {
  const oidc = { oidc_issuer: 'https://idp.example', oidc_client_id: 'x' };
  appliance = await startAppliance({
    settings: { ...oidc, outbound: 'direct', limits: 'off', signup: 'open' },
  });
  operator = await owner(appliance);
  someone = await owner(appliance);
  mia = await member(appliance, someone.account);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** What a member may do: read, use mail, and manage their own things. The rest is for the owner or the operator. */
const forMembers = new Set([
  ...['dashboardSessions', 'dashboardEndSession', 'dashboardSignOutEverywhere', 'dashboardChangePassword'],
  ...['dashboardMemberships', 'dashboardSwitchAccount', 'dashboardJoinByInvite'],
  ...['dashboardCreateKey', 'dashboardRevokeKey', 'dashboardTestWebhook'],
  ...['dashboardNewSecondFactor', 'dashboardSetSecondFactor', 'dashboardRenewRecoveryCodes'],
  'dashboardRemoveSecondFactor',
  ...['dashboardConfirmByPasskey', 'dashboardNewPasskey', 'dashboardAddPasskey'],
  ...['dashboardRenamePasskey', 'dashboardRemovePasskey', 'dashboardConnectOidc', 'dashboardDisconnectOidc'],
  // A member's key may send and test, so a member may too.
  ...['dashboard.forwardMessage', 'dashboard.replyToMessage', 'dashboard.composeEmail'],
  'dashboard.testAccountWebhook',
]);
/** What members may not even see: who did what, and emails that wait for an owner's approval. */
const ownersLooks = /ApprovedRecipients?$|Audit$|OutboundHold$|Held|RawOutboundEmail$/;
const forAnyone = new Set([
  ...['dashboardDoorState', 'dashboardSignIn', 'dashboardSignUp', 'dashboardSignOut'],
  ...['dashboardBeginPasskeySignIn', 'dashboardPasskeySignIn'],
  ...['dashboardBeginInvitePasskey', 'dashboardInvitePasskey', 'dashboardInviteOidc', 'dashboardFinishOidc'],
  ...['dashboardBeginSetUpPasskey', 'dashboardSetUpPasskey'],
  ...['dashboardInvite', 'dashboardAcceptInvite', 'dashboardSetUpState', 'dashboardSetUp'],
]);

const routes = dashboardRoutes.filter(
  ({ path, open }) => path.startsWith('/dashboard/api/') && open !== null,
);
const makePath = ({ path }: Route) => path.slice('/dashboard/api'.length).replace(/:\w+/g, 'x');
const makeBody = ({ body }: Route) => (body ? {} : undefined);

describe('a member', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'may send %s, or is refused',
    async (_, route) => {
      if (forAnyone.has(route.name)) return;
      const isOperators = route.name.startsWith('operator');
      const isLook = route.method === 'GET' && !ownersLooks.test(route.name);
      const may = !isOperators && (isLook || forMembers.has(route.name));
      // Signing out would end the other tests' session. An invalid body changes nothing.
      const { status, json } = await mia.visitor.ask(route.method, makePath(route), makeBody(route));
      if (may) expect([route.name, [401, 403].includes(status)]).toEqual([route.name, false]);
      else expect([route.name, status, json.error.code]).toEqual([route.name, 403, 'account_forbidden']);
    },
  );
});

test('an owner of another account sees none of the operator’s pages', async () => {
  const theirs = routes.filter(({ name }) => name.startsWith('operator'));
  expect(theirs.length).toBeGreaterThan(5);
  for (const route of theirs) {
    const { status } = await someone.visitor.ask(route.method, makePath(route), makeBody(route));
    expect([route.name, status]).toEqual([route.name, 403]);
  }
});

test('a member of the operator’s account is not an operator', async () => {
  const theirs = await member(appliance, operator.account);
  expect((await theirs.visitor.get('/me')).json.data.is_operator).toBe(false);
  expect((await theirs.visitor.get('/operator/health')).status).toBe(403);
});

test.each(['suspended', 'unverified', 'inactive'] as const)(
  'an owner of an account that is %s may only see that it is, leave it and sign out',
  async (status) => {
    const them = await owner(appliance);
    const { services } = appliance;
    await services.store.write(changeAccountOp, { account_no: them.account.no, changes: { status } });
    const open = new Set(['dashboardVisitor', 'dashboardMemberships', 'dashboardSwitchAccount']);
    for (const route of routes) {
      if (forAnyone.has(route.name) || open.has(route.name)) continue;
      const { status: code, json } = await them.visitor.ask(route.method, makePath(route), makeBody(route));
      expect([route.name, code, json.error.code]).toEqual([route.name, 403, 'account_forbidden']);
    }
  },
);

test('an API key opens none of the dashboard’s routes', async () => {
  const { key } = await appliance.holder();
  expect((await appliance.request('GET', '/dashboard/api/keys', { key })).status).toBe(401);
  const withCookie = await appliance.request('GET', '/api/v1/account', {
    headers: { cookie: someone.visitor.cookie! },
  });
  expect(withCookie.status).toBe(401);
});

test('capture mode has none of the owners’ routes', async () => {
  await using trap = await startAppliance({ capture: {} });
  expect([trap.services.capture !== null, trap.setUpPath]).toEqual([true, null]);
  for (const route of routes) {
    const body = makeBody(route);
    const reply = await trap.request(route.method, `/dashboard/api${makePath(route)}`, body ? { body } : {});
    expect([route.name, reply.status]).toEqual([route.name, 404]);
  }
});

test('requests from other pages change nothing, whoever is signed in', async () => {
  const changing = routes.filter(({ method }) => method !== 'GET');
  for (const route of changing) {
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: appliance.url.replace(/\d+$/, '1'), 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      const reply = await operator.visitor.ask(route.method, makePath(route), makeBody(route), headers);
      expect([route.name, reply.status]).toEqual([route.name, 403]);
    }
  }
  expect((await operator.visitor.get('/me')).status).toBe(200);
});

test('changes are rate-limited, and reads are not', async () => {
  await using strict = await startAppliance({ settings: { limit_dashboard_changes_per_minute: '2' } });
  const { visitor } = await owner(strict);
  const createKey = async () => (await visitor.post('/keys', { name: 'k' })).status;
  expect([await createKey(), await createKey(), await createKey()]).toEqual([201, 201, 429]);
  expect((await visitor.get('/keys')).status).toBe(200);
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
