/** STARTTLS and implicit TLS, with a certificate that we create. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCertificate } from '../../../src/platform/net/certificate.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { Mailbox } from './mailbox.ts';

let appliance: RunningAppliance;
let box: Mailbox;
let tlsPort = 0;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { smtp_listen: '127.0.0.1:0,tls://127.0.0.1:0' } });
  tlsPort = appliance.smtpPorts.at(-1) ?? 0;
  box = await Mailbox.open(appliance);
});
afterAll(() => appliance[Symbol.asyncDispose]());

async function sendOn(client: SmtpClient, subject: string): Promise<void> {
  await client.deliver('a@example.org', box.address, `Subject: ${subject}\r\n\r\nx\r\n`);
}

/** The protocol in our Received line: how the mail arrived (RFC 3848). */
async function readProtocol(id: string): Promise<string | undefined> {
  const raw = (await box.bytes(`/api/v1/messages/${id}/raw`)).toString();
  return /\bwith (\S+) id /.exec(raw)?.[1];
}

describe('STARTTLS', () => {
  test('a session continues in TLS, starts over, and no longer offers STARTTLS', async () => {
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.starttls();
    await client.say('MAIL FROM:<a@example.org>', 503);
    const { lines } = await client.say('EHLO client.example', 250);
    expect(lines).not.toContain('STARTTLS');
    await client.say('STARTTLS', 5);
    await sendOn(client, 'by STARTTLS');
    const { id, subject } = await box.latest();
    expect(subject).toBe('by STARTTLS');
    expect(await readProtocol(id)).toBe('ESMTPS');
  });

  test('in one packet with the command before it answers both in clear, then begins the handshake', async () => {
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    client.write('NOOP\r\nSTARTTLS\r\n');
    await client.expect(250);
    await client.expect(220);
    await client.upgrade();
    await client.say('EHLO again.example', 250);
    await sendOn(client, 'by STARTTLS behind NOOP');
  });

  test('commands sent in clear behind STARTTLS are not obeyed inside TLS', async () => {
    for (const injected of [
      'RSET\r\n',
      `MAIL FROM:<evil@example.org>\r\nRCPT TO:<${box.address}>\r\nDATA\r\nSubject: injected\r\n\r\nx\r\n.\r\n`,
      'NOOP\r\n'.repeat(300),
    ]) {
      using client = await SmtpClient.greet({ port: appliance.smtpPort });
      client.write(`STARTTLS\r\n${injected}`);
      await client.expect(220);
      await client.upgrade();
      // If any of it had been kept, its reply would come before EHLO's.
      expect((await client.say('EHLO client.example', 250)).lines[0]).toContain('Nice to meet you');
      await client.say(`RCPT TO:<${box.address}>`, 503);
    }
    expect(await box.subjects()).not.toContain('injected');
  });

  test('an argument is refused, a garbage handshake ends the connection, and the server continues', async () => {
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.say('STARTTLS now', 501);
    await client.say('STARTTLS', 220);
    client.write('this is no ClientHello, whatever it is\r\n'.repeat(20));
    await client.closed();
    using next = await SmtpClient.greet({ port: appliance.smtpPort });
    await sendOn(next, 'after garbage');
  });
});

describe('implicit TLS', () => {
  test('a listener with tls:// speaks TLS from the first byte', async () => {
    using client = await SmtpClient.greet({ port: tlsPort, tls: true });
    await sendOn(client, 'by TLS');
    const { id, subject } = await box.latest();
    expect(subject).toBe('by TLS');
    expect(await readProtocol(id)).toBe('ESMTPS');
  });

  test('a listener with tls:// refuses TLS 1.1, even with a new certificate, and STARTTLS accepts it', async () => {
    const version = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    await expect(SmtpClient.connect({ port: tlsPort, tls: version })).rejects.toThrow(/version/i);
    await appliance.reloadTls();
    await expect(SmtpClient.connect({ port: tlsPort, tls: version })).rejects.toThrow(/version/i);
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.starttls(version);
    await client.say('EHLO client.example', 250);
  });

  test('a client that speaks plain text there is cut off, and the next one is served', async () => {
    using client = await SmtpClient.connect({ port: tlsPort });
    client.write('EHLO client.example\r\n'.repeat(20));
    await client.closed();
    using next = await SmtpClient.greet({ port: tlsPort, tls: true });
    await next.say('QUIT', 221);
  });
});

describe('the certificate', () => {
  test('is created once, names the host, and its key is private', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const none = { cert: null, key: null };
    const first = await loadCertificate(none, dir, 'mx.example.org');
    expect(await loadCertificate(none, dir, 'mx.example.org')).toEqual(first);
    const certificate = new X509Certificate(first.cert);
    expect(certificate.checkHost('mx.example.org')).toBe('mx.example.org');
    expect(statSync(join(dir, 'tls/self-signed.key')).mode & 0o777).toBe(0o600);
    // After a crash between the two files, the pair is created again.
    rmSync(join(dir, 'tls/self-signed.key'));
    const again = await loadCertificate(none, dir, 'mx.example.org');
    expect(again.key).not.toBe(first.key);
    expect(readFileSync(join(dir, 'tls/self-signed.crt'), 'utf8')).toBe(again.cert);
    rmSync(dir, { recursive: true });
  });

  test('of our own is recreated when it is damaged, and the reason is reported, or thrown where nobody reads reports', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const none = { cert: null, key: null };
    const other = await loadCertificate(none, join(dir, 'other'), 'mx.example.org');
    const damages: [string, (file: string) => void][] = [
      ['empty', (file) => truncateSync(file)],
      ['cut short', (file) => truncateSync(file, 90)],
      ['junk', (file) => writeFileSync(file, 'junk')],
      ['another one’s', (file) => writeFileSync(file, file.endsWith('key') ? other.key : other.cert)],
    ];
    for (const [, damage] of damages) {
      for (const end of ['crt', 'key']) {
        const before = await loadCertificate(none, dir, 'mx.example.org');
        damage(join(dir, `tls/self-signed.${end}`));
        await expect(loadCertificate(none, dir, 'mx.example.org')).rejects.toThrow('Remove');
        const reasons: string[] = [];
        const created = await loadCertificate(none, dir, 'mx.example.org', (reason) => reasons.push(reason));
        expect(reasons).toHaveLength(1);
        expect(created.key).not.toBe(before.key);
        expect(await loadCertificate(none, dir, 'mx.example.org')).toEqual(created);
      }
    }
    // The operator's own certificate is never changed.
    const files = { cert: join(dir, 'c.pem'), key: join(dir, 'k.pem') };
    for (const file of Object.values(files)) writeFileSync(file, '');
    const ignored = () => {
      throw new Error('it is not ours');
    };
    await expect(loadCertificate(files, dir, 'mx.example.org', ignored)).rejects.toThrow(
      'contains no PEM certificate',
    );
    expect(readFileSync(files.cert, 'utf8')).toBe('');
    rmSync(dir, { recursive: true });
  });

  test('is the operator’s own where one is set', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const created = await loadCertificate({ cert: null, key: null }, join(dir, 'a'), 'mine.example');
    const files = { cert: join(dir, 'a/tls/self-signed.crt'), key: join(dir, 'a/tls/self-signed.key') };
    expect(await loadCertificate(files, join(dir, 'b'), 'other.example')).toEqual(created);
    rmSync(dir, { recursive: true });
  });
});
