/** The SMTP dialogue: replies, and which recipients are accepted. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { enableInbox } from '../../store-state.ts';
import { Mailbox } from './mailbox.ts';

let appliance: RunningAppliance;
let ann: Mailbox;

beforeAll(async () => {
  appliance = await startAppliance({ logLevel: 'info' });
  ann = await Mailbox.open(appliance, { routing_key: 'ann' });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const greet = () => SmtpClient.greet({ port: appliance.smtpPort });
const mail = (subject: string) => `Subject: ${subject}\r\n\r\nbody\r\n`;

/** The reply to one recipient; no mail is sent. */
async function rcpt(address: string) {
  using client = await greet();
  await client.say('MAIL FROM:<s@example.org>', 250);
  client.send(`RCPT TO:<${address}>`);
  const { code, lines } = await client.reply();
  return { code, text: lines.join(' ') };
}

describe('greeting', () => {
  test('comes at once', async () => {
    const times: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const began = performance.now();
      using client = await SmtpClient.connect({ port: appliance.smtpPort });
      const { lines } = await client.expect(220);
      times.push(performance.now() - began);
      expect(lines).toEqual(['mx.postern.test ESMTP Postern']);
    }
    // The library would wait 100 ms. The fastest of five is not slowed by other work on the machine.
    expect(Math.min(...times)).toBeLessThan(60);
  });

  test('EHLO lists the extensions, and no AUTH', async () => {
    using client = await SmtpClient.connect({ port: appliance.smtpPort });
    await client.expect(220);
    const { lines } = await client.say('EHLO client.example', 250);
    expect(lines.slice(1).sort()).toEqual([
      '8BITMIME',
      'ENHANCEDSTATUSCODES',
      'PIPELINING',
      'SIZE 26214400',
      'SMTPUTF8',
      'STARTTLS',
    ]);
  });

  test('replies carry an enhanced status code exactly once', async () => {
    using client = await greet();
    expect((await client.say('NOOP', 250)).lines).toEqual(['2.0.0 OK']);
    expect((await client.say('MAIL FROM:<a@example.org>', 250)).lines[0]).toStartWith('2.1.0 ');
    expect((await client.say(`RCPT TO:<${ann.address}>`, 250)).lines[0]).toStartWith('2.1.5 ');
    expect((await client.say('RCPT TO:<nobody@postern.test>', 550)).lines).toEqual(['5.1.1 No such inbox']);
    expect((await client.say('FROB', 500)).lines[0]).toStartWith('5.5.2 ');
    await client.say('DATA', 354);
    client.data(mail('codes'));
    expect((await client.expect(250)).lines[0]).toMatch(/^2\.6\.0 Accepted as msg_\w+$/);
    expect((await client.say('QUIT', 221)).lines[0]).toStartWith('2.0.0 ');
    await client.closed();
  });

  test('AUTH, EXPN, TURN and BDAT are not implemented, and VRFY reveals nothing', async () => {
    using client = await greet();
    await client.say('AUTH PLAIN AGEAYg==', 500);
    await client.say('EXPN ann', 500);
    await client.say('TURN', 500);
    await client.say('BDAT 3 LAST', 500);
    expect(await client.say('VRFY ann', 252)).toEqual(await client.say('VRFY nobody', 252));
  });
});

