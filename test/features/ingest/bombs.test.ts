/** Messages that would stall a parser or fill its memory are kept whole and do not delay others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { bombs } from './bombs.ts';

/** Large mails are parsed separately. A parser stuck on a small one is killed after 2.5 s. */
const ORDINARY_MS_MAX = 4_000;

let appliance: RunningAppliance;
let box: Mailbox;
let other: Mailbox;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  box = await Mailbox.open(appliance);
  other = await Mailbox.open(appliance);
});
afterAll(() => appliance[Symbol.asyncDispose]());

async function explode(raw: Buffer): Promise<{ bomb: number; ordinary: number; ordinaryMs: number }> {
  using client = await SmtpClient.greet({ port: appliance.smtpPort, timeoutMs: 30_000 });
  await client.say('MAIL FROM:<bomb@example.org>', 250);
  await client.say(`RCPT TO:<${box.address}>`, 250);
  await client.say('DATA', 354);
  client.data(raw);
  const answered = client.reply();
  const began = performance.now();
  const ordinary = await other.send('Subject: ordinary\r\n\r\nYour code is 482913\r\n');
  const ordinaryMs = performance.now() - began;
  return { bomb: (await answered).code, ordinary: ordinary.data?.code ?? 0, ordinaryMs };
}

describe('a parser bomb', () => {
  for (const [name, make] of Object.entries(bombs)) {
    test(`${name}: it is kept byte for byte, and other mail is not delayed`, async () => {
      const raw = Buffer.from(make(), 'latin1');
      const { bomb, ordinary, ordinaryMs } = await explode(raw);
      expect({ bomb, ordinary }).toEqual({ bomb: 250, ordinary: 250 });
      expect(ordinaryMs).toBeLessThan(ORDINARY_MS_MAX);
      const [listed] = await box.list();
      const message = await box.message(listed!.id);
      expect(['parsed', 'failed']).toContain(message.status);
      expect((await box.raw(message.id)).equals(raw)).toBe(true);
      expect(message.size).toBe(raw.length);
      // Only the body may be missing; the headers were read.
      if (message.status === 'failed') expect(message).toMatchObject({ truncated: true, text: '', html: '' });
      for (const { index } of message.attachments.slice(0, 2)) await box.attachment(message.id, index);
      expect((await other.latest()).subject).toBe('ordinary');
    }, 40_000);
  }
});
