/** Real malformed mails: each is accepted, kept byte for byte, listed, and breaks no endpoint. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';

/** Exists next to the repository on the developers' machines only. */
const corpus = join(import.meta.dir, '../../../../shared/corpus/robust');
const names = existsSync(corpus) ? readdirSync(corpus).sort() : [];
if (names.length === 0)
  console.warn('the corpus of malformed mails is not here: the tests with it are left out');

const SENDERS = 4;
/** Reading an attachment parses its mail again, so one mail's 328 are sampled. All others have at most ten. */
const ATTACHMENTS_READ = 20;

/** All line ends as CRLF, with one at the end: what SMTP can transport. */
function normalised(mail: Buffer): Buffer {
  const text = mail.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

/** Has no bare CR or LF. */
function isCrlf(mail: Buffer): boolean {
  return !/(^|[^\r])\n|\r(?!\n)/.test(mail.toString('latin1'));
}

interface Attachment {
  index: number;
  size: number;
}

interface Case {
  name: string;
  raw: Buffer;
}

describe.skipIf(names.length === 0)('the corpus of malformed mails', () => {
  test('is accepted and kept whole', async () => {
    await using appliance = await startAppliance({ settings: { limits: 'off' } });
    const cases: Case[] = names.flatMap((name) => {
      const mail = readFileSync(join(corpus, name));
      const asItIs =
        isCrlf(mail) && !mail.equals(normalised(mail)) ? [{ name: `${name} as it is`, raw: mail }] : [];
      return [{ name, raw: normalised(mail) }, ...asItIs];
    });
    expect(cases.length).toBeGreaterThanOrEqual(names.length);
    const faults: string[] = [];
    const failed: string[] = [];
    await Promise.all(
      Array.from({ length: SENDERS }, async (_, sender) => {
        const box = await Mailbox.open(appliance);
        const own = cases.filter((_, index) => index % SENDERS === sender);
        await sendAll(appliance.smtpPort, box, own, faults);
        failed.push(...(await readAll(box, own, faults)));
      }),
    );
    expect(faults).toEqual([]);
    // Although malformed, nearly all of it is read as mail.
    expect(failed.length).toBeLessThan(cases.length / 50);
  }, 150_000);
});

async function sendAll(port: number, box: Mailbox, cases: Case[], faults: string[]): Promise<void> {
  using client = await SmtpClient.greet({ port });
  for (const { name, raw } of cases) {
    client.write('MAIL FROM:<corpus@example.org>\r\n');
    client.write(`RCPT TO:<${box.address}>\r\nDATA\r\n`);
    await client.expect(250);
    await client.expect(250);
    await client.expect(354);
    client.data(raw);
    const { code, lines } = await client.reply();
    if (code !== 250) faults.push(`${name}: answered ${code} ${lines}`);
    // What a waiting person does: the message must be available at once.
    await box.latest().catch((fault: Error) => faults.push(`${name}: ${fault.message}`));
  }
}

/** Reads every mail through every endpoint that shows it. Returns those with status failed. */
async function readAll(box: Mailbox, cases: Case[], faults: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page = await box.bytes(`/api/v1/inboxes/${box.id}/messages?limit=100${query}`);
    const { data, pagination } = JSON.parse(page.toString());
    ids.unshift(...(data as { id: string }[]).map(({ id }) => id).reverse());
    cursor = pagination.next_cursor;
  }
  if (ids.length !== cases.length) faults.push(`${cases.length} were sent, ${ids.length} are listed`);
  const failed: string[] = [];
  for (const [index, { name, raw }] of cases.entries()) {
    const id = ids[index];
    if (id === undefined) continue;
    try {
      const message = await box.message(id);
      if (message.status === 'failed') failed.push(name);
      // SMTP can't transport a mail without a line end after the last byte.
      const whole = raw.toString('latin1').endsWith('\r\n') ? raw : Buffer.concat([raw, Buffer.from('\r\n')]);
      if (!(await box.raw(id)).equals(whole)) faults.push(`${name}: the raw bytes differ`);
      if (message.size !== whole.length) faults.push(`${name}: size ${message.size} of ${whole.length}`);
      for (const { index: at, size } of spread<Attachment>(message.attachments)) {
        const bytes = await box.attachment(id, at);
        if (bytes.length !== size)
          faults.push(`${name}: attachment ${at} has ${bytes.length} of ${size} bytes`);
      }
    } catch (fault) {
      faults.push(`${name}: ${(fault as Error).message}`);
    }
  }
  return failed;
}

/** A sample of them, from the first to the last. */
function spread<Each>(all: Each[]): Each[] {
  const step = Math.max(1, (all.length - 1) / (ATTACHMENTS_READ - 1));
  return all.filter((_, index) => index === Math.round(Math.round(index / step) * step));
}
