/** The doctor's findings and remedies, for a healthy setup and for deliberately broken ones. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { generate } from 'selfsigned';
import type { Finding } from '../../../src/features/doctor/wire.ts';
import { findInboxByAddress } from '../../../src/features/inboxes/sql.ts';
import { setWebhook } from '../../../src/features/webhooks/configure.ts';
import { postern, posternJson } from '../../doors/operator/command-process.ts';
import { type DnsServer, servfail, startDnsServer } from '../../peers/dns-server.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, type StartOptions, startAppliance } from '../../start.ts';
import { zeroIndex } from '../../store-file.ts';
import { countRows } from '../../store-state.ts';
import { readyDomain } from '../domains/ready.ts';

const DOMAIN = 'mail.example.org';
const MX = `mx.${DOMAIN}`;
const dir = mkdtempSync(join(tmpdir(), 'postern-doctor-'));
let dns: DnsServer;
/** Answers like a mail server. */
let greeter: Server;
/** No system hands it out, so no other test can be listening on it. */
const CLOSED_PORT = 9;

beforeAll(async () => {
  greeter = createServer((socket) => socket.end('220 hello\r\n')).listen(0, '127.0.0.1');
  await new Promise((done) => greeter.once('listening', done));
  dns = await startDnsServer();
});
afterAll(async () => {
  greeter.close();
  await dns[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

function readPort(server: Server): number {
  return (server.address() as { port: number }).port;
}

/** A zone in which everything is correct. */
function goodZone(): void {
  dns.set(DOMAIN, 'MX', { records: [{ type: 'MX', data: `10 ${MX}` }] });
  dns.set(DOMAIN, 'TXT', { records: [{ type: 'TXT', data: ['v=spf1 mx -all'] }] });
  dns.setAddresses(MX, '198.41.0.4');
  dns.set('4.0.41.198.in-addr.arpa', 'PTR', { records: [{ type: 'PTR', data: MX }] });
  dns.set('far.example.net', 'MX', { records: [{ type: 'MX', data: '10 in.far.example.net' }] });
  dns.setAddresses('in.far.example.net', '127.0.0.1');
}

async function makeCertificate(name: string, host: string, days: [from: number, to: number]) {
  const at = (day: number) => new Date(Date.now() + day * 86_400_000);
  const created = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    notBeforeDate: at(days[0]),
    notAfterDate: at(days[1]),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const files = { tls_cert: join(dir, `${name}.crt`), tls_key: join(dir, `${name}.key`) };
  writeFileSync(files.tls_cert, created.cert);
  writeFileSync(files.tls_key, created.private);
  return files;
}

/** A setup that sends and receives for a public domain. `options` can break it. */
async function setUp(
  settings: Record<string, string> = {},
  options: StartOptions = {},
): Promise<RunningAppliance> {
  goodZone();
  const certificate = await makeCertificate('good', MX, [-1, 90]);
  return startAppliance({
    ...options,
    settings: {
      mail_domain: DOMAIN,
      dns_servers: `${dns.host}:${dns.port}`,
      outbound: 'direct',
      outbound_port: String(readPort(greeter)),
      outbound_allow_networks: '127.0.0.0/8',
      doctor_mail_domain: 'far.example.net',
      ...certificate,
      ...settings,
    },
  });
}

/** The doctor's negative findings: name to detail. */
async function wrongIn(appliance: RunningAppliance): Promise<Record<string, string>> {
  const findings = await appliance.services.doctor.examine();
  return Object.fromEntries(findings.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]));
}

test('a healthy set-up has no findings, and the test message leaves nothing behind', async () => {
  await using appliance = await setUp();
  const holder = await appliance.holder();
  const findings = await appliance.services.doctor.examine();
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.map(({ name }) => name)).toEqual([
    ...['store', 'server_key', 'disk', 'descriptors', 'clock', 'ports'],
    ...['dns_mx', 'dns_spf', 'dns_dkim', 'dns_ptr', 'tls_certificate', 'outbound_port_25', 'round_trip'],
  ]);
  expect(findings.at(-1)?.detail).toContain('accepted, read and erased');
  const { json } = await appliance.request('GET', '/api/v1/inboxes', { key: holder.key });
  expect(json.data).toEqual([]);
  for (const table of ['message', 'raw', 'inbox', 'claim', 'deleted_message']) {
    expect([table, countRows(appliance, table)]).toEqual([table, 0]);
  }
});

