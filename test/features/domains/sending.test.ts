import { expect, test } from 'bun:test';
import { createPublicKey } from 'node:crypto';
import { createRsaPair, sealDkimKey } from '../../../src/features/domains/dkim-key.ts';
import { findSendingDomain, findSigner, findVerifiedDomain } from '../../../src/features/domains/sending.ts';
import { listDkimKeys } from '../../../src/features/domains/sql.ts';
import { addDkimKeyOp, recordCheckOp } from '../../../src/features/domains/writes.ts';
import { startAppliance } from '../../start.ts';
import { readyDomain } from './ready.ts';
import { startWorld } from './world.ts';

const seen = { verdict: 'yes', error: null } as const;

test('mail from an account’s domain is signed with the key that its TXT record publishes', async () => {
  await using appliance = await startAppliance();
  const { services } = appliance;
  const { account } = await appliance.holder();
  const domain = await readyDomain(services, account.no, 'one.example');
  const signer = findSigner(services, account.no, 'Ann@ONE.example');
  expect(signer).toMatchObject({ domain: 'one.example', selector: domain.dkim_selector! });
  const publicKey = createPublicKey(signer!.privateKey).export({
    type: 'spki',
    format: 'der',
  });
  expect(domain.dkim_public_key_txt).toBe(`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`);
  expect(publicKey.length).toBeGreaterThan(256);
});

test('nobody can send from another’s domain, an unverified one, or one without a key in the DNS', async () => {
  await using appliance = await startAppliance();
  const { services } = appliance;
  const [own, other] = [await appliance.holder(), await appliance.holder()];
  await readyDomain(services, own.account.no, 'one.example');
  await readyDomain(services, own.account.no, 'waiting.example', 'pending_dns');
  await readyDomain(services, own.account.no, 'bare.example', 'none');
  const can = (accountNo: number, address: string) => [
    findVerifiedDomain(services.store, accountNo, address) !== null,
    findSendingDomain(services.store, accountNo, address) !== null,
    findSigner(services, accountNo, address) !== null,
  ];
  expect(can(own.account.no, 'a@one.example')).toEqual([true, true, true]);
  expect(can(other.account.no, 'a@one.example')).toEqual([false, false, false]);
  expect(can(own.account.no, 'a@waiting.example')).toEqual([true, false, false]);
  expect(can(own.account.no, 'a@bare.example')).toEqual([true, false, false]);
  for (const address of ['a@sub.one.example', 'a@postern.test', 'one.example', '@one.example', '']) {
    expect([address, ...can(own.account.no, address)]).toEqual([address, false, false, false]);
  }
});

test('a new key signs once it is found in the DNS, and the old one signs until then', async () => {
  await using appliance = await startAppliance();
  const { services } = appliance;
  const { account } = await appliance.holder();
  const first = await readyDomain(services, account.no, 'one.example');
  const { id, no } = first;
  const selector = () => findSigner(services, account.no, 'a@one.example')?.selector ?? null;
  const addKey = async () =>
    services.store.write(addDkimKeyOp, {
      account_no: account.no,
      id,
      ...sealDkimKey(services.key, id, await createRsaPair()),
    });
  const second = await addKey();
  expect(second).toMatchObject({ dkim_status: 'pending_dns' });
  const third = await addKey();
  expect(new Set([first, second, third].map((domain) => domain.dkim_selector)).size).toBe(3);
  expect(selector()).toBe(first.dkim_selector);
  expect(listDkimKeys(services.store, no).map((key) => key.status)).toEqual(['verified', 'pending_dns']);
  const keys = listDkimKeys(services.store, no).map((key) => ({ no: key.no, verdict: 'yes' as const }));
  await services.store.write(recordCheckOp, { id, found: seen, keys, byOwner: false });
  expect(selector()).toBe(third.dkim_selector);
  expect(listDkimKeys(services.store, no)).toHaveLength(1);
});

test('a domain gets no DKIM key if its name is too long for the host of the key’s record', async () => {
  await using world = await startWorld({ outbound: 'direct' });
  const setUp = async (name: string) => {
    const { id } = await world.verified(name);
    const { status, json } = await world.api('POST', `/domains/${id}/sending_setup`);
    return [status, Object.keys(json.error?.fields ?? {})];
  };
  // 231 characters: the host of the key's record then has the maximum of 253.
  expect(await setUp(`${'a.'.repeat(112)}aa.test`)).toEqual([200, []]);
  expect(await setUp(`${'b.'.repeat(112)}bbb.test`)).toEqual([422, ['name']]);
});
