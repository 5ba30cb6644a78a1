/** SMTP AUTH on a server: a key of a trap account as password, and everything else refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { findAuthState } from '../../../src/doors/smtp/auth.ts';
import { authenticate } from '../../../src/features/accounts/authenticate.ts';
import { revokeKeyOp } from '../../../src/features/accounts/keys/writes.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { listWholeDiary } from '../../../src/features/ingest/diary/sql.ts';
import { formatPlain, makeTrap, sendTo, setTrap, signIn } from '../../features/traps/shared-trap.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';

let server: RunningAppliance;
let trap: Holder;
let port: number;
beforeAll(async () => {
  server = await startAppliance({
    settings: { limit_smtp_wrong_passwords_per_hour: '1000', smtp_bad_commands_max: '50' },
    logLevel: 'debug',
  });
  trap = await makeTrap(server);
  port = server.smtpPort;
});
afterAll(() => server[Symbol.asyncDispose]());

const wrongKey = formatPlain('ann', 'inbx_wrong');

describe('AUTH opens the trap of the key’s account', () => {
  test('by PLAIN and LOGIN, whatever the user name is, in clear text from this machine', async () => {
    for (const say of [
      (client: SmtpClient) => client.say(`AUTH PLAIN ${formatPlain('ann', trap.key)}`, 235),
      async (client: SmtpClient) => {
        await client.say('AUTH PLAIN', 334);
        await client.say(formatPlain('', trap.key), 235);
      },
      async (client: SmtpClient) => {
        await client.say('AUTH LOGIN', 334);
        await client.say(btoa('müller'), 334);
        await client.say(btoa(trap.key), 235);
      },
      async (client: SmtpClient) => {
        await client.say(`AUTH LOGIN ${btoa('ann')}`, 334);
        await client.say(btoa(trap.key), 235);
      },
    ]) {
      using client = await SmtpClient.greet({ port });
      await say(client);
      await sendTo(client, ['someone@any.example']);
    }
    const { json } = await server.request('GET', '/api/v1/inboxes/someone@any.example/messages', {
      key: trap.key,
    });
    expect(json.data).toHaveLength(4);
  });

  test('is offered before and after STARTTLS, with the mechanisms that send the key', async () => {
    using client = await SmtpClient.connect({ port });
    await client.expect(220);
    const { lines } = await client.say('EHLO client.example', 250);
    expect(lines).toContain('AUTH PLAIN LOGIN');
    await client.starttls();
    expect((await client.say('EHLO client.example', 250)).lines).toContain('AUTH PLAIN LOGIN');
    await client.say(`AUTH PLAIN ${formatPlain('ann', trap.key)}`, 235);
    await sendTo(client, ['tls@any.example']);
    await client.say('AUTH CRAM-MD5', '5');
  });

  test('a session before STARTTLS is not signed in after it', async () => {
    using client = await signIn({ port }, trap.key);
    await client.starttls();
    await client.say('EHLO client.example', 250);
    await client.say('MAIL FROM:<app@example.org>', 250);
    await client.say('RCPT TO:<someone@any.example>', 550);
  });

  test('and its user name is kept as smtp_user', async () => {
    using client = await signIn({ port }, trap.key, 'billing-service');
    await sendTo(client, ['user@name.example']);
    const latest = (path: string) =>
      server.request('GET', `/api/v1/inboxes/${path}/messages/latest`, { key: trap.key });
    expect((await latest('user@name.example')).json.data.smtp_user).toBe('billing-service');
    const box = await server.inbox(trap);
    using plain = await SmtpClient.greet({ port });
    await sendTo(plain, [box.address]);
    expect((await latest(box.address)).json.data.smtp_user).toBeNull();
  });
});

describe('AUTH is refused', () => {
  test('in clear text from other networks, unless the setting names them', () => {
    const { store } = server.services;
    const door = (networks: unknown) =>
      ({ capture: null, services: { store, settings: { smtp_auth_plain_networks: networks } } }) as never;
    const from = (remoteAddress: string, secure = false) => ({ secure, remoteAddress });
    expect(findAuthState(door(null), from('192.0.2.7'))).toBe('in_clear');
    expect(findAuthState(door(null), from('192.0.2.7', true))).toBe('open');
    expect(findAuthState(door(null), from('::1'))).toBe('open');
    const networks = [{ address: '192.0.2.0', prefix: 24 }];
    expect(findAuthState(door(networks), from('192.0.2.7'))).toBe('open');
    expect(findAuthState(door(networks), from('198.51.100.7'))).toBe('in_clear');
  });

  test('where no account is a trap, as if the server did not know it', async () => {
    await using bare = await startAppliance();
    using client = await SmtpClient.greet({ port: bare.smtpPort });
    await client.say(`AUTH PLAIN ${wrongKey}`, 500);
    await makeTrap(bare);
    await client.say(`AUTH PLAIN ${wrongKey}`, 535);
  });

  test('for a wrong password, a key of another kind of account, a revoked one and a suspended account', async () => {
    const plain = await server.holder();
    const suspended = await makeTrap(server);
    await server.services.store.write(changeAccountOp, {
      account_no: suspended.account.no,
      changes: { status: 'suspended' },
    });
    for (const key of ['', 'inbx_wrong', plain.key, suspended.key]) {
      using client = await SmtpClient.greet({ port });
      await client.say(`AUTH PLAIN ${formatPlain('ann', key)}`, 535);
      await client.say('MAIL FROM:<app@example.org>', 250);
      await client.say('RCPT TO:<someone@any.example>', 550);
    }
  });

  test('for the fifth wrong password, which ends the session', async () => {
    using client = await SmtpClient.greet({ port });
    for (let tries = 0; tries < 5; tries++) await client.say(`AUTH PLAIN ${wrongKey}`, 535);
    await client.expect(421);
    await client.closed();
  });

  test('during a mail transaction, twice, with nonsense and when it is cancelled, none of it a server error', async () => {
    using client = await SmtpClient.greet({ port });
    await client.say('AUTH', '5');
    await client.say('AUTH XOAUTH2 AAAA', 504);
    for (const nonsense of ['*', '====', 'AAAA', btoa('\0\0'), btoa('a\0b\0c\0d'), btoa(`\0a\nb\0c`)])
      await client.say(`AUTH PLAIN ${nonsense}`, '5');
    await client.say('AUTH LOGIN', 334);
    await client.say('*', 501);
    await client.say('MAIL FROM:<app@example.org>', 250);
    await client.say(`AUTH PLAIN ${formatPlain('ann', trap.key)}`, 503);
    await client.say('RSET', 250);
    await client.say(`auth plain ${formatPlain('ann', trap.key)}`, 235);
    await client.say(`AUTH PLAIN ${formatPlain('ann', trap.key)}`, 503);
    await sendTo(client, ['someone@any.example']);
    expect(server.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test('to an address that tried too often, whatever its password, on any connection', async () => {
    await using strict = await startAppliance({ settings: { limit_smtp_wrong_passwords_per_hour: '3' } });
    const holder = await makeTrap(strict);
    const options = { port: strict.smtpPort, localAddress: '127.9.1.1' };
    for (let tries = 0; tries < 3; tries++) {
      using client = await SmtpClient.greet(options);
      await client.say(`AUTH PLAIN ${wrongKey}`, 535);
    }
    using refused = await SmtpClient.greet(options);
    await refused.say(`AUTH PLAIN ${formatPlain('ann', holder.key)}`, 421);
    await refused.closed();
    using other = await signIn({ port: strict.smtpPort, localAddress: '127.9.2.1' }, holder.key);
    await sendTo(other, ['someone@any.example']);
  });

  test('without a password in the log or the diary', async () => {
    using client = await SmtpClient.greet({ port });
    await client.say(`AUTH PLAIN ${formatPlain('ann', 'inbx_SecretSecret')}`, 535);
    const { diary, store } = server.services;
    await diary.flush();
    expect(server.logged.join('\n')).not.toContain('SecretSecret');
    expect(server.logged.join('\n')).toContain('wrong_key');
    const entries = listWholeDiary(store, Number.MAX_SAFE_INTEGER, 100);
    expect(entries).toContainEqual(expect.objectContaining({ reason: 'wrong_key', code: 535 }));
    expect(JSON.stringify(entries)).not.toContain('SecretSecret');
  });
});

describe('a running session notices', () => {
  test('a revoked key, a suspended account, and an account that is no longer a trap', async () => {
    for (const change of [
      (holder: Holder) => setTrap(server, holder, false),
      (holder: Holder) =>
        server.services.store.write(changeAccountOp, {
          account_no: holder.account.no,
          changes: { status: 'suspended' },
        }),
      async ({ key }: Holder) => {
        await server.services.store.write(revokeKeyOp, { id: authenticate(server.services, key)!.key_id });
      },
    ]) {
      const holder = await makeTrap(server);
      using client = await signIn({ port }, holder.key);
      await sendTo(client, ['before@any.example']);
      await client.say('MAIL FROM:<app@example.org>', 250);
      await client.say('RCPT TO:<first@any.example>', 250);
      await change(holder);
      await client.say('RCPT TO:<after@any.example>', 550);
      await client.say('DATA', 354);
      client.data('Subject: x\r\n\r\nx\r\n');
      await client.expect(550);
    }
  });
});
