/** Who may send: the server's setting, the account's plan, kind and flag, the domain; in this order. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { routes } from '../../../src/app/routes.ts';
import { createKey } from '../../../src/features/accounts/keys/create.ts';
import { addMemberOp, changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { createDomainOp } from '../../../src/features/domains/writes.ts';
import type { AccountKind, Plan } from '../../../src/rules/plans.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { readyDomain } from '../domains/ready.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

const outbound = routes.filter(({ tag }) => tag === 'Outbound email');
const isAllowlist = (path: string) => path.includes('outbound_allowlist');
const makePath = (path: string) => path.replace(/:\w+/g, 'none');

let sender: Sender;
let appliance: RunningAppliance;
beforeAll(async () => {
  sender = await Sender.start();
  appliance = sender.appliance;
});
afterAll(() => sender[Symbol.asyncDispose]());

/** What each outbound route answers to a key before it looks at the body or the path. */
async function verdicts(key: string): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const { name, method, path } of outbound) {
    const body = method === 'POST' ? 'not json' : undefined;
    answers[name] = verdict(await appliance.request(method, makePath(path), { key, body }));
  }
  return answers;
}

const all = (sending: string, allowlist: string) =>
  Object.fromEntries(outbound.map(({ name, path }) => [name, isAllowlist(path) ? allowlist : sending]));

describe('the list of accounts that can’t send', () => {
  test('includes every plan but Business', async () => {
    for (const plan of ['free', 'pro', 'scale'] as Plan[]) {
      const { key } = await appliance.holder(plan);
      expect(await verdicts(key)).toEqual(
        all('403 outbound_entitlement_required', '403 outbound_allowlist_entitlement_required'),
      );
    }
  });

  test('includes agent and demo accounts, whatever their plan and flag', async () => {
    for (const kind of ['agent', 'demo'] as AccountKind[]) {
      const { account, key } = await appliance.holder();
      const changes = { kind, outbound: true };
      await appliance.services.store.write(changeAccountOp, { account_no: account.no, changes });
      expect(await verdicts(key)).toEqual(
        all('403 outbound_entitlement_required', '403 outbound_allowlist_entitlement_required'),
      );
    }
    const agent = await appliance.request('POST', '/api/v1/agents/register', { body: {} });
    expect(await verdicts(agent.json.data.api_key)).toEqual(
      all('403 outbound_entitlement_required', '403 outbound_allowlist_entitlement_required'),
    );
  });

  test('includes an account whose flag is off, until it is on again', async () => {
    const { account, key } = await appliance.holder();
    const change = (on: boolean) =>
      appliance.services.store.write(changeAccountOp, { account_no: account.no, changes: { outbound: on } });
    await change(false);
    expect(await verdicts(key)).toEqual(all('403 outbound_disabled', '403 outbound_disabled'));
    await change(true);
    expect((await verdicts(key)).listApprovedRecipients).toBe('200');
  });
});

test('with sending off every outbound route is a 404, for every key', async () => {
  await using off = await startAppliance();
  const { key } = await off.holder();
  const { key: free } = await off.holder('free');
  for (const { method, path } of outbound) {
    for (const each of [key, free]) {
      const reply = await off.request(method, makePath(path), { key: each });
      expect(verdict(reply)).toBe('404 not_found');
    }
    expect(verdict(await off.request(method, makePath(path)))).toBe('401 authentication_required');
  }
});

test('a key that a member created can send, but can’t change the allowlist', async () => {
  const { account } = sender.owner;
  const email = 'member@example.org';
  await appliance.services.store.write(addMemberOp, {
    account_no: account.no,
    email,
    token_hash: crypto.getRandomValues(new Uint8Array(32)),
  });
  const { api_key: key } = await createKey(appliance.services, account, { as: email, name: 'x' });
  const answers = await verdicts(key);
  expect(answers.listApprovedRecipients).toBe('403 account_forbidden');
  expect(answers.approveRecipient).toBe('403 account_forbidden');
  expect(answers.removeApprovedRecipient).toBe('403 account_forbidden');
  expect(answers.setAllowlistMode).toBe('403 account_forbidden');
  expect(answers.sendEmail).toBe('422 validation_error body');
});

test('mistakes in the body are reported before the ownership of the domain', async () => {
  const many = Array.from({ length: 11 }, (_, index) => `a${index}@x.example`);
  expect(verdict(await sender.send({ from_address: 'a@nobody.example', to: many }))).toBe(
    '422 validation_error to',
  );
  const { id } = await appliance.inbox(sender.owner);
  const compose = { to: many, subject: 'x', body_text: 'x' };
  for (const inbox of [id, 'inbox_x']) {
    expect(verdict(await sender.post(`/inboxes/${inbox}/compose`, compose))).toBe('422 validation_error to');
  }
});

describe('the domain that mail comes from', () => {
  const sendFrom = async (fromAddress: string) => verdict(await sender.send({ from_address: fromAddress }));

  test('must be the account’s own, verified, with DKIM found in the DNS, and any other gets the same refusal', async () => {
    const other = await appliance.holder();
    const { services } = appliance;
    await readyDomain(services, other.account.no, 'other.example');
    await readyDomain(services, sender.owner.account.no, 'nokey.example', 'none');
    await readyDomain(services, sender.owner.account.no, 'waiting.example', 'pending_dns');
    const unverified = { account_no: sender.owner.account.no, cap: 1000, name: 'unverified.example' };
    await services.store.write(createDomainOp, { input: unverified, once: null });
    expect(await sendFrom(`anybody@${DOMAIN}`)).toBe('201');
    expect(await sendFrom(`Any Body <anybody@${DOMAIN.toUpperCase()}>`)).toBe('201');
    for (const domain of [
      'other.example',
      'unverified.example',
      'nokey.example',
      'waiting.example',
      'nobody.example',
    ]) {
      expect(await sendFrom(`a@${domain}`)).toBe('403 sending_domain_not_eligible');
    }
    for (const domain of [`sub.${DOMAIN}`, 'postern.test', 'shop.example.evil.example']) {
      expect(await sendFrom(`a@${domain}`)).toBe('403 sending_domain_not_eligible');
    }
  });

  test('is never the shared one for email sent from an inbox', async () => {
    const { id, address } = await appliance.inbox(sender.owner);
    const message = await appliance.deliver(address, { content: { answer_to: ['ann@example.org'] } });
    const bodies = {
      [`/inboxes/${id}/compose`]: { to: ['ann@example.org'], subject: 'x', body_text: 'x' },
      [`/inboxes/${id}/messages/${message}/reply`]: { body_text: 'x' },
      [`/inboxes/${id}/messages/${message}/forward`]: { to: ['ann@example.org'] },
    };
    for (const [path, body] of Object.entries(bodies)) {
      expect(verdict(await sender.post(path, body))).toBe('403 sending_domain_not_eligible');
    }
  });
});
