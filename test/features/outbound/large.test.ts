/** Attachments of many megabytes: in pieces in the store, and at the far end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ParsedMail, simpleParser } from 'mailparser';
import { openMime } from '../../../src/features/outbound/mime/sql.ts';
import { storeMime } from '../../../src/features/outbound/mime/store.ts';
import { dropUnqueuedOp } from '../../../src/features/outbound/mime/writes.ts';
import { MailDispatcher } from '../../../src/features/outbound/sending/dispatcher.ts';
import { countQueuedBytes, findOwnEmail } from '../../../src/features/outbound/sql.ts';
import { outbound as rules } from '../../../src/rules/outbound.ts';
import type { Reply } from '../../start.ts';
import { countRows, setEmailSizes } from '../../store-state.ts';
import { until } from '../../until.ts';
import { Sender, verdict } from './sender.ts';
import { FROM_DOMAIN, type SendingServer, startSendingServer } from './sending-server.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

const MIB = 1024 * 1024;
const file = (filename: string, bytes: string | Uint8Array) => ({
  filename,
  content: Buffer.from(bytes as string).toString('base64'),
});

function reasons({ json }: Reply): string {
  return (json.error.fields.attachments ?? []).join('; ');
}

async function read(answer: Reply): Promise<ParsedMail> {
  expect(verdict(answer)).toBe('201');
  return simpleParser(sender.mime(answer), { skipImageLinks: true });
}

describe('25 MiB', () => {
  test('of attachments in total are sent, in pieces, and not a byte more', async () => {
    const bytes = Buffer.alloc(rules.attachmentsBytesMax - 1, 'postern ');
    const answer = await sender.send({ attachments: [file('a.bin', bytes), file('b.bin', 'b')] });
    const mail = await read(answer);
    expect(mail.attachments.map(({ size }) => size)).toEqual([bytes.length, 1]);
    expect(mail.attachments[0]!.content.equals(bytes)).toBe(true);
    const { store } = sender.appliance.services;
    const { no } = findOwnEmail(store, sender.owner.account.no, answer.json.data.id)!;
    const pieces = [...openMime(store, no)!.read()];
    expect(Math.max(...pieces.map(({ length }) => length))).toBe(MIB);
    const over = await sender.send({ attachments: [file('a.bin', bytes), file('b.bin', 'bb')] });
    expect([verdict(over), reasons(over)]).toEqual([
      '413 payload_too_large attachments',
      'have more than 26214400 bytes in all',
    ]);
  }, 30_000);

  test.each([
    ['a long text', { body_text: 'x'.repeat(2 * MIB) }],
    ['a long subject', { subject: 'x'.repeat(2 * MIB) }],
    ['many empty entries', { attachments: Array.from({ length: 500_000 }, () => ({})) }],
    ['a long name', { attachments: [file('x'.repeat(2 * MIB), 'x')] }],
    ['escaped quotes', { subject: '\\"'.repeat(MIB) }],
    ['more than any body may have', { attachments: [{ filename: 'a', content: 'A'.repeat(40 * MIB) }] }],
  ])('are allowed only for content, so %s is 413', async (_, fields) => {
    expect(verdict(await sender.send(fields))).toBe('413 payload_too_large body');
  });

  test('leave no pieces behind when the email is refused, or the server ends before it is queued', async () => {
    await using own = await Sender.start();
    const request = { attachments: [file('a.bin', new Uint8Array(3 * MIB))] };
    await own.post('/outbound_allowlist/mode', { enabled: true });
    expect(verdict(await own.send(request))).toBe('422 recipient_not_approved to');
    expect(countRows(own.appliance, 'outbound_chunk')).toBe(0);
    const { store } = own.appliance.services;
    const stopped = async function* () {
      yield new Uint8Array(1);
      yield new Uint8Array(1);
    };
    await storeMime(own.appliance.services, stopped());
    expect(countRows(own.appliance, 'outbound_chunk')).toBe(2);
    await store.write(dropUnqueuedOp, null);
    expect(countRows(own.appliance, 'outbound_chunk')).toBe(0);
  });

  test('can wait in the queue many times over, up to 1 GiB', async () => {
    await using own = await Sender.start();
    const answer = await own.send();
    const { store } = own.appliance.services;
    setEmailSizes(own.appliance, rules.queuedBytesMax);
    expect(verdict(answer)).toBe('201');
    expect(countQueuedBytes(store, own.owner.account.no)).toBe(rules.queuedBytesMax);
    const large = await own.send({ attachments: [file('a.bin', new Uint8Array(2 * MIB))] });
    expect(verdict(large)).toBe('429 outbound_rate_limited');
    expect(verdict(await own.send())).toBe('201');
  });
});

/** Sends an email with one file through the API. */
const sendAttached = ({ appliance, owner }: SendingServer, bytes: Uint8Array) =>
  appliance.request('POST', '/api/v1/outbound_emails', {
    key: owner.key,
    body: {
      from_address: `hello@${FROM_DOMAIN}`,
      to: ['ann@far.test'],
      subject: 'Large',
      body_text: 'x',
      attachments: [file('large.txt', bytes)],
    },
  });

test('25 MiB arrive at the far end signed, and leave the store', async () => {
  await using own = await startSendingServer({ far: { extensions: ['PIPELINING', 'SIZE 50000000'] } });
  const { appliance, far } = own;
  const bytes = Buffer.alloc(rules.attachmentsBytesMax, 'postern\n');
  const answer = await sendAttached(own, bytes);
  expect(verdict(answer)).toBe('201');
  await until(() => own.status(answer.json.data.id) === 'sent', 30_000);
  const mail = await simpleParser(far.mails.at(-1)!.data);
  expect(mail.headers.has('dkim-signature')).toBe(true);
  expect(mail.attachments[0]!.content.equals(bytes)).toBe(true);
  expect([countRows(appliance, 'outbound_large'), countRows(appliance, 'outbound_chunk')]).toEqual([0, 0]);
}, 60_000);

test('an email that is composed while sending starts is sent whole', async () => {
  await using own = await startSendingServer({ far: { extensions: ['PIPELINING', 'SIZE 50000000'] } });
  const { services } = own.appliance;
  const { far } = own;
  await services.sender!.stop();
  const next = new MailDispatcher(services);
  const write = services.store.write.bind(services.store);
  let pieces = 0;
  services.store.write = async (operation, input, options) => {
    const output = await write(operation, input, options);
    if (operation.name === 'outbound.append_large' && ++pieces === 2) await next.start(null);
    return output;
  };
  const answer = await sendAttached(own, Buffer.alloc(2 * MIB, 'postern\n'));
  expect(verdict(answer)).toBe('201');
  await until(() => own.status(answer.json.data.id) === 'sent');
  const mail = await simpleParser(far.mails.at(-1)!.data);
  expect(mail.attachments[0]!.size).toBe(2 * MIB);
  await next.stop();
});
