/** Sends mails that are made to block a parser, over several connections, until killed or for two minutes. */
import { SmtpClient } from '../../../test/peers/smtp-client.ts';

interface BombOptions {
  port: number;
  recipient: string;
  connections: number;
  localAddress: string;
}

const SECONDS_MAX = 120;

const options = JSON.parse(process.argv[2] ?? '{}') as BombOptions;
const bomb = Buffer.from(
  `Subject: bomb\r\nContent-Transfer-Encoding: base64\r\n\r\n${'Cg==\r\n'.repeat(4_000_000)}.\r\n`,
);
const until = performance.now() + SECONDS_MAX * 1000;

async function attack(): Promise<void> {
  while (performance.now() < until) {
    using client = await SmtpClient.greet({ ...options, timeoutMs: 120_000 });
    await client.say('MAIL FROM:<bomb@example.org>', 250);
    await client.say(`RCPT TO:<${options.recipient}>`, 250);
    await client.say('DATA', 354);
    client.write(bomb);
    await client.expect(250);
  }
}

await Promise.all(Array.from({ length: options.connections }, attack));
