/** DKIM keys in the DNS: found, rotated without a gap, lost. */
import { expect, test } from 'bun:test';
import { checkDomain } from '../../../src/features/domains/check.ts';
import { findDomain } from '../../../src/features/domains/find.ts';
import { findSigner } from '../../../src/features/domains/sending.ts';
import { listDkimKeys } from '../../../src/features/domains/sql.ts';
import type { DomainView } from '../../../src/features/domains/wire.ts';
import { servfail } from '../../peers/dns-server.ts';
import { DAY, HOUR, MINUTE, startWorld, type World } from './world.ts';

const signing = ({ appliance, owner }: World) =>
  findSigner(appliance.services, owner.account.no, 'a@one.example')?.selector ?? null;

const setUp = async (world: World, { id }: { id: string }): Promise<DomainView> =>
  (await world.api('POST', `/domains/${id}/sending_setup`)).json.data;

const take = (world: World, selector: string) =>
  world.dns.set(`${selector}._domainkey.one.example`, 'TXT', { code: 3 });

test('a key signs once the scheduler finds it, which it tries after 1, 2, 5, 10 and 30 minutes, then hourly', async () => {
  await using world = await startWorld();
  const domain = await world.verified('one.example');
  await setUp(world, domain);
  const seen: number[] = [];
  const asked = () => world.dns.asked.filter((line) => line.includes('_domainkey')).length;
  for (let minute = 1; minute <= 100; minute++) {
    const before = asked();
    await world.later(MINUTE);
    if (asked() > before) seen.push(minute);
  }
  expect(seen).toEqual([1, 2, 5, 10, 30, 90]);
  expect([signing(world), (await world.get(domain)).dkim_status]).toEqual([null, 'pending_dns']);
  world.publish(await world.get(domain));
  await world.later(HOUR);
  expect([signing(world), (await world.get(domain)).dkim_status]).toEqual(['pst202611a', 'verified']);
});

test('the operator’s check finds a key at once, and the owner’s leaves keys alone', async () => {
  await using world = await startWorld();
  const { services } = world.appliance;
  const domain = await world.verified('one.example');
  world.publish(await setUp(world, domain));
  await world.api('POST', `/domains/${domain.id}/verify`);
  expect((await world.get(domain)).dkim_status).toBe('pending_dns');
  await checkDomain(services, findDomain(services.store, domain.id), 'operator');
  expect((await world.get(domain)).dkim_status).toBe('verified');
});

test('rotation leaves no moment without a key that verifies', async () => {
  await using world = await startWorld();
  const { store } = world.appliance.services;
  const domain = await world.verified('one.example');
  const first = await setUp(world, domain);
  world.publish(first);
  await world.later(MINUTE);
  for (let round = 0; round < 3; round++) {
    const old = signing(world);
    const next = await setUp(world, domain);
    expect(next).toMatchObject({ dkim_status: 'pending_dns' });
    for (let day = 0; day < 3; day++) {
      await world.later(DAY);
      expect(signing(world)).toBe(old);
    }
    world.publish(next);
    await world.later(HOUR);
    expect(signing(world)).toBe(next.dkim_selector);
    expect(listDkimKeys(store, findDomain(store, domain.id).no)).toHaveLength(1);
    // Only now may the old record be removed.
    take(world, old!);
    await world.later(DAY);
    expect(await world.get(domain)).toMatchObject({
      dkim_status: 'verified',
      dkim_selector: next.dkim_selector,
    });
  }
});

test('an unpublished key fails after seven days, while the old one keeps signing', async () => {
  await using world = await startWorld();
  const domain = await world.verified('one.example');
  world.publish(await setUp(world, domain));
  await world.later(MINUTE);
  const next = await setUp(world, domain);
  for (let day = 0; day < 8; day++) await world.later(DAY);
  expect(await world.get(domain)).toMatchObject({ dkim_status: 'failed', dkim_selector: next.dkim_selector });
  expect(signing(world)).toBe('pst202611a');
  // If it is published late, the daily check finds it.
  world.publish(next);
  await world.later(DAY);
  expect(signing(world)).toBe(next.dkim_selector);
});

test('a key whose record is missing for five days stops signing, and unanswered checks do not count', async () => {
  await using world = await startWorld();
  const domain = await world.verified('one.example');
  const key = await setUp(world, domain);
  world.publish(key);
  await world.later(MINUTE);
  world.dns.set('pst202611a._domainkey.one.example', 'TXT', servfail);
  for (let day = 0; day < 8; day++) await world.later(DAY);
  expect(signing(world)).toBe('pst202611a');
  take(world, 'pst202611a');
  for (let day = 0; day < 5; day++) {
    await world.later(DAY);
    expect(signing(world)).toBe('pst202611a');
  }
  await world.later(DAY);
  expect([signing(world), (await world.get(domain)).dkim_status]).toEqual([null, 'failed']);
  expect((await world.get(domain)).status).toBe('verified');
  world.publish(key);
  await world.later(DAY);
  expect(signing(world)).toBe('pst202611a');
});

test('nothing is signed for a domain that stopped being verified', async () => {
  await using world = await startWorld();
  const { services } = world.appliance;
  const domain = await world.verified('one.example');
  world.publish(await setUp(world, domain));
  await world.later(MINUTE);
  expect(signing(world)).toBe('pst202611a');
  const { disableDomainOp } = await import('../../../src/features/domains/writes.ts');
  await services.store.write(disableDomainOp, { id: domain.id });
  expect(signing(world)).toBeNull();
});

test('private keys are stored sealed, each for its own domain', async () => {
  await using world = await startWorld();
  const { services } = world.appliance;
  const domain = await world.verified('one.example');
  await setUp(world, domain);
  const [key] = listDkimKeys(services.store, findDomain(services.store, domain.id).no);
  const { openPrivateKey } = await import('../../../src/features/domains/dkim-key.ts');
  expect(openPrivateKey(services.key, domain.id, key!).asymmetricKeyType).toBe('rsa');
  expect(() => openPrivateKey(services.key, 'dom_other', key!)).toThrow();
  // The PKCS #8 form of an RSA key names its algorithm, which must not appear unsealed.
  expect(Buffer.from(key!.private_key).includes(Buffer.from('2a864886f70d010101', 'hex'))).toBeFalse();
});
