/** Delivery reports to the bounce address, through our own SMTP server. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBounceAddress } from '../../../src/features/outbound/sending/bounce-address.ts';
import { listSuppressions } from '../../../src/features/outbound/suppression/sql.ts';
import { removeSuppressionOp } from '../../../src/features/outbound/suppression/writes.ts';
import { newId } from '../../../src/platform/core/id.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { until } from '../../until.ts';
import { type SendingServer, setExchanger, startSendingServer } from './sending-server.ts';

const corpus = (name: string) =>
  readFileSync(join(import.meta.dir, '../../corpus/dsn', `${name}.eml`), 'utf8').replaceAll('\n', '\r\n');

/** Sends a report like a mail server. */
async function report(sender: SendingServer, to: string, mail: string, from = ''): Promise<void> {
  using client = await SmtpClient.greet({ port: sender.appliance.smtpPort });
  await client.deliver(from, to, mail);
}

/** Sends emails to two people, both accepted. */
async function sentTo(sender: SendingServer, ...to: string[]): Promise<{ id: string; bounce: string }> {
  for (const domain of ['receiver.example', 'other.example'])
    setExchanger(sender.dns, domain, '10 mx.far.test');
  const id = await sender.queue(to);
  await until(() => sender.recipients(id).every(({ status }) => status === 'sent'));
  return { id, bounce: sender.far.mails.at(-1)!.from };
}

const suppressed = ({ appliance, owner }: SendingServer) =>
  listSuppressions(appliance.services.store, owner.account.no, appliance.services.clock.nowUs()).map(
    ({ email }) => email,
  );

test('a bounce report of each kind marks its recipient bounced and suppressed, and the others stay sent', async () => {
  await using sender = await startSendingServer();
  for (const name of ['postfix', 'exim', 'sendmail', 'microsoft365', 'gmail', 'exim-old', 'exchange-text']) {
    const { id, bounce } = await sentTo(sender, 'Ann@receiver.example', 'other@receiver.example');
    await report(sender, bounce, corpus(name));
    expect(`${name}: ${sender.status(id)}`).toBe(
      `${name}: Ann@receiver.example bounced, other@receiver.example sent`,
    );
    expect(sender.email(id)).toMatchObject({ status: 'bounced' });
    expect(sender.email(id).last_error).toStartWith('reported: ');
    expect(suppressed(sender)).toEqual(['ann@receiver.example']);
    const { no: accountNo } = sender.owner.account;
    await sender.appliance.services.store.write(removeSuppressionOp, {
      account_no: accountNo,
      email: 'ann@receiver.example',
    });
  }
});

test('a report is recognised whatever envelope sender its server uses', async () => {
  await using sender = await startSendingServer();
  const { id, bounce } = await sentTo(sender, 'ann@receiver.example');
  await report(sender, bounce, corpus('postfix'), 'mailer-daemon@receiver.example');
  expect([sender.status(id), suppressed(sender)]).toEqual(['bounced', ['ann@receiver.example']]);
});

test('a report of delay or success, or a person’s answer, changes nothing', async () => {
  await using sender = await startSendingServer();
  const { id, bounce } = await sentTo(sender, 'ann@receiver.example');
  for (const name of ['postfix-delayed', 'exim-warning', 'delivered', 'vacation']) {
    await report(sender, bounce, corpus(name));
  }
  expect([sender.status(id), suppressed(sender)]).toEqual(['sent', []]);
});

test('a report about unknown addresses does nothing, unless the email had a single recipient', async () => {
  await using sender = await startSendingServer();
  const two = await sentTo(sender, 'one@receiver.example', 'two@receiver.example');
  await report(sender, two.bounce, corpus('postfix'));
  expect(sender.email(two.id).status).toBe('sent');
  // Its server forwarded it to somebody else, whose server sent it back.
  const one = await sentTo(sender, 'one@receiver.example');
  await report(sender, one.bounce, corpus('postfix'));
  expect(sender.email(one.id).status).toBe('bounced');
  expect(suppressed(sender)).toEqual(['one@receiver.example']);
});