test('two simultaneous checks send one message, and no other inbox is touched', async () => {
  await using appliance = await setUp();
  const holder = await appliance.holder();
  const own = await appliance.inbox(holder, { routing_key: 'postern-doctor' });
  const { doctor } = appliance.services;
  const [one, two] = await Promise.all([doctor.examine(), doctor.examine()]);
  expect(one).toBe(two);
  expect(one.find(({ name }) => name === 'round_trip')?.ok).toBe(true);
  expect(findInboxByAddress(appliance.services.store, own.address)?.id).toBe(own.id);
});

test('the server’s own port is checked without the environment’s proxy', async () => {
  await using appliance = await startAppliance({ settings: { dns_servers: '127.0.0.1:9' } });
  process.env.HTTP_PROXY = `http://127.0.0.1:${CLOSED_PORT}`;
  try {
    expect((await wrongIn(appliance)).ports).toBeUndefined();
  } finally {
    delete process.env.HTTP_PROXY;
  }
});

test('a reserved test domain is not looked up', async () => {
  await using appliance = await startAppliance({ settings: { dns_servers: '127.0.0.1:9' } });
  await appliance.holder();
  expect(await wrongIn(appliance)).toEqual({});
});

describe('the doctor reports with a remedy', () => {
  const broken: [
    what: string,
    settings: Record<string, string>,
    breakZone: () => void,
    found: [string, string][],
  ][] = [
    [
      'an MX that is not there',
      {},
      () => dns.set(DOMAIN, 'MX', {}),
      [['dns_mx', `Publish  ${DOMAIN}. MX 10 ${MX}.`]],
    ],
    [
      'an MX that points elsewhere',
      {},
      () => dns.set(DOMAIN, 'MX', { records: [{ type: 'MX', data: '5 old.example.net' }] }),
      [['dns_mx', `is old.example.net, not ${MX}`]],
    ],
    [
      'an MX host with a private address',
      {},
      () => dns.setAddresses(MX, '10.0.0.5'),
      [
        ['dns_mx', 'which is not reachable from the Internet'],
        ['dns_ptr', '10.0.0.5 has no reverse name'],
      ],
    ],
    [
      'a DNS that does not work',
      {},
      () => (['TXT', 'MX'] as const).map((type) => dns.set(DOMAIN, type, servfail)),
      [
        ['dns_mx', 'could not be looked up (servfail'],
        ['dns_spf', 'could not be looked up (servfail'],
      ],
    ],
    [
      'a DNS that does not work, for the address',
      {},
      () => ['A', 'AAAA'].map((type) => dns.set(MX, type as 'A', servfail)),
      [
        ['dns_mx', `The address of ${MX} could not be looked up`],
        ['dns_ptr', 'could not be looked up'],
      ],
    ],
    [
      'two SPF records',
      {},
      () =>
        dns.set(DOMAIN, 'TXT', {
          records: ['v=spf1 mx -all', 'v=spf1 -all'].map((data) => ({ type: 'TXT', data: [data] })),
        }),
      [['dns_spf', 'has 2 SPF records']],
    ],
    [
      'an SPF record that forbids what is set',
      {},
      () => dns.set(DOMAIN, 'TXT', { records: [{ type: 'TXT', data: ['v=spf1 -all'] }] }),
      [['dns_spf', 'allows no sender']],
    ],
    [
      'a reverse name of the provider',
      {},
      () =>
        dns.set('4.0.41.198.in-addr.arpa', 'PTR', {
          records: [{ type: 'PTR', data: 'host4.isp.example.com' }],
        }),
      [['dns_ptr', `host4.isp.example.com. It should be ${MX}`]],
    ],
    [
      'a disk that is nearly full',
      { disk_floor: '1000GiB' },
      () => {},
      [
        ['disk', 'Free some space'],
        ['round_trip', '452'],
      ],
    ],
  ];
  test.each(broken)('%s', async (_, settings, breakZone, found) => {
    await using appliance = await setUp(settings);
    await appliance.holder();
    breakZone();
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(found.map(([name]) => name));
    for (const [name, text] of found) expect(wrong[name]).toContain(text);
  });

  test('nothing for a smarthost that speaks TLS from the start', async () => {
    const { tls_cert, tls_key } = await makeCertificate('relay', '127.0.0.1', [-1, 90]);
    const key = { cert: readFileSync(tls_cert), key: readFileSync(tls_key) };
    const relay = createTlsServer(key, (socket) => void socket.end('220 hello\r\n')).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    await using appliance = await setUp({ outbound: `smtps://127.0.0.1:${readPort(relay)}` });
    await appliance.holder();
    const wrong = await wrongIn(appliance);
    relay.close();
    expect(wrong).toEqual({});
  });

  test('a blocked port 25', async () => {
    await using appliance = await setUp({ outbound_port: String(CLOSED_PORT) });
    await appliance.holder();
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['outbound_port_25']);
    expect(wrong.outbound_port_25).toContain('ECONNREFUSED');
    expect(wrong.outbound_port_25).toContain('ask the provider');
  });

  test.each([
    ['that has expired', MX, [-90, -1], 'The certificate expired on'],
    ['that expires soon', MX, [-80, 5], 'in 4 days. Renew it'],
    ['for another name', 'www.example.org', [-1, 90], `not for ${MX}`],
    ['that is not valid yet', MX, [2, 90], 'The certificate is not valid before'],
  ] as [string, string, [number, number], string][])('a certificate %s', async (_, host, days, text) => {
    await using appliance = await setUp(await makeCertificate('other', host, days));
    await appliance.holder();
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['tls_certificate']);
    expect(wrong.tls_certificate).toContain(text);
  });

  test('a wrong clock', async () => {
    const clock = new FakeClock();
    await using appliance = await setUp({}, { clock });
    const holder = await appliance.holder();
    const { address } = await appliance.inbox(holder);
    await appliance.deliver(address);
    clock.set(clock.nowUs() - 3_600_000_000);
    expect((await wrongIn(appliance)).clock).toContain('a message arrived at');
    clock.set(Date.UTC(2016, 1, 1) * 1000);
    expect((await wrongIn(appliance)).clock).toContain('is in the past');
  });

  test('a DKIM key that is not in the DNS', async () => {
    await using appliance = await setUp();
    const { account } = await appliance.holder();
    await readyDomain(appliance.services, account.no, 'signed.example.net');
    expect(await wrongIn(appliance)).toEqual({});
    await readyDomain(appliance.services, account.no, 'unsigned.example.net', 'pending_dns');
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['dns_dkim']);
    expect(wrong.dns_dkim).toContain('unsigned.example.net (pending_dns)');
    expect(wrong.dns_dkim).toMatch(/domain show DOM prints.*run postern domain check DOM/);
  });

  test('a missing first account', async () => {
    await using appliance = await setUp();
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['round_trip']);
    expect(wrong.round_trip).toContain('postern account create');
  });

  test('the key of another store', async () => {
    const dataDir = mkdtempSync(join(dir, 'key-'));
    {
      await using appliance = await setUp({}, { dataDir });
      const { address } = await appliance.inbox(await appliance.holder());
      const inbox = findInboxByAddress(appliance.services.store, address)!;
      await setWebhook(appliance.services, inbox, 'https://hooks.example.com/');
    }
    // Each start here has a key of its own.
    await using appliance = await setUp({}, { dataDir });
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['server_key']);
    expect(wrong.server_key).toContain('belongs to another store');
  });

  test('a damaged store', async () => {
    const dataDir = mkdtempSync(join(dir, 'damage-'));
    {
      await using appliance = await setUp({}, { dataDir });
      await appliance.holder();
    }
    zeroIndex(join(dataDir, 'postern.db'), 'delivery_event');
    await using appliance = await setUp({}, { dataDir });
    const wrong = await wrongIn(appliance);
    expect(Object.keys(wrong)).toEqual(['store']);
    expect(wrong.store).toContain('postern restore');
  });
});

