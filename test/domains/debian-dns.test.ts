/** One domain's whole life, answered by NSD from zone files into which the lines of `domain show` are pasted. */
import { expect, test } from 'bun:test';
import { findDomain } from '../../src/domains/find.ts';
import { recordsOf } from '../../src/domains/records.ts';
import { signerFor } from '../../src/domains/sending.ts';
import { zoneLine } from '../../src/domains/zone-line.ts';
import { makeResolver } from '../../src/net/dns.ts';
import { haveNsd, NSD_NEGATIVE_TTL_S, startNsd } from '../peers/nsd.ts';
import { DAY, HOUR, MINUTE, startWorld } from './world.ts';

test.skipIf(!haveNsd())(
  'a domain lives as decided when a name server of the world answers for it',
  async () => {
    await using nsd = await startNsd(['one.example', 'elsewhere.example']);
    const dns_servers = `${nsd.host}:${nsd.port}`;
    await using world = await startWorld({ dns_servers });
    const { floor } = world.appliance;
    const { id } = await world.register('one.example');
    const verify = async () => (await world.api('POST', `/domains/${id}/verify`)).json.data;
    /** What the operator is shown, by purpose. */
    const lines = () => recordsOf(floor, findDomain(floor.store, id)).map(zoneLine);
    const signing = () => signerFor(floor, world.owner.account.no, 'a@one.example')?.selector ?? null;

    // Nothing there: the zone says no, and for how long that may be believed.
    expect(await verify()).toMatchObject({
      status: 'pending_dns',
      last_error: expect.stringContaining('no TXT record'),
    });
    const nothing = await makeResolver([nsd]).txt('_postern-challenge.one.example');
    expect(nothing).toEqual({ kind: 'nxdomain', ttl_s: NSD_NEGATIVE_TTL_S });

    // Pasted as it is shown.
    await nsd.publish('one.example', lines());
    await world.later(MINUTE);
    expect((await world.get({ id })).status).toBe('verified');

    // A key is longer than one string of a TXT record.
    await world.api('POST', `/domains/${id}/sending_setup`);
    await nsd.publish('one.example', lines());
    await world.later(MINUTE);
    expect(await world.get({ id })).toMatchObject({ dkim_status: 'verified' });
    const old = signing();
    expect(old).toBe('pst202611a');
    const published = await makeResolver([nsd]).txt('pst202611a._domainkey.one.example');
    const { dkim_public_key_txt } = await world.get({ id });
    expect(published).toEqual({ kind: 'answer', records: [dkim_public_key_txt!], ttl_s: 60 });

    // The next key, while the old one still stands there.
    const before = lines();
    await world.api('POST', `/domains/${id}/sending_setup`);
    await world.later(HOUR);
    expect(signing()).toBe(old);
    await nsd.publish('one.example', [...new Set([...before, ...lines()])]);
    await world.later(HOUR);
    expect(signing()).toBe('pst202611b');

    // The challenge moves to another zone, behind an alias, in an answer that does not fit into a datagram.
    const [challenge = '', ...rest] = lines();
    const many = Array.from({ length: 12 }, (_, at) => `token IN TXT "${at} ${'x'.repeat(150)}"`);
    await nsd.publish('elsewhere.example', [challenge.replace(/^\S+/, 'token.elsewhere.example.'), ...many]);
    await nsd.publish('one.example', ['_postern-challenge IN CNAME token.elsewhere.example.', ...rest]);
    await world.later(DAY);
    expect(await world.get({ id })).toMatchObject({ status: 'verified', last_error: null });

    // The name server is gone for a week: that says nothing.
    await nsd.stop();
    for (let day = 0; day < 7; day++) await world.later(DAY);
    expect(await world.get({ id })).toMatchObject({
      status: 'verified',
      last_error: expect.stringContaining('did not say'),
    });
    expect(signing()).toBe('pst202611b');

    // It is back, and the domain points elsewhere.
    await nsd.start();
    await nsd.publish('one.example', [
      'one.example. IN MX 10 mx.elsewhere.example.',
      ...lines().filter((line) => !line.includes(' MX ')),
    ]);
    for (let day = 0; day < 6; day++) await world.later(DAY);
    expect(await world.get({ id })).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('"mx.elsewhere.example"'),
    });
    expect(signing()).toBeNull();

    // Put right.
    await nsd.publish('one.example', lines());
    expect(await verify()).toMatchObject({ status: 'verified', last_error: null });
    expect(signing()).toBe('pst202611b');
  },
);
