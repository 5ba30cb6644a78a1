/** The form in which the mails of one import request cross the control socket. */
import type { MailToImport } from '../../features/ingest/import.ts';
import { viewBytes } from '../../platform/core/bytes.ts';

/** Encodes mails as one body. Each is its description (JSON) and its bytes, both preceded by their length. */
export function packMails(mails: readonly MailToImport[]): Buffer {
  return Buffer.concat(
    mails.flatMap(({ raw, ...head }) => {
      const json = Buffer.from(JSON.stringify(head));
      return [encodeLength(json), json, encodeLength(raw), raw];
    }),
  );
}

function encodeLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** Decodes what packMails has encoded. */
export function unpackMails(packed: Uint8Array): MailToImport[] {
  const bytes = viewBytes(packed);
  const mails: MailToImport[] = [];
  let at = 0;
  const next = () => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    return bytes.subarray(start, at);
  };
  while (at < bytes.length) {
    const head = JSON.parse(next().toString()) as Omit<MailToImport, 'raw'>;
    mails.push({ ...head, raw: next() });
  }
  return mails;
}
