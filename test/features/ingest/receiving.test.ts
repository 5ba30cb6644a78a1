/** Mail in by SMTP, out by HTTP: real clients, capture mode, and unusual behaviour of clients. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { haveNode, sendUnderNode } from '../../peers/node-mailer.ts';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { haveSwaks, haveSwaksWithTls, swaks } from '../../peers/swaks.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
let box: Mailbox;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { smtp_listen: '127.0.0.1:0,tls://127.0.0.1:0' } });
  box = await Mailbox.open(appliance);
});
afterAll(() => appliance[Symbol.asyncDispose]());

describe('senders', () => {
  for (const [name, options] of Object.entries<string[]>({
    'in clear': [],
    'with STARTTLS': ['--tls'],
    pipelining: ['--pipeline'],
  })) {
    const have = options.some((option) => option.startsWith('--tls')) ? haveSwaksWithTls : haveSwaks;
    test.skipIf(!have())(`such as swaks can send ${name}`, async () => {
      const raw = `Subject: swaks ${name}\r\nFrom: a@example.org\r\n\r\n.a line with a dot\r\n..two\r\n`;
      const mail = { port: appliance.smtpPort, from: 'a@example.org', to: [box.address], raw, options };
      const { exitCode, output } = await swaks(mail);
      expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
      const message = await box.latest();
      expect(message.subject).toBe(`swaks ${name}`);
      expect(message.text).toContain('.a line with a dot\n..two');
    });
  }

  for (const [name, transport] of Object.entries({
    'in clear': () => ({ port: appliance.smtpPort }),
    'with STARTTLS': () => ({ port: appliance.smtpPort, requireTLS: true }),
    'with implicit TLS': () => ({ port: appliance.smtpPorts[1]!, secure: true }),
  })) {
    test.skipIf(!haveNode())(`such as nodemailer under Node can send ${name}`, async () => {
      const message = {
        from: 'Änne <aenne@example.org>',
        to: box.address,
        subject: `Grüße ${name} 😀`,
        text: 'Your code is 482913.\n.\n..\nend',
        html: '<p>Your code is <b>482913</b>.</p>',
        attachments: [{ filename: 'bär.txt', content: 'growl' }],
      };
      const result = await sendUnderNode({ transport: transport(), message });
      expect(result.accepted).toEqual([box.address]);
      const got = await box.latest();
      expect(got).toMatchObject({
        subject: `Grüße ${name} 😀`,
        from: 'Änne <aenne@example.org>',
        has_html: true,
        envelope_from: 'aenne@example.org',
        attachments: [{ index: 0, filename: 'bär.txt', size: 5, inline: false }],
      });
      expect(got.text).toContain('\n.\n..\nend');
      expect((await box.attachment(got.id, 0)).toString()).toBe('growl');
    });
  }

  test.skipIf(!haveNode())('such as nodemailer learn that a recipient does not exist', async () => {
    const message = {
      from: 'a@example.org',
      to: ['nobody@postern.test', box.address],
      subject: 'x',
      text: 'x',
    };
    const result = await sendUnderNode({ transport: { port: appliance.smtpPort }, message });
    expect(result).toMatchObject({ accepted: [box.address], rejected: ['nobody@postern.test'] });
  });
});

describe('capture mode', () => {
  test('accepts mail for every address, creates the inboxes, and accepts any login', async () => {
    await using capture = await startAppliance({ capture: {} });
    const port = capture.smtpPort;
    for (const auth of ['AUTH PLAIN AGFubgBzZWNyZXQ=', 'AUTH PLAIN', 'AUTH LOGIN']) {
      using client = await SmtpClient.greet({ port });
      client.send(auth);
      if (auth === 'AUTH PLAIN') {
        await client.expect(334);
        client.send('AGFubgBzZWNyZXQ=');
      } else if (auth === 'AUTH LOGIN') {
        await client.expect(334);
        await client.say('YW5u', 334);
        client.send('c2VjcmV0');
      }
      await client.expect(235);
      await client.say('MAIL FROM:<a@example.org>', 250);
      await client.say('RCPT TO:<Who.Ever+tag@any.example>', 250);
      await client.say('RCPT TO:<bücher@bücher.example>', 250);
      await client.say('RCPT TO:<postmaster>', 250);
      await client.say('RCPT TO:<bounce+x@postern.test>', 250);
      await client.say('DATA', 354);
      client.data('Subject: caught\r\n\r\nx\r\n');
      await client.expect(250);
    }
    const { json } = await capture.request('GET', '/api/v1/inboxes', { key: capture.apiKey! });
    const addresses = (json.data as { address: string }[]).map(({ address }) => address).sort();
    expect(addresses).toEqual([
      'bounce@postern.test',
      'bücher@xn--bcher-kva.example',
      'postmaster@postern.test',
      'who.ever@any.example',
    ]);
  });

  test('refuses mail for an inbox that was turned off', async () => {
    await using capture = await startAppliance({ capture: {} });
    const key = capture.apiKey!;
    await capture.request('PATCH', '/api/v1/inboxes/off@any.example', { key, body: { is_enabled: false } });
    using client = await SmtpClient.greet({ port: capture.smtpPort });
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say('RCPT TO:<off@any.example>', 550);
    await client.say('RCPT TO:<on@any.example>', 250);
  });

  test('keeps an address as given: the content of its quotes, and its domain in either form', async () => {
    await using capture = await startAppliance({ capture: {} });
    const addresses = [
      '"a b"@any.example',
      '"a@b> c"@any.example',
      '"it\\"s"@any.example',
      'x@xn--bcher-kva.example',
    ];
    for (const address of addresses) {
      for (const parameter of ['', ' SMTPUTF8']) {
        using client = await SmtpClient.greet({ port: capture.smtpPort });
        await client.say(`MAIL FROM:<${address}>${parameter}`, 250);
        await client.say(`RCPT TO:<@relay.example:${address}>`, 250);
        await client.say('DATA', 354);
        client.data('Subject: kept\r\n\r\nx\r\n');
        await client.expect(250);
        const read = async (path: string) =>
          (await capture.request('GET', `/api/v1/inboxes${path}`, { key: capture.apiKey! })).json.data;
        const [inbox] = await read('?limit=1');
        expect(await read(`/${inbox.id}/messages/latest`)).toMatchObject({
          envelope_from: address,
          envelope_recipient: address,
        });
      }
    }
  });

  test.skipIf(!haveSwaks())('lets swaks log in', async () => {
    await using capture = await startAppliance({ capture: {} });
    const options = ['--auth', 'LOGIN', '--auth-user', 'ann', '--auth-password', 'secret'];
    const { exitCode } = await swaks({
      port: capture.smtpPort,
      from: 'a@b.c',
      to: ['x@y.example'],
      options,
    });
    expect(exitCode).toBe(0);
  });
});

test("postmaster's mail goes to the operator's inbox when one is set", async () => {
  using folder = temporaryFolder();
  const before = await startAppliance({ dataDir: folder.path });
  const { holder, id } = await Mailbox.open(before, { routing_key: 'operator' });
  await before[Symbol.asyncDispose]();
  await using next = await startAppliance({ dataDir: folder.path, settings: { postmaster_inbox: id } });
  const latest = async () =>
    (await next.request('GET', `/api/v1/inboxes/${id}/messages/latest`, { key: holder.key })).json.data;
  for (const to of ['postmaster', 'abuse@postern.test', 'Postmaster+x@postern.test']) {
    const raw = `Subject: to ${to}\r\n\r\nx\r\n`;
    const { data } = await sendMail({ port: next.smtpPort, from: '', to: [to], raw });
    expect(data?.code).toBe(250);
    expect(await latest()).toMatchObject({ subject: `to ${to}`, envelope_recipient: to });
  }
});

test('postmaster’s mail is dropped with the reason when the configured inbox does not exist', async () => {
  const inboxId = `inbox_${'0'.repeat(32)}`;
  await using next = await startAppliance({ settings: { postmaster_inbox: inboxId } });
  const raw = 'Subject: lost\r\n\r\nx\r\n';
  const { data } = await sendMail({ port: next.smtpPort, from: '', to: ['postmaster'], raw });
  expect(data?.code).toBe(250);
  expect(next.logged).toHaveLength(1);
  expect(next.logged[0]).toContain('does not exist, is disabled or');
  expect(next.logged[0]).toContain(inboxId);
});

describe('odd mails', () => {
  const kept = async (raw: Uint8Array | string) => {
    const message = await box.receive(raw);
    const sent = Buffer.from(raw as string);
    const whole =
      sent.length === 0 || sent.toString('latin1').endsWith('\r\n') ? sent : `${sent.toString('latin1')}\r\n`;
    expect((await box.raw(message.id)).toString('latin1')).toBe(whole.toString('latin1'));
    return message;
  };

  test('are stored when empty', async () => {
    expect(await kept('')).toMatchObject({ subject: '', from: '', text: '', size: 0, status: 'parsed' });
  });

  test('are stored with headers only, a body only, a single line end, or dots only', async () => {
    expect(await kept('Subject: headers only\r\n')).toMatchObject({ subject: 'headers only', text: '' });
    expect((await kept('\r\nbody only\r\n')).text).toContain('body only');
    await kept('\r\n');
    await kept('.\r\n..\r\n...\r\n');
  });

  test('are stored with NULs, every byte value, and lone CRs and LFs', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await kept(Buffer.concat([Buffer.from('Subject: a\0b\r\nFrom: \0\r\n\r\n'), all, Buffer.from('\r\n')]));
    await kept('Subject: bare\r\n\r\na\nb\rc\r\r\nd\n\r\r\n');
    const page = await box.list();
    expect(page.length).toBeGreaterThan(0);
  });

  test('are stored with a line of a megabyte, and undeclared UTF-8 and Latin-1', async () => {
    await kept(`Subject: long\r\n\r\n${'x'.repeat(1_000_000)}\r\n`);
    await kept(Buffer.from('Subject: Gr\xfc\xdfe\r\n\r\nGr\xfc\xdfe\r\n', 'latin1'));
    expect((await kept(Buffer.from('Subject: Grüße\r\n\r\nGrüße 😀\r\n'))).text).toContain('Grüße 😀');
  });
});

describe('odd commands', () => {
  test('of non-text bytes, NULs, a huge HELO and odd addresses are harmless', async () => {
    const lines: (string | Buffer)[] = [
      Buffer.from('EHLO \xff\xfe\0\r\n', 'latin1'),
      `EHLO ${'h'.repeat(10_000)}\r\n`,
      Buffer.from('MAIL FROM:<\xff\xfe@example.org>\r\n', 'latin1'),
      'MAIL FROM:<a\0b@example.org>\r\n',
      `MAIL FROM:<${'l'.repeat(5000)}@example.org>\r\n`,
      'MAIL FROM:<"a b"@example.org>\r\n',
      'MAIL FROM:<"a@b"@example.org>\r\n',
      'MAIL FROM:<a@example.org\r\n',
      'MAIL FROM: <a@example.org>\r\n',
      'mail from:<a@example.org> BODY=BINARYMIME\r\n',
      'MAIL FROM:<a@example.org> SMTPUTF8=1\r\n',
      'RCPT TO:<>\r\n',
      `RCPT TO:<${'r'.repeat(5000)}@postern.test>\r\n`,
      'RCPT TO:<\u{1f600}@postern.test>\r\n',
      'RCPT TO:<ann@postern.test\u202e>\r\n',
      '\r\n',
      'GET / HTTP/1.1\r\n',
    ];
    for (const line of lines) {
      using client = await SmtpClient.greet({ port: appliance.smtpPort });
      if (line.toString().startsWith('RCPT')) await client.say('MAIL FROM:<a@example.org>', 250);
      client.write(line);
      const { code } = await client.reply();
      expect([250, 421, 500, 501, 550]).toContain(code);
    }
    // Each reply is one line: no line break from the client is echoed.
    expect((await box.send('Subject: after odd commands\r\n\r\nx\r\n')).data?.code).toBe(250);
    expect(appliance.logged.filter((line) => line.includes('451'))).toEqual([]);
  });

  test('with an internationalised recipient reach its inbox, with its domain in either form', async () => {
    await using idn = await startAppliance({ settings: { mail_domain: 'xn--bcher-kva.example' } });
    const own = await Mailbox.open(idn, { routing_key: 'ann' });
    for (const to of ['ann@bücher.example', 'ann@xn--bcher-kva.example', 'ANN@BÜCHER.example']) {
      const { data } = await sendMail({
        port: idn.smtpPort,
        from: 'ä@ö.example',
        to: [to],
        raw: `Subject: ${to}\r\n\r\n`,
      });
      expect({ to, code: data?.code }).toEqual({ to, code: 250 });
    }
    expect((await own.list()).length).toBe(3);
    expect((await own.latest()).envelope_from).toBe('ä@ö.example');
  });
});
