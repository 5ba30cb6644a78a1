/** A domain's whole life, served by NSD from zone files with the lines of `domain show` pasted in. */
import { expect, test } from 'bun:test';
import { findDomain } from '../../../src/features/domains/find.ts';
import { listRecords } from '../../../src/features/domains/records.ts';
import { findSigner } from '../../../src/features/domains/sending.ts';
import { formatZoneLine } from '../../../src/features/domains/zone-line.ts';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { haveNsd, NSD_NEGATIVE_TTL_S, type Nsd, startNsd } from '../../peers/nsd.ts';
import { DAY, HOUR, MINUTE, startWorld, type World } from './world.ts';

interface Life {
  nsd: Nsd;
  world: World;
  id: string;
  verify(): Promise<unknown>;
  setUp(): Promise<unknown>;
  get(): ReturnType<World['get']>;
  /** The records shown to the operator. */
  lines(): string[];
  /** The selector that signs mail now. */
  signing(): string | null;
}

const ZONE = 'one.example';

test.skipIf(!haveNsd())('a domain is verified, set up and rotated against a real name server', async () => {
  await using nsd = await startNsd([ZONE, 'elsewhere.example']);
  await using world = await startWorld({ dns_servers: `${nsd.host}:${nsd.port}` });
  const { services } = world.appliance;
  const { id } = await world.register(ZONE);
  const life: Life = {
    nsd,
    world,
    id,
    verify: async () => (await world.api('POST', `/domains/${id}/verify`)).json.data,
    setUp: () => world.api('POST', `/domains/${id}/sending_setup`),
    get: () => world.get({ id }),
    lines: () => listRecords(services, findDomain(services.store, id)).map(formatZoneLine),
    signing: () => findSigner(services, world.owner.account.no, `a@${ZONE}`)?.selector ?? null,
  };
  await isVerified(life);
  await changeKeys(life);
  await moveChallenge(life);
  await loseDns(life);
});

/** First the records are missing, and the zone says how long that may be cached; then the records are pasted. */
async function isVerified({ nsd, world, verify, get, lines }: Life) {
  expect(await verify()).toMatchObject({
    status: 'pending_dns',
    last_error: expect.stringContaining('no TXT record'),
  });
  const nothing = await makeResolver([nsd]).txt(`_postern-challenge.${ZONE}`);
  expect(nothing).toEqual({ kind: 'nxdomain', ttlS: NSD_NEGATIVE_TTL_S });
  await nsd.publish(ZONE, lines());
  await world.later(MINUTE);
  expect((await get()).status).toBe('verified');
}

/** A key is longer than one string of a TXT record. The next key is published next to the old one. */
async function changeKeys({ nsd, world, setUp, get, lines, signing }: Life) {
  await setUp();
  await nsd.publish(ZONE, lines());
  await world.later(MINUTE);
  const { dkim_status, dkim_public_key_txt } = await get();
  expect([dkim_status, signing()]).toEqual(['verified', 'pst202611a']);
  const published = await makeResolver([nsd]).txt(`pst202611a._domainkey.${ZONE}`);
  expect(published).toEqual({ kind: 'answer', records: [dkim_public_key_txt!], ttlS: 60 });
  const before = lines();
  await setUp();
  await world.later(HOUR);
  expect(signing()).toBe('pst202611a');
  await nsd.publish(ZONE, [...new Set([...before, ...lines()])]);
  await world.later(HOUR);
  expect(signing()).toBe('pst202611b');
}

/** Moves it to another zone, behind an alias, with an answer too large for a datagram. */
async function moveChallenge({ nsd, world, get, lines }: Life) {
  const [challenge = '', ...rest] = lines();
  const many = Array.from({ length: 12 }, (_, at) => `token IN TXT "${at} ${'x'.repeat(150)}"`);
  await nsd.publish('elsewhere.example', [challenge.replace(/^\S+/, 'token.elsewhere.example.'), ...many]);
  await nsd.publish(ZONE, ['_postern-challenge IN CNAME token.elsewhere.example.', ...rest]);
  await world.later(DAY);
  expect(await get()).toMatchObject({ status: 'verified', last_error: null });
}

/** The name server is down for a week, which changes nothing. Then the domain points elsewhere, and is corrected. */
async function loseDns({ nsd, world, verify, get, lines, signing }: Life) {
  await nsd.stop();
  for (let day = 0; day < 7; day++) await world.later(DAY);
  expect(await get()).toMatchObject({
    status: 'verified',
    last_error: expect.stringContaining('did not answer'),
  });
  expect(signing()).toBe('pst202611b');
  await nsd.start();
  const others = lines().filter((line) => !line.includes(' MX '));
  await nsd.publish(ZONE, [`${ZONE}. IN MX 10 mx.elsewhere.example.`, ...others]);
  for (let day = 0; day < 6; day++) await world.later(DAY);
  expect(await get()).toMatchObject({
    status: 'failed',
    last_error: expect.stringContaining('"mx.elsewhere.example"'),
  });
  expect(signing()).toBeNull();
  await nsd.publish(ZONE, lines());
  expect(await verify()).toMatchObject({ status: 'verified', last_error: null });
  expect(signing()).toBe('pst202611b');
}