describe('recipients', () => {
  test('an unknown recipient is refused at RCPT', async () => {
    expect(await rcpt('nobody@postern.test')).toEqual({
      code: 550,
      text: '5.1.1 No such inbox',
    });
  });

  test('a recipient of another domain is refused: never an open relay', async () => {
    for (const address of [
      'ann@example.org',
      'ann@sub.postern.test',
      'ann@postern.test.example.org',
      'ann%example.org@example.net',
      'ann@[127.0.0.1]',
      'ann@localhost',
      'postmaster@example.org',
      '@example.org:ann@example.net',
    ]) {
      expect({ address, code: (await rcpt(address)).code }).toEqual({ address, code: 550 });
    }
    // Routes in the local part or before the address are unknown names here.
    expect((await rcpt('ann%example.org@postern.test')).code).toBe(550);
    expect((await rcpt('example.org!ann@postern.test')).code).toBe(550);
    expect((await rcpt('@example.org:ann@postern.test')).code).toBe(250);
  });

  test('a disabled and a deleted inbox are refused like an unknown one', async () => {
    const box = await Mailbox.open(appliance, { routing_key: 'going' }, ann.holder);
    expect((await rcpt(box.address)).code).toBe(250);
    const enable = async (isEnabled: boolean) => {
      enableInbox(appliance, box.id, isEnabled);
      // Another process wrote that, so the server forgets the inbox only with its next write.
      await Mailbox.open(appliance, { routing_key: `other-${isEnabled}` }, ann.holder);
    };
    await enable(false);
    expect(await rcpt(box.address)).toEqual({ code: 550, text: '5.1.1 No such inbox' });
    await enable(true);
    expect((await rcpt(box.address)).code).toBe(250);
    await appliance.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: ann.holder.key });
    expect(await rcpt(box.address)).toEqual({ code: 550, text: '5.1.1 No such inbox' });
  });

  test('a store without any account defers what it would refuse if it is set to', async () => {
    await using empty = await startAppliance({ settings: { without_accounts: 'defer' } });
    const answer = async (address: string) => {
      using client = await SmtpClient.greet({ port: empty.smtpPort });
      await client.say('MAIL FROM:<s@example.org>', 250);
      client.send(`RCPT TO:<${address}>`);
      return (await client.reply()).code;
    };
    expect(await answer('ann@postern.test')).toBe(451);
    expect(await answer('ann@example.org')).toBe(451);
    await empty.holder();
    expect(await answer('ann@postern.test')).toBe(550);
    expect(await answer('ann@example.org')).toBe(550);
  });

  test('an inbox deleted between RCPT and the last byte gets nothing, and the sender gets an error', async () => {
    const box = await Mailbox.open(appliance, { routing_key: 'quick' }, ann.holder);
    using client = await greet();
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say(`RCPT TO:<${box.address}>`, 250);
    await client.say('DATA', 354);
    client.write('Subject: late\r\n\r\n');
    await appliance.request('DELETE', `/api/v1/inboxes/${box.id}`, { key: ann.holder.key });
    client.write('x\r\n.\r\n');
    await client.expect(550);
    await client.say('NOOP', 250);
  });

  test('case, a +tag and needless quotes do not matter, and the written address is kept', async () => {
    const quoted = ['"ann"@postern.test', '"An\\n+tag"@postern.test'];
    for (const address of ['ANN@POSTERN.TEST', 'Ann+a+b@postern.TEST', 'aNn+@Postern.Test', ...quoted]) {
      const { data } = await sendMail({
        port: appliance.smtpPort,
        from: 'a@example.org',
        to: [address],
        raw: mail(address),
      });
      expect(data?.code).toBe(250);
      const latest = await ann.latest();
      expect(latest.subject).toBe(address);
      expect(latest.envelope_recipient.toLowerCase()).toBe(address.toLowerCase());
      expect(latest.envelope_recipient.split('@')[0]).toBe(address.split('@')[0]);
    }
  });

  test('several inboxes each get the message, and refused ones are left out', async () => {
    const bob = await Mailbox.open(appliance, { routing_key: 'bob' });
    const replies = await sendMail({
      port: appliance.smtpPort,
      from: 'a@example.org',
      to: [ann.address, 'nobody@postern.test', bob.address],
      raw: mail('to both'),
    });
    expect(replies.to.map(({ code }) => code)).toEqual([250, 550, 250]);
    expect(replies.data?.code).toBe(250);
    const [one, two] = [await ann.latest(), await bob.latest()];
    expect([one.subject, two.subject]).toEqual(['to both', 'to both']);
    expect(one.id).not.toBe(two.id);
    expect(one.envelope_recipient).toBe(ann.address);
    expect(two.envelope_recipient).toBe(bob.address);
  });

  test('a path without brackets is read as if it had them', async () => {
    using client = await greet();
    await client.say('MAIL FROM: scanner@example.org SIZE=100', 250);
    await client.say(`RCPT TO: ${ann.address}`, 250);
    await client.say('RCPT TO:nobody', 501);
    await client.say('DATA', 354);
    client.data(mail('bracketless'));
    await client.expect(250);
    const { subject, envelope_from, envelope_recipient } = await ann.latest();
    expect([subject, envelope_from, envelope_recipient]).toEqual([
      'bracketless',
      'scanner@example.org',
      ann.address,
    ]);
  });

  test('the same recipient named twice gets the message once', async () => {
    const box = await Mailbox.open(appliance);
    await sendMail({
      port: appliance.smtpPort,
      from: 'a@example.org',
      to: [box.address, box.address.toUpperCase(), box.address],
      raw: mail('once'),
    });
    expect(await box.subjects()).toEqual(['once']);
  });

  test('postmaster and abuse are always accepted, and dropped with a log line', async () => {
    for (const to of [
      'postmaster@postern.test',
      'Abuse@postern.test',
      'POSTMASTER',
      'abuse+x@postern.test',
    ]) {
      appliance.logged.length = 0;
      const { data } = await sendMail({
        port: appliance.smtpPort,
        from: '',
        to: [to],
        raw: mail('complaint'),
      });
      expect(data?.code).toBe(250);
      const lines = appliance.logged.filter((line) => line.includes('accepted and dropped'));
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', recipient: to }]);
      expect(lines[0]).toContain(`mail to ${to} accepted and dropped`);
    }
  });

  test('a message to an inbox and to abuse is stored in the inbox, and its drop is logged all the same', async () => {
    appliance.logged.length = 0;
    const to = [ann.address, 'abuse@postern.test', 'postmaster'];
    const raw = mail('both');
    await sendMail({ port: appliance.smtpPort, from: 'a@example.org', to, raw });
    expect(await ann.latest()).toMatchObject({ subject: 'both' });
    const [line] = appliance.logged.filter((one) => one.includes('accepted and dropped'));
    expect(JSON.parse(line!)).toMatchObject({
      from: 'a@example.org',
      recipient: 'abuse@postern.test postmaster',
    });
  });

  test('a null sender is accepted and kept as the empty string', async () => {
    await sendMail({ port: appliance.smtpPort, from: '', to: [ann.address], raw: mail('bounce') });
    expect(await ann.latest()).toMatchObject({ subject: 'bounce', envelope_from: '' });
  });
});

