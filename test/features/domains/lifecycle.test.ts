/** A domain from pending_dns to verified, failed and back, on a clock of our own. */
import { describe, expect, test } from 'bun:test';
import { checkDomain } from '../../../src/features/domains/check.ts';
import { findDomain } from '../../../src/features/domains/find.ts';
import { disableDomainOp, enableDomainOp } from '../../../src/features/domains/writes.ts';
import { type DnsAnswer, nodata, refused, servfail, silence } from '../../peers/dns-server.ts';
import { DAY, HOUR, MINUTE, SECOND, startWorld, type World } from './world.ts';

const mx = (...exchangers: string[]): DnsAnswer => ({
  records: exchangers.map((data) => ({ type: 'MX' as const, data })),
});
const txt = (...texts: (string | string[])[]): DnsAnswer => ({
  records: texts.map((data) => ({ type: 'TXT' as const, data })),
});

/** How often the DNS was queried for the ownership record. */
const checks = ({ dns }: World) =>
  dns.asked.filter((line) => line.startsWith('TXT _postern-challenge')).length;

describe('a new domain', () => {
  test('says what to publish, and is verified once both records exist', async () => {
    await using world = await startWorld();
    const domain = await world.register('One.Example.');
    expect(domain).toEqual({
      id: expect.stringMatching(/^dom_[0-9a-f]{32}$/),
      name: 'one.example',
      status: 'pending_dns',
      verification_txt_host: '_postern-challenge.one.example',
      verification_token: expect.stringMatching(/^postern-verification=[0-9a-f]{32}$/),
      mx_target: 'mx.postern.test',
      last_checked_at: null,
      last_error: null,
      catch_all: false,
      catch_all_inbox_id: null,
      dkim_status: null,
      dkim_selector: null,
      dkim_public_key_txt: null,
      created_at: '2026-11-21T08:00:00.000000Z',
    });
    const verify = async () => (await world.api('POST', `/domains/${domain.id}/verify`)).json.data;
    expect(await verify()).toMatchObject({
      status: 'pending_dns',
      last_checked_at: '2026-11-21T08:00:00.000000Z',
      last_error: 'There is no TXT record at _postern-challenge.one.example.',
    });
    world.dns.set(domain.verification_txt_host, 'TXT', txt(domain.verification_token));
    expect(await verify()).toMatchObject({
      status: 'pending_dns',
      last_error: 'There is no MX record at one.example.',
    });
    world.publish(domain);
    await world.clock.advance(SECOND);
    const verified = await verify();
    expect(verified).toEqual({
      ...domain,
      status: 'verified',
      last_checked_at: '2026-11-21T08:00:01.000000Z',
    });
    expect(await world.get(domain)).toEqual(verified);
  });

  test('is checked after 1, 2, 5, 10 and 30 minutes, then hourly', async () => {
    await using world = await startWorld();
    await world.register('one.example');
    const seen: number[] = [];
    for (let minute = 1; minute <= 155; minute++) {
      const before = checks(world);
      await world.later(MINUTE);
      if (checks(world) > before) seen.push(minute);
    }
    expect(seen).toEqual([1, 2, 5, 10, 30, 90, 150]);
  });

  test('is verified by the scheduler alone', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    world.publish(domain);
    await world.later(MINUTE);
    expect(await world.get(domain)).toMatchObject({ status: 'verified', last_error: null });
  });

  test('fails after seven days, and is verified by a later check that matches', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    for (let day = 0; day < 7; day++) {
      await world.later(DAY - SECOND);
      expect((await world.get(domain)).status).toBe('pending_dns');
      await world.later(SECOND);
    }
    await world.later(HOUR);
    expect(await world.get(domain)).toMatchObject({
      status: 'failed',
      last_error: 'There is no TXT record at _postern-challenge.one.example.',
    });
    world.publish(domain);
    const verified = await world.api('POST', `/domains/${domain.id}/verify`);
    expect(verified.json.data).toMatchObject({ status: 'verified', last_error: null });
  });

  test('that failed is checked daily, so a late fix is found', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    await world.later(8 * DAY);
    expect((await world.get(domain)).status).toBe('failed');
    world.publish(domain);
    await world.later(DAY);
    expect((await world.get(domain)).status).toBe('verified');
  });

  test('whose DNS never answers fails too, with the reason', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    world.dns.set(domain.verification_txt_host, 'TXT', servfail);
    await world.later(7 * DAY);
    expect(await world.get(domain)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining(
        `The DNS did not answer whether ${domain.verification_txt_host} has TXT records`,
      ),
    });
  });
});

