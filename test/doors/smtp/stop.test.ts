/** A clean stop: transfers finish or get 421, and nothing hangs. */
import { expect, test } from 'bun:test';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { Mailbox } from './mailbox.ts';

async function startData(port: number, to: string): Promise<SmtpClient> {
  const client = await SmtpClient.greet({ port });
  await client.say('MAIL FROM:<a@example.org>', 250);
  await client.say(`RCPT TO:<${to}>`, 250);
  await client.say('DATA', 354);
  return client;
}

test.concurrent('a stop answers idle sessions 421 and a message in transfer 250, then ends at once', async () => {
  // The second listener is on an address of its own: another test may take the first one's port as soon as it is free.
  const appliance = await startAppliance({ settings: { smtp_listen: '127.0.0.1:0,127.0.0.5:0' } });
  const box = await Mailbox.open(appliance);
  const port = appliance.smtpPort;
  const arrived: string[] = [];
  appliance.services.arrivals.listen(({ subject }) => void arrived.push(subject));
  const idle = await SmtpClient.greet({ port });
  const fresh = await SmtpClient.connect({ port });
  await fresh.expect(220);
  const halfway = await SmtpClient.greet({ port });
  await halfway.say('MAIL FROM:<a@example.org>', 250);
  const sending = await startData(port, box.address);
  sending.write('Subject: under way\r\n\r\nfirst half, ');

  const stopped = appliance[Symbol.asyncDispose]();
  for (const client of [idle, fresh, halfway]) {
    expect((await client.expect(421)).lines[0]).toStartWith('4.3.2 ');
    await client.closed();
  }
  // No new client gets in.
  const closed = { host: '127.0.0.5', port: appliance.smtpPorts[1]! };
  await expect(SmtpClient.connect(closed)).rejects.toThrow();
  sending.write('second half\r\n.\r\n');
  await sending.expect(250);
  const answeredAt = performance.now();
  // It wants to start its next message and gets 421.
  await sending.expect(421);
  await sending.closed();
  await stopped;
  expect(performance.now() - answeredAt).toBeLessThan(3000);
  expect(arrived).toEqual(['under way']);
});

test.concurrent('a transfer that never ends gets 421, and the stop takes at most ten seconds', async () => {
  const appliance = await startAppliance();
  const box = await Mailbox.open(appliance);
  const endless = await startData(appliance.smtpPort, box.address);
  endless.write('Subject: endless\r\n\r\n');
  const drip = setInterval(() => endless.write('x'), 200);
  // This one never closes its side and never reads.
  const deaf = await SmtpClient.greet({ port: appliance.smtpPort });
  const began = performance.now();
  await Promise.all([appliance[Symbol.asyncDispose](), endless.expect(421)]);
  clearInterval(drip);
  expect(performance.now() - began).toBeLessThan(10_000);
  deaf.close();
}, 15_000);