describe('order of commands', () => {
  test('commands out of order are refused and the session continues', async () => {
    using client = await SmtpClient.connect({ port: appliance.smtpPort });
    await client.expect(220);
    await client.say('MAIL FROM:<a@example.org>', 503);
    await client.say('HELO client.example', 250);
    await client.say(`RCPT TO:<${ann.address}>`, 503);
    await client.say('DATA', 503);
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say('MAIL FROM:<b@example.org>', 503);
    await client.say('DATA', 503);
    await client.say(`RCPT TO:<${ann.address}>`, 250);
    await client.say('RSET', 250);
    await client.say('DATA', 503);
  });

  test('EHLO in mid-transaction starts over', async () => {
    using client = await greet();
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say(`RCPT TO:<${ann.address}>`, 250);
    await client.say('EHLO again.example', 250);
    await client.say('DATA', 503);
  });

  test('pipelined commands in one packet are answered in order, over several messages in a session', async () => {
    const box = await Mailbox.open(appliance);
    using client = await greet();
    const one = (subject: string) =>
      `MAIL FROM:<a@example.org>\r\nRCPT TO:<${box.address}>\r\nDATA\r\nSubject: ${subject}\r\n\r\nx\r\n.\r\n`;
    client.write(`${one('first')}${one('second')}RSET\r\n${one('third')}QUIT\r\n`);
    const codes: number[] = [];
    for (let count = 0; count < 14; count++) codes.push((await client.reply()).code);
    const mailCodes = [250, 250, 354, 250];
    expect(codes).toEqual([...mailCodes, ...mailCodes, 250, ...mailCodes, 221]);
    expect(await box.subjects()).toEqual(['first', 'second', 'third']);
  });

  test('a pipelined DATA without a valid recipient is refused, and its content is not stored', async () => {
    using client = await greet();
    client.write('MAIL FROM:<a@example.org>\r\nRCPT TO:<nobody@postern.test>\r\nDATA\r\n');
    await client.expect(250);
    await client.expect(550);
    await client.expect(503);
  });

  test('a session of one byte at a time works', async () => {
    const box = await Mailbox.open(appliance);
    using client = await SmtpClient.connect({ port: appliance.smtpPort });
    const all = `EHLO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<${box.address}>\r\nDATA\r\nSubject: slow\r\n\r\n..x\r\n.\r\nQUIT\r\n`;
    await client.expect(220);
    for (const byte of all) {
      client.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const code of [250, 250, 250, 354, 250, 221]) await client.expect(code);
    const latest = await box.latest();
    expect((await box.raw(latest.id)).toString()).toBe('Subject: slow\r\n\r\n.x\r\n');
  });
});

describe('a client that closes its side', () => {
  test('after a whole session in one packet has its mail stored, and reads every reply', async () => {
    using client = await SmtpClient.connect({ port: appliance.smtpPort });
    const session = ['EHLO client.example', 'MAIL FROM:<s@example.org>', `RCPT TO:<${ann.address}>`, 'DATA'];
    client.write(`${session.join('\r\n')}\r\n${mail('half-closed')}.\r\nFROB\r\nNOOP\r\n`);
    client.finish();
    for (const code of [220, 250, 250, 250, 354, 250, 500, 250]) await client.expect(code);
    await client.closed();
    expect((await ann.latest()).subject).toBe('half-closed');
  });

  test('in the middle of a message leaves nothing, and its connection ends', async () => {
    const before = (await ann.latest()).id;
    using client = await greet();
    await client.say('MAIL FROM:<s@example.org>', 250);
    await client.say(`RCPT TO:<${ann.address}>`, 250);
    await client.say('DATA', 354);
    client.write('Subject: unfinished\r\n\r\nbody\r\n');
    client.finish();
    await client.closed();
    expect((await ann.latest()).id).toBe(before);
  });
});
