/** The doctor's checks of a smarthost: whether the SPF record allows it, and whether it is reachable. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Check } from '../../../src/features/doctor/check.ts';
import { dnsChecks } from '../../../src/features/doctor/dns.ts';
import { outboundCheck } from '../../../src/features/doctor/outbound-port.ts';
import { type DnsServer, nodata, startDnsServer } from '../../peers/dns-server.ts';
import { startAppliance } from '../../start.ts';

const DOMAIN = 'mail.example.com';

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
});
afterAll(() => dns[Symbol.asyncDispose]());

async function finding(check: Check, outbound: string): Promise<string> {
  const settings = { mail_domain: DOMAIN, outbound, dns_servers: `${dns.host}:${dns.port}` };
  await using appliance = await startAppliance({ settings });
  const { ok, detail } = await check.run(appliance.services);
  expect(detail).not.toContain('secret');
  return `${ok} ${detail}`;
}

test('an SPF record that does not include the smarthost is reported', async () => {
  const checkSpf = (record: string, host = 'relay.example.net') => {
    dns.set(DOMAIN, 'TXT', { records: [{ type: 'TXT', data: [record] }] });
    return finding(dnsChecks.find(({ name }) => name === 'dns_spf')!, `smtp://user:secret@${host}:587`);
  };
  expect(await checkSpf('v=spf1 mx -all')).toBe(
    `true ${DOMAIN}: v=spf1 mx -all. Mail goes out through relay.example.net. If its operator publishes an ` +
      'include: for SPF, use it instead of a:relay.example.net.',
  );
  expect(await checkSpf('v=spf1 mx -all', '10.0.0.2')).toEndWith('Add the addresses from which it sends.');
  expect(await checkSpf('v=spf1 -all')).toContain(
    `Publish  ${DOMAIN}. TXT "v=spf1 mx a:mx.${DOMAIN} a:relay.example.net -all"`,
  );
  for (const right of ['v=spf1 mx a:relay.example.net -all', 'v=spf1 include:spf.example.net -all']) {
    expect(await checkSpf(right)).toBe(`true ${DOMAIN}: ${right}`);
  }
});

test('the smarthost is looked up with the configured DNS servers, as when sending', async () => {
  const relay = createServer((socket) => void socket.end('220 hello\r\n')).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  dns.setAddresses('relay.example.net', '127.0.0.1');
  expect(await finding(outboundCheck, `smtp://user:secret@relay.example.net:${port}`)).toBe(
    `true The smarthost relay.example.net:${port} answers.`,
  );
  // The system's hosts file has this one.
  dns.set('localhost.localdomain', 'A', nodata);
  const unknown = await finding(outboundCheck, `smtp://localhost.localdomain:${port}`);
  expect(unknown).toStartWith(`false The smarthost localhost.localdomain:${port} can't be reached`);
  relay.close();
  const gone = await finding(outboundCheck, `smtp://relay.example.net:${port}`);
  expect(gone).toContain('ECONNREFUSED');
});
