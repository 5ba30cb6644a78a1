/** What a member's key may not do, over every route of the API: the table below is the contract. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { routes } from '../../src/app/routes.ts';
import { createKey } from '../../src/features/accounts/keys/create.ts';
import { addMember, changeRole } from '../../src/features/accounts/members.ts';
import { sending } from '../features/outbound/sender.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { findExample, unknownIds } from './route-examples.ts';

let appliance: RunningAppliance;
let owner: Holder;
let membersKey: string;

beforeAll(async () => {
  appliance = await startAppliance({ settings: sending });
  owner = await appliance.holder();
  await addMember(appliance.services, owner.account, 'mia@example.org');
  membersKey = (await createKey(appliance.services, owner.account, { as: 'mia@example.org' })).api_key;
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** Only owners decide where mail goes, what is sent and to whom, manage domains, and read who did what. */
const ownersAlone = new Set([
  'listAuditLog',
  ...['createDomain', 'deleteDomain', 'verifyDomain', 'setCatchAll', 'setUpSending'],
  ...['setInboxWebhook', 'deleteInboxWebhook', 'rotateInboxWebhook', 'enableInboxWebhook'],
  ...['disableInboxWebhook', 'replayInboxWebhook'],
  ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhook', 'enableWebhook'],
  ...['disableWebhook', 'replayWebhook'],
  ...['getOutboundHold', 'setOutboundHold', 'getInboxOutboundHold', 'setInboxOutboundHold'],
  ...['getRawOutboundEmail', 'approveOutboundEmail', 'rejectOutboundEmail'],
  ...['listApprovedRecipients', 'approveRecipient', 'getApprovedRecipient', 'removeApprovedRecipient'],
  'setAllowlistMode',
]);

const withKeys = routes.filter(({ auth, waits }) => auth === 'key' && !waits);
const isRefused = async (key: string, route: (typeof routes)[number]) => {
  const { path, body } = findExample(route);
  // With ids of things that do not exist, so that an allowed request changes nothing that other tests need.
  const { status, json } = await appliance.request(route.method, path({ ...unknownIds, address: '' }), {
    key,
    body,
  });
  return status === 403 && json.error.code === 'account_forbidden';
};

describe('a member’s key', () => {
  test.each(withKeys.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is refused only on routes for owners: %s',
    async (_, route) => {
      expect([route.name, await isRefused(membersKey, route)]).toEqual([
        route.name,
        ownersAlone.has(route.name),
      ]);
      expect([route.name, await isRefused(owner.key, route)]).toEqual([route.name, false]);
    },
  );
});

test('the key of an owner who becomes a member can do only what a member’s key can', async () => {
  const { services } = appliance;
  await changeRole(services, owner.account, 'mia@example.org', 'owner');
  const guarded = withKeys.filter(({ name }) => ownersAlone.has(name));
  expect(guarded).toHaveLength(ownersAlone.size);
  for (const route of guarded)
    expect([route.name, await isRefused(membersKey, route)]).toEqual([route.name, false]);
  await changeRole(services, owner.account, 'mia@example.org', 'member');
  for (const route of guarded)
    expect([route.name, await isRefused(membersKey, route)]).toEqual([route.name, true]);
});
