/** Safe mode over HTTP: what syntax, lists and the DNS say of an address. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { refused, servfail, startDnsServer } from '../../peers/dns-server.ts';
import { startVerifying, type Verifying } from './verifying.ts';

let here: Verifying;

beforeAll(async () => {
  here = await startVerifying({ settings: { limits: 'off' } });
  const { dns } = here;
  here.domain('good.test');
  dns.setAddresses('address.test', '192.0.2.1');
  dns.setAddresses('v6.test', '2001:db8::1');
  dns.set('empty.test', 'TXT', { records: [{ type: 'TXT', data: 'x' }] });
  const mx = (...data: string[]) => ({ records: data.map((each) => ({ type: 'MX' as const, data: each })) });
  dns.set('null.test', 'MX', mx('0 '));
  dns.set('half-null.test', 'MX', mx('0 ', '10 mx.good.test'));
  dns.set('here.test', 'MX', mx('0 localhost'));
  dns.set('nowhere.test', 'MX', mx('0 x.invalid'));
  dns.set('throwaway.test', 'MX', mx('5 a.example', '10 in.mail.tm'));
  dns.set('sick.test', 'MX', servfail);
  dns.set('no-address-known.test', 'MX', {});
  dns.set('no-address-known.test', 'A', {});
  dns.set('no-address-known.test', 'AAAA', servfail);
  dns.set('one-address-known.test', 'MX', {});
  dns.set('one-address-known.test', 'A', { records: [{ type: 'A', data: '192.0.2.1' }] });
  dns.set('one-address-known.test', 'AAAA', servfail);
  dns.set('alias.test', 'MX', {
    records: [
      { type: 'CNAME', data: 'good.test' },
      { name: 'good.test', type: 'MX', data: '10 mx.good.test' },
    ],
  });
  dns.set('xn--mnchen-3ya.test', 'MX', mx('10 mx.good.test'));
  for (const name of ['mailinator.com', 'gmail.com', 'gmial.com', 'duck.com'])
    dns.set(name, 'MX', mx('10 mx.good.test'));
});
afterAll(() => here[Symbol.asyncDispose]());

const verdicts: Record<string, [deliverable: string, reason: string, checked: string]> = {
  'ann@good.test': ['deliverable', 'ok', 'dns'],
  'Ann.Smith+tag@GOOD.test': ['deliverable', 'ok', 'dns'],
  '"ann smith"@good.test': ['deliverable', 'ok', 'dns'],
  'ann@münchen.test': ['deliverable', 'ok', 'dns'],
  'ann@alias.test': ['deliverable', 'ok', 'dns'],
  'ann@half-null.test': ['deliverable', 'ok', 'dns'],
  'ann@gmail.com': ['deliverable', 'ok', 'dns'],
  'ann@duck.com': ['deliverable', 'ok', 'dns'],
  'a..b@good.test': ['undeliverable', 'invalid_syntax', 'syntax'],
  'ann@good..test': ['undeliverable', 'invalid_syntax', 'syntax'],
  'a@b@good.test': ['undeliverable', 'invalid_syntax', 'syntax'],
  ' ann@good.test': ['undeliverable', 'invalid_syntax', 'syntax'],
  'ann\u0000@good.test': ['undeliverable', 'invalid_syntax', 'syntax'],
  'ann@192.0.2.1': ['undeliverable', 'invalid_syntax', 'syntax'],
  'ann@[192.0.2.1]': ['undeliverable', 'no_mail_server', 'syntax'],
  'ann@[IPv6:2001:db8::1]': ['undeliverable', 'no_mail_server', 'syntax'],
  'ann@unknown.test': ['undeliverable', 'domain_not_found', 'dns'],
  'ann@localhost': ['undeliverable', 'domain_not_found', 'dns'],
  'ann@x.invalid': ['undeliverable', 'domain_not_found', 'dns'],
  'ann@empty.test': ['undeliverable', 'no_mail_server', 'dns'],
  'ann@here.test': ['undeliverable', 'no_mail_server', 'dns'],
  'ann@nowhere.test': ['undeliverable', 'no_mail_server', 'dns'],
  'ann@null.test': ['undeliverable', 'null_mx', 'dns'],
  'ann@address.test': ['risky', 'a_fallback', 'dns'],
  'ann@v6.test': ['risky', 'a_fallback', 'dns'],
  'ann@one-address-known.test': ['risky', 'a_fallback', 'dns'],
  'info@good.test': ['risky', 'role_account', 'dns'],
  'Info+x@address.test': ['risky', 'role_account', 'dns'],
  'info@mailinator.com': ['risky', 'disposable', 'dns'],
  'ann@throwaway.test': ['risky', 'disposable', 'dns'],
  'ann@x.mailinator.com': ['undeliverable', 'domain_not_found', 'dns'],
  'ann@sick.test': ['unknown', 'dns_error', 'dns'],
  'ann@no-address-known.test': ['unknown', 'dns_error', 'dns'],
};

describe('safe mode', () => {
  for (const [email, [deliverable, reason, checked]] of Object.entries(verdicts)) {
    test(`${JSON.stringify(email)} is ${deliverable}: ${reason}`, async () => {
      const result = await here.result(email);
      expect(result).toMatchObject({ email, deliverable, reason, checked });
      expect(result.syntax_valid).toBe(reason !== 'invalid_syntax');
      expect(result).not.toHaveProperty('smtp');
    });
  }

  test('returns every field', async () => {
    expect(await here.result('Info.Desk+x@gmial.com')).toEqual({
      email: 'Info.Desk+x@gmial.com',
      deliverable: 'risky',
      syntax_valid: true,
      domain: 'gmial.com',
      has_mx: true,
      is_disposable: true,
      is_role: false,
      reason: 'disposable',
      checked: 'dns',
      is_free: false,
      suggestion: 'Info.Desk+x@gmail.com',
      normalized: 'info.desk+x@gmial.com',
      lists_date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    });
    expect(await here.result('Ann.Smith+x@googlemail.com')).toMatchObject({
      is_free: true,
      suggestion: null,
      normalized: 'annsmith@gmail.com',
    });
    expect(await here.result('a..b@münchen.test')).toMatchObject({
      domain: 'xn--mnchen-3ya.test',
      normalized: null,
    });
    expect(await here.result('a..b@mailinator.com')).toMatchObject({ is_disposable: true });
    expect(await here.result('ann@b_c.test')).toMatchObject({ domain: null, syntax_valid: false });
    expect(await here.result('info@[192.0.2.1]')).toMatchObject({ domain: '[192.0.2.1]', is_role: true });
  });

  test('says unknown when the DNS does not answer, or will not', async () => {
    here.dns.set('refusing.test', 'MX', refused);
    const unknown = { deliverable: 'unknown', reason: 'dns_error', checked: 'dns', has_mx: false };
    expect(await here.result('ann@refusing.test')).toMatchObject(unknown);
    const gone = await startDnsServer();
    await gone[Symbol.asyncDispose]();
    await using lonely = await startVerifying({ settings: { dns_servers: `127.0.0.1:${gone.port}` } });
    expect(await lonely.result('ann@good.test')).toMatchObject(unknown);
    expect(await lonely.result('ann@good.test', 'full')).toMatchObject({
      ...unknown,
      smtp: { probe: 'skipped', rcpt_code: null, catch_all: null, reason: 'not_needed' },
    });
  });

  test('asks the DNS again when a TTL is over, and not before', async () => {
    here.dns.set('brief.test', 'MX', { records: [{ type: 'MX', data: '10 mx.good.test', ttlS: 0 }] });
    const asked = () => here.dns.asked.filter((question) => question.includes('brief.test')).length;
    await here.result('ann@brief.test');
    await here.result('bob@brief.test');
    expect(asked()).toBe(2);
    here.domain('lasting.test');
    for (const name of ['ann', 'bob', 'cleo']) await here.result(`${name}@LASTING.test`);
    expect(here.dns.asked.filter((question) => question.includes('lasting.test'))).toEqual([
      'MX lasting.test udp',
    ]);
  });

  test('never opens a connection', () => expect(here.exchange.sessions).toEqual([]));

  test('refuses text that is not an address at all', async () => {
    const noAddress = ['', 'ann', '@', '@good.test', 'ann@', 'a@b@', '@@', 7, null, true, [], {}, ['a@b.c']];
    for (const email of [...noAddress, `${'a'.repeat(312)}@good.test`]) {
      const reply = await here.verify({ email });
      expect([JSON.stringify(email)?.slice(0, 40), reply.status, reply.json.error.code]).toEqual([
        JSON.stringify(email)?.slice(0, 40),
        422,
        'validation_error',
      ]);
      expect(reply.json.error.fields.email).toBeArrayOfSize(1);
    }
    expect((await here.verify({})).json.error.fields.email).toBeArray();
    expect((await here.verify({ email: `${'a'.repeat(310)}@good.test` })).status).toBe(200);
    for (const mode of ['Full', '', null, 1, 'both']) {
      expect((await here.verify({ email: 'ann@good.test', mode })).json.error.fields.mode).toEqual([
        'must be safe or full',
      ]);
    }
  });

  test('none of these requests caused a server error', () => expect(here.appliance.logged).toEqual([]));
});
