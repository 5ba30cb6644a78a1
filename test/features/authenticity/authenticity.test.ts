/** SPF, DKIM and DMARC: verdicts appear on the message, and nothing waits for them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DnsServer, servfail, silence, startDnsServer } from '../../peers/dns-server.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { countRows } from '../../store-state.ts';
import { until } from '../../until.ts';
import { partlySignedMail, publish, signedMail, txt } from './signed.ts';

let dns: DnsServer;
let appliance: RunningAppliance;
let owner: Holder;
let inbox: { id: string; address: string };

const settingsWith = (dnsServer: DnsServer) => ({
  authentication: 'all',
  limits: 'off',
  dns_servers: `${dnsServer.host}:${dnsServer.port}`,
});

beforeAll(async () => {
  dns = await startDnsServer();
  appliance = await startAppliance({ settings: { ...settingsWith(dns), metrics: 'on' } });
  owner = await appliance.holder();
  inbox = await appliance.inbox(owner);
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

async function send(raw: Uint8Array | string, from: string, to = appliance): Promise<string> {
  const { data } = await sendMail({ port: to.smtpPort, from, to: [inbox.address], raw });
  expect(data?.code).toBe(250);
  return data?.lines.join(' ').match(/msg_\w+/)?.[0] ?? '';
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into it as the wire has it.
async function checked(id: string, by = appliance, key = owner.key): Promise<any> {
  let found: unknown = null;
  const giveUp = performance.now() + 20_000;
  while (found === null && performance.now() < giveUp) {
    found = (await by.request('GET', `/api/v1/messages/${id}`, { key })).json.data.authentication;
    if (found === null) await Bun.sleep(10);
  }
  return found;
}

describe('a mail', () => {
  test('from its stated sender passes all three', async () => {
    const domain = publish(dns, 'honest.example');
    const found = await checked(await send(await signedMail(domain), 'ann@honest.example'));
    expect(found.spf).toMatchObject({ result: 'pass', domain: 'honest.example' });
    expect(found.dkim).toHaveLength(1);
    expect(found.dkim[0]).toMatchObject({
      result: 'pass',
      domain: 'honest.example',
      selector: 's1',
      aligned: true,
    });
    expect(found.dmarc).toMatchObject({ result: 'pass', domain: 'honest.example', policy: 'reject' });
  });

  test('from a host that the SPF record of its domain names passes SPF', async () => {
    const mx = (host: string) => ({ records: [{ type: 'MX' as const, data: `10 ${host}` }] });
    dns.setAddresses('named.example', '127.0.0.1');
    dns.setAddresses('out.named.example', '127.0.0.1');
    dns.setAddresses('web.named.example', '192.0.2.1');
    dns.set('127.0.0.1.list.example', 'A', { records: [{ type: 'A', data: '127.0.0.2' }] });
    dns.set('in.example', 'TXT', txt('v=spf1 a:out.named.example -all'));
    for (const [record, exchanger, result] of [
      ['a', 'out.named.example', 'pass'],
      ['mx', 'out.named.example', 'pass'],
      ['mx', 'web.named.example', 'fail'],
      ['a:web.named.example', 'out.named.example', 'fail'],
      ['include:in.example', 'out.named.example', 'pass'],
      ['exists:%{i}.list.example', 'out.named.example', 'pass'],
    ] as const) {
      dns.set('named.example', 'TXT', txt(`v=spf1 ${record} -all`));
      dns.set('named.example', 'MX', mx(exchanger));
      const { spf } = await checked(
        await send('From: ann@named.example\r\n\r\nHello\r\n', 'ann@named.example'),
      );
      expect([record, exchanger, spf.result]).toEqual([record, exchanger, result]);
    }
  });

  test('that was changed, or sent by somebody else, fails', async () => {
    const domain = publish(dns, 'robbed.example');
    dns.set('robbed.example', 'TXT', txt('v=spf1 ip4:192.0.2.1 -all'));
    const changed = (await signedMail(domain)).toString().replace('481516', '666666');
    const found = await checked(await send(changed, 'ann@robbed.example'));
    expect(found.spf).toMatchObject({ result: 'fail', domain: 'robbed.example' });
    expect(found.dkim[0]).toMatchObject({ result: 'neutral', aligned: false });
    expect(found.dmarc).toMatchObject({ result: 'fail', policy: 'reject' });
  });

  test("with another domain's signature passes DKIM, and not DMARC", async () => {
    const domain = publish(dns, 'bulk.example');
    publish(dns, 'bank.example');
    const forged = (await signedMail(domain)).toString();
    // The signature covers From, so it belongs to the forger.
    const resigned = forged.replace(/^/, 'X-Note: not signed\r\n');
    const found = await checked(await send(resigned, 'ann@bulk.example'));
    expect(found.dkim[0]).toMatchObject({ result: 'pass', domain: 'bulk.example' });
    const spoof = `From: boss@bank.example\r\nSubject: pay\r\n\r\nnow\r\n`;
    const spoofed = await checked(await send(spoof, 'ann@bulk.example'));
    expect(spoofed.spf).toMatchObject({ result: 'pass', domain: 'bulk.example' });
    expect(spoofed.dmarc).toMatchObject({ result: 'fail', domain: 'bank.example', policy: 'reject' });
  });

  test('with text appended behind its signed part does not pass as its sender’s', async () => {
    const domain = publish(dns, 'partly.example');
    const sent = (after: string) =>
      send(partlySignedMail(domain, 'Hello.\r\n', after), 'eve@elsewhere.example');
    const whole = await checked(await sent(''));
    expect(whole.dkim[0]).toMatchObject({ result: 'pass', aligned: true });
    expect(whole.dmarc.result).toBe('pass');
    const added = await checked(await sent('Your code is 666666\r\n'));
    expect(added.dkim[0]).toMatchObject({ result: 'policy', aligned: false });
    expect(added.dkim[0].reason).toContain('not signed');
    expect(added.dmarc).toMatchObject({ result: 'fail', policy: 'reject' });
  });

  test('signed by another host name of its domain is aligned, unless the domain asks for strict alignment', async () => {
    for (const [name, policy, result] of [
      ['wide.example', 'reject', 'pass'],
      ['narrow.example', 'quarantine; adkim=s; aspf=s', 'fail'],
    ] as const) {
      const below = publish(dns, `news.${name}`);
      publish(dns, name, policy);
      const mail = partlySignedMail(below, 'Hello.\r\n', '', name);
      const found = await checked(await send(mail, 'eve@elsewhere.example'));
      expect(found.dkim[0]).toMatchObject({ result: 'pass', domain: `news.${name}` });
      expect(found.dmarc).toMatchObject({ result, policy: policy.split(';')[0] });
    }
  });

  test('of a domain that publishes nothing has the verdict none', async () => {
    const found = await checked(await send('From: a@nothing.example\r\n\r\nx\r\n', 'a@nothing.example'));
    expect([found.spf.result, found.dkim, found.dmarc.result]).toEqual(['none', [], 'none']);
    expect(found.dmarc.policy).toBeNull();
  });

  test('stored in pieces (over 256 KiB) is checked whole', async () => {
    const domain = publish(dns, 'large.example');
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
    const pem = domain.key.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { message } = await transport.sendMail({
      from: 'ann@large.example',
      to: 'you@postern.test',
      subject: 'large',
      attachments: [{ filename: 'x.bin', content: Buffer.alloc(900_000, 'mail') }],
      dkim: { domainName: domain.name, keySelector: 's1', privateKey: pem },
    });
    const found = await checked(await send(message as unknown as Buffer, 'ann@large.example'));
    expect(found.dkim[0]).toMatchObject({ result: 'pass', aligned: true });
  });

  test('to several recipients is checked once for all of them', async () => {
    const other = await appliance.inbox(owner);
    publish(dns, 'shared.example');
    const { data } = await sendMail({
      port: appliance.smtpPort,
      from: 'a@shared.example',
      to: [inbox.address, other.address],
      raw: 'From: a@shared.example\r\nSubject: both\r\n\r\nx\r\n',
    });
    expect(data?.code).toBe(250);
    for (const { id } of [inbox, other]) {
      const latest = await appliance.request('GET', `/api/v1/inboxes/${id}/messages/latest`, {
        key: owner.key,
      });
      expect((await checked(latest.json.data.id)).spf.result).toBe('pass');
    }
    expect(dns.asked.filter((line) => line.startsWith('TXT _dmarc.shared.example'))).toHaveLength(1);
  });
});

describe('what a stranger publishes or sends', () => {
  test('can’t make SPF look up names without end', async () => {
    dns.set('loop.example', 'TXT', txt('v=spf1 include:loop.example -all'));
    const wide = Array.from({ length: 30 }, (_, index) => `a:h${index}.wide.example`).join(' ');
    for (let index = 0; index < 30; index++) dns.setAddresses(`h${index}.wide.example`, '192.0.2.1');
    dns.set('wide.example', 'TXT', txt(`v=spf1 ${wide} -all`));
    for (const domain of ['loop.example', 'wide.example']) {
      const found = await checked(await send(`From: a@${domain}\r\n\r\nx\r\n`, `a@${domain}`));
      expect([domain, found.spf.result]).toEqual([domain, 'permerror']);
    }
    const asked = dns.asked.filter((line) => /^A h\d+\.wide/.test(line)).length;
    expect(asked).toBeLessThanOrEqual(10);
  });

  test('has at most ten of its signatures checked, and no huge one', async () => {
    const signature = (index: number, more = '') =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=many.example; s=k${index}; c=simple/simple; l=${index}; h=from; ` +
      `bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA${more}\r\n`;
    const many = Array.from({ length: 200 }, (_, index) => signature(index)).join('');
    const found = await checked(await send(`${many}From: a@many.example\r\n\r\nx\r\n`, 'a@many.example'));
    expect(found.dkim.length).toBeLessThanOrEqual(10);
    expect(found.dkim.every(({ result }: { result: string }) => result !== 'pass')).toBe(true);
    const huge = signature(1, 'A'.repeat(20_000));
    const second = await checked(await send(`${huge}From: a@many.example\r\n\r\nx\r\n`, 'a@many.example'));
    expect(second.dkim).toEqual([]);
  });

  test('ends in a verdict even with an invalid key, two From headers, or an endless header', async () => {
    const domain = publish(dns, 'odd.example');
    dns.set('s1._domainkey.odd.example', 'TXT', txt(`v=DKIM1; p=${'A'.repeat(8_000)}`));
    const badKey = await checked(await send(await signedMail(domain), 'ann@odd.example'));
    expect(badKey.dkim[0].result).toBe('neutral');
    const two = 'From: a@odd.example\r\nFrom: b@bank.example\r\n\r\nx\r\n';
    expect((await checked(await send(two, 'a@odd.example'))).dmarc).toMatchObject({
      result: 'permerror',
      policy: null,
    });
    const long = `From: a@odd.example\r\n${'X-A: b\r\n'.repeat(20_000)}\r\nx\r\n`;
    expect((await checked(await send(long, 'a@odd.example'))).dmarc.result).toBe('permerror');
    expect(JSON.stringify(badKey)).not.toContain('\n');
  });
});

describe('slow DNS', () => {
  test('delays neither the 250 nor a waiting client, and ends in temperror', async () => {
    for (const name of ['slow.example', '_dmarc.slow.example']) dns.set(name, 'TXT', silence);
    const fresh = await appliance.inbox(owner);
    const waiting = appliance.request('GET', `/api/v1/inboxes/${fresh.id}/messages/wait`, { key: owner.key });
    await until(() => appliance.services.waits.size === 1);
    const raw = 'From: a@slow.example\r\nSubject: code\r\n\r\nYour code is 481516\r\n';
    const { data } = await sendMail({
      port: appliance.smtpPort,
      from: 'a@slow.example',
      to: [fresh.address],
      raw,
    });
    expect(data?.code).toBe(250);
    const { json } = await waiting;
    expect([json.data.otp, json.data.authentication]).toEqual(['481516', null]);
    // The retry now gets an answer.
    for (const name of ['slow.example', '_dmarc.slow.example']) dns.set(name, 'TXT', servfail);
    const found = await checked(json.data.id);
    expect(found.spf.result).toBe('temperror');
    expect(found.dmarc.result).toBe('temperror');
  }, 30_000);

  test('leaves unfinished checks to the next start', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-authenticity-'));
    await using otherDns = await startDnsServer();
    otherDns.set('late.example', 'TXT', silence);
    const settings = settingsWith(otherDns);
    let id = '';
    let key = '';
    {
      await using first = await startAppliance({ settings, dataDir });
      const holder = await first.holder();
      key = holder.key;
      const { address } = await first.inbox(holder);
      const raw = 'From: a@late.example\r\n\r\nx\r\n';
      const sent = await sendMail({ port: first.smtpPort, from: 'a@late.example', to: [address], raw });
      id = sent.data?.lines.join(' ').match(/msg_\w+/)?.[0] ?? '';
      await until(() => otherDns.asked.length > 0);
    }
    publish(otherDns, 'late.example');
    await using second = await startAppliance({ settings, dataDir });
    expect((await checked(id, second, key)).spf.result).toBe('pass');
    rmSync(dataDir, { recursive: true, force: true });
  });
});

test('mail from a private network and captured mail are not checked', async () => {
  await using usual = await startAppliance({ settings: { dns_servers: `${dns.host}:${dns.port}` } });
  await using trap = await startAppliance({
    capture: { apiKey: 'secret' },
    settings: { ...settingsWith(dns) },
  });
  const before = dns.asked.length;
  const holder = await usual.holder();
  const { address } = await usual.inbox(holder);
  for (const [to, rcpt] of [
    [usual, address],
    [trap, 'x@anywhere.example'],
  ] as const) {
    const raw = 'From: a@honest.example\r\n\r\nx\r\n';
    expect(
      (await sendMail({ port: to.smtpPort, from: 'a@honest.example', to: [rcpt], raw })).data?.code,
    ).toBe(250);
    expect(countRows(to, 'authentication')).toBe(0);
  }
  expect(dns.asked.length).toBe(before);
});

test('/metrics counts the verdicts', async () => {
  const { text } = await appliance.request('GET', '/metrics');
  expect(text).toMatch(/postern_authentication_checks_total\{method="dmarc",result="pass"\} [1-9]/);
  expect(text).toMatch(/postern_authentication_seconds_count [1-9]/);
  expect(text).toContain('postern_authentication_queue 0');
});
