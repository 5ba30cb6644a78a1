/** DATA ends with CRLF.CRLF and nothing else, however the bytes are split into packets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { installDataFeed } from '../../../src/doors/smtp/data-feed.ts';
import type { MailData } from '../../../src/doors/smtp/mail-data.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { Mailbox } from './mailbox.ts';

interface Reading {
  content: string;
  refused: boolean;
  commands: string[];
}

/** The rules in the simplest form: the whole wire as one Latin-1 string, including the end of the data. */
function byTheRules(wire: string): Reading {
  // The first byte is at the start of a line.
  const text = `\r\n${wire}`;
  const end = text.indexOf('\r\n.\r\n');
  const stuffed = text.slice(0, end + 2);
  return {
    content: stuffed.replace(/\n\.\./g, '\n.').slice(2),
    refused: /\r\.[\r\n]|\n\.\n|\n\.\r(?!\n)|(^|[^\r])\n\.\r\n/.test(stuffed),
    commands: text
      .slice(end + 5)
      .split(/\r?\n/)
      .slice(0, -1),
  };
}

/** What our stream makes of it, packet by packet. */
async function byTheStream(packets: readonly Buffer[]): Promise<Reading> {
  const parser = new SMTPStream();
  const commands: string[] = [];
  parser.oncommand = (command: Buffer, next: () => void) => {
    commands.push(command.toString('latin1'));
    next();
  };
  const data = parser.startDataMode() as unknown as MailData;
  const chunks: Buffer[] = [];
  data.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => {
    data.on('end', () => {
      parser.continue();
      resolve();
    });
  });
  for (const packet of packets) parser.write(packet);
  await ended;
  await new Promise<void>((resolve) => parser.write(Buffer.alloc(0), () => resolve()));
  return {
    content: Buffer.concat(chunks).toString('latin1'),
    refused: data.bareDotLine,
    commands,
  };
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    packets.push(bytes.subarray(at, at + size));
    at += size;
  }
  return packets;
}

const pieces = fc.constantFrom(
  ...['.', '..', '\r', '\n', '\r\n', '.\r\n', '\r\n.\r\n', '\n.\n', '\r.\r', '\r\n..', '\n.\r\n', 'a', '\0'],
  ...['\xff', ' ', 'MAIL FROM:<x>\r\n'],
);
const payload = fc.array(pieces, { maxLength: 30 }).map((list) => list.join(''));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

describe('the stream', () => {
  beforeAll(installDataFeed);

  test('reads any bytes as the reference rules do, in any packets', async () => {
    await fc.assert(
      fc.asyncProperty(payload, sizes, async (text, cuts) => {
        const wire = `${text}\r\n.\r\nNOOP\r\n`;
        const bytes = Buffer.from(wire, 'latin1');
        const expected = byTheRules(wire);
        expect(await byTheStream(cut(bytes, cuts))).toEqual(expected);
        expect(await byTheStream([bytes])).toEqual(expected);
        expect(await byTheStream(cut(bytes, [1]))).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('never refuses a correctly dot-stuffed message, and restores it unchanged', async () => {
    const line = fc.constantFrom('', '.', '..', '...', '.x', 'x.', 'x', '. ', 'a.b');
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), sizes, async (lines, cuts) => {
        const message = lines.map((one) => `${one}\r\n`).join('');
        const wire = `${message.replace(/(^|\r\n)\./g, '$1..')}.\r\n`;
        const read = await byTheStream(cut(Buffer.from(wire), cuts));
        expect(read).toEqual({ content: message, refused: false, commands: [] });
      }),
      { numRuns: 200 },
    );
  });

  test('reads a megabyte of doubled dots quickly', async () => {
    const wire = Buffer.from(`${'..\r\n'.repeat(262_144)}.\r\n`);
    const began = cpuMs();
    const read = await byTheStream(cut(wire, [65_536]));
    expect(cpuMs() - began).toBeLessThan(1500);
    expect(read.content.length).toBe(3 * 262_144);
  });
});

describe('smuggling', () => {
  let appliance: RunningAppliance;
  beforeAll(async () => {
    appliance = await startAppliance({ settings: { smtp_bad_commands_max: '1000' } });
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  /** Ends of data that some servers accept, and whether each has a dot alone on its line. */
  const ends: Record<string, boolean> = {
    '\n.\n': true,
    '\n.\r\n': true,
    '\r\n.\n': true,
    '\r.\r': true,
    '\r.\r\n': true,
    '\r\n.\r': true,
    '\n.\r': true,
    '\r.\n': true,
    '\r\n\0.\r\n': false,
    '\r\r\n.\r\r\n': true,
    '\r\n.\0\r\n': false,
    '\r\n. \r\n': false,
    '\n\n.\r\n': true,
    '\r\n\x85.\r\n': false,
  };
  const packetings: Record<string, (bytes: Buffer) => Buffer[]> = {
    'one packet': (bytes) => [bytes],
    'single bytes': (bytes) => cut(bytes, [1]),
    'packets of 3, 1, 4 and 2': (bytes) => cut(bytes, [3, 1, 4, 2]),
    'a cut in each end': (bytes) => {
      const at = bytes.indexOf('begin') + 6;
      return [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)];
    },
  };

  for (const [end, isRefused] of Object.entries(ends)) {
    for (const [packeting, packetsOf] of Object.entries(packetings)) {
      test(`${JSON.stringify(end)} in ${packeting}: one message at most`, async () => {
        const box = await Mailbox.open(appliance);
        using client = await SmtpClient.greet({ port: appliance.smtpPort });
        await client.say('MAIL FROM:<a@example.org>', 250);
        await client.say(`RCPT TO:<${box.address}>`, 250);
        await client.say('DATA', 354);
        const inner = `MAIL FROM:<evil@example.org>\r\nRCPT TO:<${box.address}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx`;
        const content = `Subject: outer\r\n\r\nbegin${end}${inner}\r\n`;
        const wire = Buffer.from(`${content}.\r\n`, 'latin1');
        for (const packet of packetsOf(wire)) {
          client.write(packet);
          await new Promise((resolve) => setImmediate(resolve));
        }
        const { code } = await client.reply();
        expect(code).toBe(isRefused ? 554 : 250);
        // Nothing else was read as a command: the next reply is to NOOP.
        expect((await client.say('NOOP', 250)).lines).toEqual(['2.0.0 OK']);
        expect(await box.subjects()).toEqual(isRefused ? [] : ['outer']);
        if (isRefused) return;
        const { id } = await box.latest();
        expect((await box.raw(id)).toString('latin1')).toBe(content);
      });
    }
  }
});
