/** Mailpit's `POST /api/v1/send`: composes a mail from fields, and accepts it as if it had come by SMTP. */
import { makeCaptureTrap } from '../../features/accounts/trap.ts';
import { receiveBytes } from '../../features/ingest/import.ts';
import { judgeInTrap, type Recipient } from '../../features/ingest/recipient.ts';
import { Failure, fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import {
  composeTestMail,
  type TestAttachment,
  type TestMail,
} from '../../platform/mail/compose-test-mail.ts';
import { hasControl } from '../../platform/mail/mailbox.ts';
import {
  readJsonFields,
  readListField,
  readLowerCaseFields,
  readTextField,
  readTextsField,
} from './body-fields.ts';
import { answerJson, type CompatCall, type CompatDoor } from './door.ts';

/** How much larger than its mail a body may be, for base64 and the names of the fields. */
const BODY_FACTOR = 2;
const CRLF = Buffer.from('\r\n');
const ATTACHMENTS_MAX = 100;
const HEADERS_MAX = 100;
const ADDRESS_CHARS_MAX = 320;
/** What the Received header says of a mail that was sent here. */
export const SEND_PROTOCOL = 'HTTP';
const RESERVED = /^(to|from|cc|bcc|reply-to|date|subject|content-type|mime-version)$/i;

export async function sendMail({ door, request }: CompatCall): Promise<Response> {
  try {
    const { smtp_max_size: sizeMax } = door.services.settings;
    const fields = (await readJsonFields(request, sizeMax * BODY_FACTOR)) ?? refuse('The body is missing.');
    const mail = readMail(fields);
    const recipients = readRecipients(door, mail, readTextsField(fields, 'Bcc'));
    const bytes = dropAddedLineEnd(await composeTestMail(mail, door.services.clock.nowUs()), mail);
    if (bytes.length > sizeMax)
      return fail('payload_too_large', { text: `The mail has more than ${sizeMax} bytes.` });
    const stored = await receiveBytes(
      door.services,
      makeCaptureTrap({ accountNo: door.accountNo }),
      {
        session: newId('request'),
        envelope_from: mail.from.address,
        helo: 'localhost',
        client_address: '127.0.0.1',
        protocol: SEND_PROTOCOL,
        smtp_user: null,
        recipients,
      },
      bytes,
    );
    return answerJson({ ID: stored[0]?.message_id ?? refuse('Every recipient’s inbox is turned off.') });
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return answerJson({ Error: thrown.message }, thrown.status === 422 ? 400 : thrown.status);
  }
}

/** The composer ends a single part with a line, which would be read as the end of its text. */
function dropAddedLineEnd(bytes: Uint8Array, { text, html, attachments }: TestMail): Uint8Array {
  const isSingle = attachments.length === 0 && (text === '') !== (html === '');
  const isAdded = isSingle && !`${text}${html}`.endsWith('\n') && Buffer.from(bytes.slice(-2)).equals(CRLF);
  return isAdded ? bytes.subarray(0, -2) : bytes;
}

function readMail(fields: Record<string, unknown>): TestMail {
  const tags = readTextsField(fields, 'Tags');
  return {
    from: readPerson(fields.from, 'From'),
    to: readListField(fields, 'To').map((one) => readPerson(one, 'To')),
    cc: readListField(fields, 'Cc').map((one) => readPerson(one, 'Cc')),
    reply_to: readListField(fields, 'ReplyTo').map((one) => readPerson(one, 'Reply-To')),
    subject: readLine(readTextField(fields, 'Subject'), 'Subject'),
    text: readTextField(fields, 'Text'),
    html: readTextField(fields, 'HTML'),
    headers: [
      ...readHeaders(listFields(fields.headers), tags.length > 0),
      ...(tags.length > 0 ? [{ key: 'X-Tags', value: readLine(tags.join(', '), 'Tags') }] : []),
    ],
    attachments: readAttachments(readListField(fields, 'Attachments')),
  };
}

/** Returns the fields as they were written: header names keep their case. */
function listFields(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function readPerson(value: unknown, place: string) {
  const fields = readLowerCaseFields(value);
  const name = readLine(readTextField(fields, 'Name'), `${place} name`);
  return { name, address: readAddress(readTextField(fields, 'Email'), place) };
}

function readAddress(email: string, place: string): string {
  const isAddress = email.length <= ADDRESS_CHARS_MAX && /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(email);
  return isAddress && !hasControl(email) ? email : refuse(`invalid ${place} address: ${email.slice(0, 100)}`);
}

function readLine(text: string, place: string): string {
  return hasControl(text) ? refuse(`${place} must be one line`) : text;
}

function readHeaders(given: readonly [string, unknown][], hasTags: boolean): TestMail['headers'] {
  if (given.length > HEADERS_MAX) refuse(`there are more than ${HEADERS_MAX} headers`);
  return given.map(([key, value]) => {
    if (RESERVED.test(key) || (hasTags && /^x-tags$/i.test(key))) refuse(`cannot overwrite header: "${key}"`);
    if (!/^[!-9;-~]{1,100}$/.test(key)) refuse('a header has an invalid name');
    if (typeof value !== 'string') return refuse(`header "${key}" must be text`);
    return { key, value: readLine(value, `header "${key}"`) };
  });
}

function readAttachments(given: readonly unknown[]): TestAttachment[] {
  if (given.length > ATTACHMENTS_MAX) refuse(`there are more than ${ATTACHMENTS_MAX} attachments`);
  return given.map((one) => {
    const fields = readLowerCaseFields(one);
    const filename = readLine(readTextField(fields, 'Filename'), 'Filename');
    // A browser's data URL is accepted too.
    const content = readTextField(fields, 'Content').split(',').at(-1) ?? '';
    // White space at the end is removed first, because the pattern would take quadratic time for it.
    if (!/^[A-Za-z0-9+/\s]*={0,2}$/.test(content.trimEnd()))
      refuse(`error decoding base64 attachment "${filename}"`);
    const type = readLine(readTextField(fields, 'ContentType'), 'ContentType');
    if (type !== '' && !/^[\w.+-]+\/[\w.+-]+ *(?:;.*)?$/.test(type))
      refuse(`ContentType of "${filename}" is not a media type`);
    return {
      filename,
      content: Buffer.from(content, 'base64'),
      content_type: type,
      content_id: readLine(readTextField(fields, 'ContentID'), 'ContentID').replace(/[<>\s]/g, ''),
    };
  });
}

function readRecipients(
  { services, accountNo }: CompatDoor,
  mail: TestMail,
  bcc: readonly string[],
): Recipient[] {
  const hidden = bcc.map((email) => readAddress(email, 'Bcc'));
  const addresses = [...new Set([...[...mail.to, ...mail.cc].map(({ address }) => address), ...hidden])];
  const { smtp_recipients_max: max } = services.settings;
  if (addresses.length === 0) refuse('there is no recipient');
  if (addresses.length > max) refuse(`there are more than ${max} recipients`);
  const trap = makeCaptureTrap({ accountNo });
  return addresses.map((address) => {
    const verdict = judgeInTrap(services, trap, address, new Set());
    return 'deliver' in verdict ? verdict.deliver : refuse(`invalid address: ${address}`);
  });
}

function refuse(text: string): never {
  return fail('validation_error', { text });
}
