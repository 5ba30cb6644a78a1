/** When STARTTLS is offered: a mailer that upgrades by itself must not fail on a certificate of our own making. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { generate } from 'selfsigned';
import { listWholeDiary } from '../../../src/features/ingest/diary/sql.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type StartOptions, startAppliance } from '../../start.ts';

async function isOffered(options: StartOptions): Promise<boolean> {
  await using appliance = await startAppliance(options);
  using client = await SmtpClient.connect({ port: appliance.smtpPort });
  await client.expect(220);
  const { lines } = await client.say('EHLO client.example', 250);
  const isListed = lines.includes('STARTTLS');
  // What is not offered is not obeyed either.
  await client.say('STARTTLS', isListed ? 220 : 5);
  return isListed;
}

const capture = {};

describe('STARTTLS is offered', () => {
  test.each([
    ['by a server', {}, true],
    ['by a server that has it off', { settings: { smtp_starttls: 'off' } }, false],
    ['by a capture without a certificate', { capture }, false],
    ['by a capture that has it on', { capture, settings: { smtp_starttls: 'on' } }, true],
  ] as const)('%s: %o gives %p', async (_, options, isListed) => {
    expect(await isOffered(options)).toBe(isListed);
  });

  test('by a capture with a certificate of the user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-cert-'));
    try {
      const created = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
      const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
      writeFileSync(tlsCert, created.cert);
      writeFileSync(tlsKey, created.private);
      expect(await isOffered({ capture, settings: { tls_cert: tlsCert, tls_key: tlsKey } })).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('a mailer that insists on TLS gets a reply that says what to change, and the owner sees the attempt', async () => {
  await using appliance = await startAppliance({ capture });
  const transport = createTransport({ host: 'localhost', port: appliance.smtpPort, requireTLS: true });
  const mail = { from: 'a@x.example', to: 'b@y.example', subject: 'x', text: 'y' };
  await expect(transport.sendMail(mail)).rejects.toThrow(
    '502 5.5.1 STARTTLS is off here: turn TLS off in your mailer, or set POSTERN_SMTP_STARTTLS=on',
  );
  const { diary, store, capture: trap } = appliance.services;
  await diary.flush();
  expect(listWholeDiary(store, Number.MAX_SAFE_INTEGER, 10)).toMatchObject([
    { reason: 'starttls_off', code: 502, account_no: trap!.accountNo },
  ]);
});

test('a line of AUTH that reads STARTTLS belongs to AUTH', async () => {
  await using appliance = await startAppliance({ capture });
  using client = await SmtpClient.connect({ port: appliance.smtpPort });
  await client.expect(220);
  await client.say('EHLO client.example', 250);
  await client.say('AUTH LOGIN', 334);
  const { lines } = await client.say('STARTTLS', 501);
  expect(lines).toEqual(['5.5.4 Error: invalid userdata']);
});

test('nodemailer without options sends to a capture', async () => {
  await using appliance = await startAppliance({ capture });
  const transport = createTransport({ host: 'localhost', port: appliance.smtpPort });
  const sent = await transport.sendMail({ from: 'a@x.example', to: 'b@y.example', subject: 'x', text: 'y' });
  expect(sent.response).toStartWith('250 ');
});