describe('the records', () => {
  test('are right when they include the token and our host, and wrong otherwise', async () => {
    await using world = await startWorld();
    const cases: [string, (token: string) => DnsAnswer, DnsAnswer, string][] = [
      [
        'a token in several strings',
        (token) => txt([token.slice(0, 9), token.slice(9)]),
        mx('5 mx.postern.test'),
        'verified',
      ],
      ['a token among others', (token) => txt('v=spf1 -all', token), mx('5 mx.postern.test'), 'verified'],
      [
        'our host among others',
        (token) => txt(token),
        mx('5 other.example', '90 MX.Postern.TEST'),
        'verified',
      ],
      ['another token', () => txt('postern-verification=00'), mx('5 mx.postern.test'), 'pending_dns'],
      ['a token within a text', (token) => txt(`x ${token}`), mx('5 mx.postern.test'), 'pending_dns'],
      ['another host', (token) => txt(token), mx('5 mx.other.test', '6 xmx.postern.test'), 'pending_dns'],
      ['a null MX', (token) => txt(token), mx('0 '), 'pending_dns'],
      ['no MX', (token) => txt(token), nodata, 'pending_dns'],
      ['a DNS that fails', (token) => txt(token), servfail, 'pending_dns'],
      ['a DNS that refuses', () => refused, mx('5 mx.postern.test'), 'pending_dns'],
    ];
    for (const [at, [what, ownership, exchangers, status]] of cases.entries()) {
      const domain = await world.register(`d${at}.example`);
      world.dns.set(domain.verification_txt_host, 'TXT', ownership(domain.verification_token));
      world.dns.set(domain.name, 'MX', exchangers);
      const { data } = (await world.api('POST', `/domains/${domain.id}/verify`)).json;
      const isVerified = status === 'verified';
      expect([what, data.status, data.last_error === null]).toEqual([what, status, isVerified]);
    }
  });

  test('may be found through an alias, and may be many', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    world.publish(domain);
    const alias = { records: [{ type: 'CNAME' as const, data: 'token.elsewhere.example' }] };
    world.dns.set(domain.verification_txt_host, 'TXT', alias);
    const many = Array.from({ length: 60 }, (_, at) => `${at} ${'x'.repeat(180)}`);
    world.dns.set('token.elsewhere.example', 'TXT', {
      ...txt(...many, domain.verification_token),
      isTruncated: true,
    });
    const { json } = await world.api('POST', `/domains/${domain.id}/verify`);
    expect(json.data).toMatchObject({ status: 'verified' });
    expect(world.dns.asked).toContain('TXT token.elsewhere.example tcp');
  });

  test('of a stranger’s zone are reported as plain text, cut short', async () => {
    await using world = await startWorld();
    const domain = await world.register('one.example');
    world.dns.set(domain.verification_txt_host, 'TXT', txt('\u0007<b>\u00e9', 'x'.repeat(2000)));
    const { json } = await world.api('POST', `/domains/${domain.id}/verify`);
    expect(json.data.last_error).toMatch(/^[ -~…]+$/);
    expect(json.data.last_error.length).toBeLessThan(1000);
  });
});