test('without a server the doctor checks the ports that one would use, and opens a listener for its message', async () => {
  const data = join(dir, 'alone');
  const env = {
    POSTERN_DATA_DIR: data,
    POSTERN_HTTP_LISTEN: '127.0.0.1:0',
    POSTERN_SMTP_LISTEN: '127.0.0.1:0',
  };
  await posternJson(['account', 'create', '--email', 'ann@example.com'], env);
  const healthy = await posternJson<{ checks: Finding[] }>(['doctor'], env);
  expect(healthy.checks.filter(({ ok }) => !ok)).toEqual([]);
  const taken = { ...env, POSTERN_SMTP_LISTEN: `127.0.0.1:${readPort(greeter)}` };
  const { checks } = await posternJson<{ checks: Finding[] }>(['doctor'], taken);
  const wrong = checks.filter(({ ok }) => !ok);
  expect(wrong.map(({ name }) => name)).toEqual(['ports']);
  expect(wrong[0]?.detail).toContain('POSTERN_SMTP_LISTEN is in use by another program');
}, 20_000);

test('a store that cannot even be opened is a finding, with the remedy', async () => {
  const data = mkdtempSync(join(dir, 'garbage-'));
  writeFileSync(join(data, 'postern.db'), 'no store at all '.repeat(1000));
  const env = { POSTERN_DATA_DIR: data };
  const { checks } = await posternJson<{ checks: Finding[] }>(['doctor'], env);
  expect(checks).toEqual([{ name: 'store', ok: false, detail: expect.stringContaining('is damaged') }]);
  expect((await postern(['doctor', '--strict'], env)).status).toBe(1);
});
