/** What the doctor says of a smarthost: whether the SPF record lets it send, and whether it is there. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Check } from '../../src/doctor/check.ts';
import { dns_checks } from '../../src/doctor/names.ts';
import { type DnsServer, startDnsServer } from '../peers/dns-server.ts';
import { startAppliance } from '../start.ts';

const DOMAIN = 'mail.example.com';

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns[Symbol.asyncDispose]());

async function finding(check: Check, outbound: string): Promise<string> {
  const settings = { mail_domain: DOMAIN, outbound, dns_servers: `${dns.host}:${dns.port}` };
  await using appliance = await startAppliance({ settings });
  const { ok, detail } = await check.run(appliance.floor);
  expect(detail).not.toContain('secret');
  return `${ok} ${detail}`;
}

test('an SPF record that does not name it is told of', async () => {
  const told = (record: string, host = 'relay.example.net') => {
    dns.set(DOMAIN, 'TXT', { records: [{ type: 'TXT', data: [record] }] });
    return finding(dns_checks.find(({ name }) => name === 'dns_spf')!, `smtp://user:secret@${host}:587`);
  };
  expect(await told('v=spf1 mx -all')).toBe(
    `true ${DOMAIN}: v=spf1 mx -all. Mail goes out through relay.example.net. If its operator gives an include: ` +
      'for SPF, put that in the place of a:relay.example.net.',
  );
  expect(await told('v=spf1 mx -all', '10.0.0.2')).toEndWith('name the addresses from which that one sends.');
  expect(await told('v=spf1 -all')).toContain(
    `Publish  ${DOMAIN}. TXT "v=spf1 mx a:mx.${DOMAIN} a:relay.example.net -all"`,
  );
  for (const right of ['v=spf1 mx a:relay.example.net -all', 'v=spf1 include:spf.example.net -all']) {
    expect(await told(right)).toBe(`true ${DOMAIN}: ${right}`);
  }
});
