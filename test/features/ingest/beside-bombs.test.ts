/** Six connections send mails that stall a parser, while honest mail and the dashboard keep working. */
import { expect, test } from 'bun:test';
import { signInOwner } from '../../doors/dashboard/visitor.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

/** 8 MB that decode to 1.3 million line ends. Six of these once delayed all large mails by 12 s. */
const BOMB = Buffer.from(
  `Subject: bomb\r\nContent-Transfer-Encoding: base64\r\n\r\n${'Cg==\r\n'.repeat(1_333_333)}`,
);
const LARGE = `Subject: honest\r\n\r\nYour code is 482913\r\n${'words of an honest mail\r\n'.repeat(12_000)}`;
/** An idle machine needs 2 s and 0.5 s. A busy one needs more. */
const MAIL_MS_MAX = 6_000;
const VIEW_MS_MAX = 5_000;

async function send(
  appliance: RunningAppliance,
  to: string,
  raw: Uint8Array | string,
  localAddress?: string,
) {
  using client = await SmtpClient.greet({ port: appliance.smtpPort, localAddress, timeoutMs: 60_000 });
  await client.say('MAIL FROM:<a@sender.test>', 250);
  await client.say(`RCPT TO:<${to}>`, 250);
  await client.say('DATA', 354);
  // None of its lines begins with a dot.
  client.write(raw);
  client.write('\r\n.\r\n');
  await client.expect(250);
}

test('a message of 300 KB is stored and a view is shown while six connections send parser bombs', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const box = await Mailbox.open(appliance);
  const { visitor } = await signInOwner(appliance, box.holder.account);
  const own = await Mailbox.open(appliance, {}, box.holder);
  const id = await appliance.deliver(own.address, {
    has_html: true,
    content: { html: '<p>hello</p>' },
  });
  const view = () => visitor.get(`/messages/${id}/frame`);
  const six = Array.from({ length: 6 }, () => send(appliance, box.address, BOMB, '127.66.0.1'));
  // When the first one is answered, the others are in the lane.
  await Promise.race(six);
  const began = performance.now();
  const [shown] = await Promise.all([
    view().then(({ text }) => ({ text, ms: performance.now() - began })),
    send(appliance, box.address, LARGE),
  ]);
  expect(performance.now() - began).toBeLessThan(MAIL_MS_MAX);
  expect(shown.text).toContain('<p>hello</p>');
  expect(shown.ms).toBeLessThan(VIEW_MS_MAX);
  await Promise.all(six);
  const listed = await box.list();
  expect(listed.map(({ subject, status }) => `${status} ${subject}`).sort()).toEqual([
    ...Array.from({ length: 6 }, () => 'parsed bomb'),
    'parsed honest',
  ]);
}, 60_000);