test('a recipient’s server can’t report about recipients at other domains', async () => {
  await using sender = await startSendingServer();
  const { id } = await sentTo(sender, 'ann@receiver.example', 'bob@receiver.example', 'eve@other.example');
  const findBounce = (to: string) => sender.far.mails.find((mail) => mail.to.includes(to))!.from;
  const [anns, eves] = [findBounce('ann@receiver.example'), findBounce('eve@other.example')];
  expect([anns === eves, findBounce('bob@receiver.example')]).toEqual([false, anns]);
  // There is one recipient, so the report must be about it.
  await report(sender, eves, corpus('postfix'));
  expect(sender.status(id)).toBe(
    'ann@receiver.example sent, bob@receiver.example sent, eve@other.example bounced',
  );
  expect(suppressed(sender)).toEqual(['eve@other.example']);
  await report(sender, anns, corpus('postfix'));
  expect(suppressed(sender)).toEqual(['ann@receiver.example', 'eve@other.example']);
});

test('a bounce address of an older version, one for all recipients, still works', async () => {
  await using sender = await startSendingServer();
  const { id } = await sentTo(sender, 'ann@receiver.example', 'eve@other.example');
  const { key, settings } = sender.appliance.services;
  const mac = key.sign(`bounce ${id}`).toString('hex').slice(0, 16);
  await report(sender, `bounce+${id}.${mac}@${settings.mail_domain}`, corpus('postfix'));
  expect(sender.status(id)).toBe('ann@receiver.example bounced, eve@other.example sent');
});

test('a forged, foreign or mistyped bounce address is refused, and so is mail that is not a report', async () => {
  await using sender = await startSendingServer();
  const { services } = sender.appliance;
  const { id, bounce } = await sentTo(sender, 'ann@receiver.example');
  using client = await SmtpClient.greet({ port: sender.appliance.smtpPort });
  await client.say('MAIL FROM:<>', 250);
  const other = newId('outbound_email');
  const wrong = bounce.replace(/\.(.)/, (_, digit) => `.${digit === '0' ? '1' : '0'}`);
  for (const to of [
    wrong,
    bounce.replace(id, other),
    `bounce+${id}@postern.test`,
    'bounce+@postern.test',
    'bounce@postern.test',
  ]) {
    const { lines } = await client.say(`RCPT TO:<${to}>`, 550);
    expect(lines.join()).toStartWith('5.1.1');
  }
  await client.say(`RCPT TO:<${bounce.toUpperCase()}>`, 250);
  await client.say('RSET', 250);
  await client.say('MAIL FROM:<ann@receiver.example>', 250);
  await client.say(`RCPT TO:<${bounce}>`, 250);
  await client.say('DATA', 354);
  client.data('Subject: hello\r\n\r\nMay I ask you something?\r\n');
  expect((await client.expect(550)).lines.join()).toStartWith('5.7.1');
  // A valid address of an email that has been deleted since.
  await client.say('MAIL FROM:<>', 250);
  await client.say(`RCPT TO:<${formatBounceAddress(services, other, 'receiver.example')}>`, 550);
  expect(sender.status(id)).toBe('sent');
});

test('a report that arrives before the 250 was stored still counts', async () => {
  await using sender = await startSendingServer();
  setExchanger(sender.dns, 'receiver.example', '10 mx.far.test');
  sender.far.options = {
    async onMessage({ from }) {
      await report(sender, from, corpus('postfix'));
      return null;
    },
  };
  const id = await sender.queue('ann@receiver.example');
  await until(() => sender.far.mails.length === 1 && sender.status(id) !== 'sending');
  expect(sender.status(id)).toBe('bounced');
  await until(() => sender.recipients(id)[0]!.next_attempt_at === null);
  expect(sender.status(id)).toBe('bounced');
});

test('a hostile report delays nobody', async () => {
  await using sender = await startSendingServer();
  const { id, bounce } = await sentTo(sender, 'ann@receiver.example');
  await report(
    sender,
    bounce,
    `Content-Type: multipart/report; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(200_000)}`,
  );
  await report(sender, bounce, corpus('postfix'));
  expect(sender.status(id)).toBe('bounced');
});
