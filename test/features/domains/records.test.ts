/** The DNS records of a domain: how they are shown, and their status. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { matchesDkimKey } from '../../../src/features/domains/dkim-record.ts';
import { findDomain } from '../../../src/features/domains/find.ts';
import { checkRecords } from '../../../src/features/domains/records.ts';
import { chooseSelector } from '../../../src/features/domains/selector.ts';
import { formatZoneLine } from '../../../src/features/domains/zone-line.ts';
import { type DnsAnswer, servfail } from '../../peers/dns-server.ts';
import { startWorld, type World } from './world.ts';

const txt = (...texts: (string | string[])[]): DnsAnswer => ({
  records: texts.map((data) => ({ type: 'TXT' as const, data })),
});

/** For each purpose, whether its record is correct. */
async function standing({ appliance: { services } }: World, id: string) {
  const looks = await checkRecords(services, findDomain(services.store, id));
  return Object.fromEntries(looks.map(({ purpose, ok, found, error }) => [purpose, { ok, found, error }]));
}

describe('the records of a domain', () => {
  test('are ok, missing, wrong or unknown', async () => {
    await using world = await startWorld();
    const { id } = await world.register('one.example');
    const domain = await world.get({ id });
    expect(await standing(world, id)).toEqual({
      ownership: { ok: false, found: [], error: 'There is no TXT record at _postern-challenge.one.example.' },
      mx: { ok: false, found: [], error: 'There is no MX record at one.example.' },
    });
    world.publish(domain);
    expect(await standing(world, id)).toEqual({
      ownership: { ok: true, found: [domain.verification_token], error: null },
      mx: { ok: true, found: ['mx.postern.test'], error: null },
    });
    world.dns.set('one.example', 'MX', { records: [{ type: 'MX', data: '1 other.example' }] });
    world.dns.set(domain.verification_txt_host, 'TXT', servfail);
    expect(await standing(world, id)).toEqual({
      ownership: { ok: null, found: [], error: expect.stringContaining('answered with code 2') },
      mx: {
        ok: false,
        found: ['other.example'],
        error: 'mx.postern.test is not among the MX records of one.example, which are "other.example".',
      },
    });
  });

  test('for sending name the smarthost, without its login', async () => {
    await using world = await startWorld({ outbound: 'smtp://user:secret@relay.example.net:587' });
    const { id } = await world.verified('one.example');
    await world.api('POST', `/domains/${id}/sending_setup`);
    const { services } = world.appliance;
    const looks = await checkRecords(services, findDomain(services.store, id));
    const { value, note } = looks.find(({ purpose }) => purpose === 'spf')!;
    expect([value, note]).toEqual([
      'v=spf1 mx a:relay.example.net ~all',
      expect.stringContaining('Mail goes out through relay.example.net.'),
    ]);
    expect(JSON.stringify(looks)).not.toContain('secret');
  });

  test('for sending exist once there is a key: DKIM, and advice on SPF and DMARC', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('mail.one.example');
    const { json } = await world.api('POST', `/domains/${id}/sending_setup`);
    const { spf, dmarc, dkim } = await standing(world, id);
    expect([dkim?.ok, spf?.ok, dmarc?.ok]).toEqual([false, false, false]);
    expect(dmarc?.error).toBe('There is no DMARC (TXT) record at _dmarc.mail.one.example.');
    world.publish(json.data);
    world.dns.set('mail.one.example', 'TXT', txt('google-site-verification=x', 'v=spf1 ip4:192.0.2.1 -all'));
    // The parent domain's record applies to it.
    world.dns.set('_dmarc.one.example', 'TXT', txt('v=DMARC1; p=reject'));
    const after = await standing(world, id);
    expect([after.dkim?.ok, after.spf?.ok, after.dmarc?.ok]).toEqual([true, true, true]);
    expect(after.spf?.found).toEqual(['v=spf1 ip4:192.0.2.1 -all']);
    world.dns.set('mail.one.example', 'TXT', txt('v=spf1 -all', 'v=spf1 mx -all'));
    expect((await standing(world, id)).spf).toMatchObject({
      ok: false,
      error: expect.stringContaining('more than one'),
    });
  });

  test('are lines of a zone file, ready to paste', () => {
    expect(formatZoneLine({ type: 'MX', host: 'one.example', value: 'mx.postern.test' })).toBe(
      'one.example. IN MX 10 mx.postern.test.',
    );
    expect(formatZoneLine({ type: 'TXT', host: 'one.example', value: 'a "b" \\' })).toBe(
      'one.example. IN TXT "a \\"b\\" \\\\"',
    );
    expect(formatZoneLine({ type: 'TXT', host: 'k.one.example', value: 'x'.repeat(300) })).toBe(
      `k.one.example. IN TXT "${'x'.repeat(255)}" "${'x'.repeat(45)}"`,
    );
  });
});

describe('a DKIM record', () => {
  const wanted = 'v=DKIM1; k=rsa; p=AbC+/12';

  test.each<{ found: string[] }>([
    { found: ['v=DKIM1; k=rsa; p=AbC+/12'] },
    { found: ['p=AbC+/12'] },
    { found: ['v=DKIM1;k=rsa;p=AbC+/12;'] },
    { found: [' v = DKIM1 ; k = rsa ; p = AbC +/12 '] },
    { found: ['v=DKIM1; k=rsa; h=sha1:sha256; s=email; t=s; n=note; p=AbC+/12'] },
    { found: ['v=DKIM1; s=*; p=AbC+/12', 'some other text'] },
  ])('with $found is recognised as the key', ({ found }) => expect(matchesDkimKey(wanted, found)).toBe(true));

  test.each<{ found: string[] }>([
    { found: [] },
    { found: [''] },
    { found: ['v=DKIM1; k=rsa; p='] },
    { found: ['v=DKIM1; k=rsa; p=AbC+/1'] },
    { found: ['v=DKIM1; k=rsa; p=abc+/12'] },
    { found: ['v=DKIM2; p=AbC+/12'] },
    { found: ['v=DKIM1; k=ed25519; p=AbC+/12'] },
    { found: ['v=DKIM1; h=sha1; p=AbC+/12'] },
    { found: ['v=DKIM1; s=tlsrpt; p=AbC+/12'] },
    { found: ['v=DKIM1; p=AbC+/12', 'v=DKIM1; p=other'] },
  ])('with $found is not recognised as the key', ({ found }) =>
    expect(matchesDkimKey(wanted, found)).toBe(false),
  );

  test('of arbitrary text is harmless', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), (found) => {
        expect(matchesDkimKey(wanted, found)).toBeFalse();
      }),
    );
  });
});

test('a new DKIM key gets a selector that the domain has not used', () => {
  const nowUs = Date.UTC(2026, 10, 21) * 1000;
  expect(chooseSelector([], nowUs)).toBe('pst202611a');
  expect(chooseSelector(['pst202611a'], nowUs)).toBe('pst202611b');
  expect(chooseSelector(['pst202610f'], nowUs)).toBe('pst202611a');
  expect(chooseSelector(['pst202611a', 'pst202611y'], nowUs)).toBe('pst202611z');
  expect(chooseSelector(['pst202611a', 'pst202611z'], nowUs)).toBe('pst202611b');
  expect(chooseSelector(['pst202611z'], nowUs)).toBe('pst202611a');
});