describe('a verified domain', () => {
  test('stays verified whenever its owner asks for a check, and only the time changes', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    world.dns.set('one.example', 'MX', nodata);
    await world.clock.advance(MINUTE);
    const again = await world.api('POST', `/domains/${domain.id}/verify`);
    expect(again.json.data).toEqual({ ...domain, last_checked_at: '2026-11-21T08:01:00.000000Z' });
  });

  test('is checked daily', async () => {
    await using world = await startWorld();
    await world.verified('one.example');
    const before = checks(world);
    for (let hour = 0; hour < 72; hour++) await world.later(HOUR);
    expect(checks(world) - before).toBe(3);
  });

  test('fails after five days of negative answers in a row', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    world.dns.set('one.example', 'MX', nodata);
    for (let day = 1; day <= 5; day++) {
      await world.later(DAY);
      expect(await world.get(domain)).toMatchObject({
        status: 'verified',
        last_error: 'There is no MX record at one.example.',
      });
    }
    await world.later(DAY);
    expect((await world.get(domain)).status).toBe('failed');
    world.publish(domain);
    await world.later(DAY);
    expect(await world.get(domain)).toMatchObject({ status: 'verified', last_error: null });
  });

  test('starts counting again after one positive answer', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    for (const days of [4, 4]) {
      world.dns.set('one.example', 'MX', nodata);
      for (let day = 0; day < days; day++) await world.later(DAY);
      world.publish(domain);
      await world.later(DAY);
      expect(await world.get(domain)).toMatchObject({ status: 'verified', last_error: null });
    }
  });

  test('does not fail because of time-outs, SERVFAIL or REFUSED, and is checked again within the hour', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    for (const answer of [servfail, refused]) {
      world.dns.set('one.example', 'MX', answer);
      world.dns.set(domain.verification_txt_host, 'TXT', answer);
      for (let day = 0; day < 8; day++) await world.later(DAY);
    }
    expect((await world.get(domain)).status).toBe('verified');
    world.publish(domain);
    await world.later(HOUR);
    expect(await world.get(domain)).toMatchObject({ status: 'verified', last_error: null });
  });

  test('can’t be kept alive by an owner who keeps asking for checks', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    world.dns.set('one.example', 'MX', nodata);
    for (let halfDay = 0; halfDay < 13; halfDay++) {
      await world.later(12 * HOUR - SECOND);
      const { json } = await world.api('POST', `/domains/${domain.id}/verify`);
      if (halfDay < 10) expect(json.data.status).toBe('verified');
      await world.later(SECOND);
    }
    expect((await world.get(domain)).status).toBe('failed');
  });

  test('is checked within five seconds when the first name server is dead', async () => {
    const { startDnsServer } = await import('../../peers/dns-server.ts');
    await using dead = await startDnsServer();
    await using dns = await startDnsServer();
    await using world = await startWorld({
      dns_servers: `${dead.host}:${dead.port},${dns.host}:${dns.port}`,
    });
    const domain = await world.register('one.example');
    for (const [host, type] of [
      [domain.verification_txt_host, 'TXT'],
      [domain.name, 'MX'],
    ] as const) {
      dead.set(host, type, silence);
    }
    dns.set(domain.verification_txt_host, 'TXT', txt(domain.verification_token));
    dns.set(domain.name, 'MX', mx(`10 ${domain.mx_target}`));
    const beganMs = performance.now();
    const { json } = await world.api('POST', `/domains/${domain.id}/verify`);
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    expect(json.data.status).toBe('verified');
  });
});

describe('the operator', () => {
  test('disables a domain, and enabling it checks it at once', async () => {
    await using world = await startWorld();
    const { services } = world.appliance;
    const { id, name } = await world.verified('one.example');
    await services.store.write(disableDomainOp, { id });
    expect((await world.get({ id })).status).toBe('disabled');
    const before = checks(world);
    for (let day = 0; day < 9; day++) await world.later(DAY);
    expect(checks(world)).toBe(before);
    // Only the operator can enable it again.
    expect((await world.api('POST', `/domains/${id}/verify`)).json.data.status).toBe('disabled');
    const enable = async () => {
      const enabled = await services.store.write(enableDomainOp, { id });
      return checkDomain(services, enabled, 'operator');
    };
    expect((await enable())?.status).toBe('verified');
    await services.store.write(disableDomainOp, { id });
    world.dns.set(name, 'MX', nodata);
    expect((await enable())?.status).toBe('pending_dns');
    for (let day = 0; day < 6; day++) await world.later(DAY);
    expect((await world.get({ id })).status).toBe('pending_dns');
    await world.later(DAY + HOUR);
    expect((await world.get({ id })).status).toBe('failed');
  });

  test('can name a domain by its id or its name', async () => {
    await using world = await startWorld();
    const { store } = world.appliance.services;
    const { id } = await world.register('münchen.example');
    for (const name of [id, 'münchen.example', 'MÜNCHEN.example.', 'xn--mnchen-3ya.example']) {
      expect(findDomain(store, name).id).toBe(id);
    }
    for (const name of ['', 'dom_x', 'other.example', id.slice(0, -1)]) {
      expect(() => findDomain(store, name)).toThrow('There is no domain');
    }
  });
});
