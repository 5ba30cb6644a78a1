import { resolve } from 'node:path';
import { writePlainJson } from '../../../platform/core/plain-json.ts';
import { submitMail } from '../../../platform/net/submit.ts';
import { makeSampleMail, SAMPLE_FROM } from '../../../rules/sample-mail.ts';
import { type LocalCommand, listed, OperatorError, UsageError } from '../command.ts';
import { requireReadable } from '../file-fault.ts';
import { explainUnsent, readSmtpAddress } from './smtp-address.ts';

export const send: LocalCommand = {
  name: 'send',
  meaning: 'send a test mail by SMTP',
  flags: [
    {
      name: 'to',
      value: 'A',
      required: true,
      repeated: true,
      meaning: 'recipient; may be repeated',
    },
    {
      name: 'from',
      value: 'B',
      meaning: `sender; ${SAMPLE_FROM} by default`,
    },
    { name: 'subject', value: 'S', meaning: 'subject' },
    {
      name: 'text',
      value: 'T',
      meaning: 'plain text body; without --text and --html, a sample with a code is sent',
    },
    { name: 'html', value: 'H', meaning: 'HTML body' },
    { name: 'attach', value: 'FILE', repeated: true, meaning: 'file to attach; may be repeated' },
    { name: 'code', value: 'CODE', meaning: 'code in the sample; random by default' },
  ],
  takesSettings: 'client',
  examples: [
    'postern send --to ann@example.com',
    'postern send --to ann@example.com --subject Hello --text "Hi Ann" --attach invoice.pdf',
  ],
  async runHere({ input, json, loaded }) {
    const to = listed(input, 'to');
    const attachments =
      input.attach === undefined ? [] : listed(input, 'attach').map((file) => resolve(file));
    attachments.forEach(requireReadable);
    if (input.code !== undefined && (input.text !== undefined || input.html !== undefined)) {
      throw new UsageError("--code is for the sample, so it can't be used with --text or --html");
    }
    const from = input.from ?? SAMPLE_FROM;
    const sender = readPath(from, 'from');
    const recipients = to.map((one) => readPath(one, 'to'));
    const sample = input.text === undefined && input.html === undefined ? makeSampleMail(input.code) : null;
    const address = await readSmtpAddress(loaded.settings);
    const { reply, accepted, rejected } = await submitMail(address, {
      from: sender,
      to: recipients,
      mail: {
        from,
        to,
        subject: input.subject ?? sample?.subject ?? 'Test',
        text: input.text ?? sample?.text,
        html: input.html,
        attachments,
      },
    }).catch((fault: Error) => {
      throw new OperatorError(`Not sent: ${explainUnsent(fault, address)}`);
    });
    if (json)
      process.stdout.write(`${writePlainJson({ reply, accepted, rejected, code: sample?.code ?? null })}\n`);
    else {
      process.stdout.write(
        `Sent to ${accepted.join(', ')}${sample ? ` with the code ${sample.code}` : ''}: ${reply}\n`,
      );
      for (const one of rejected) process.stderr.write(`Refused for ${one.recipient}: ${one.reply}\n`);
    }
    return rejected.length > 0 ? 1 : 0;
  },
};

/** Returns the address in `Name <address>`, or the text itself. Throws if that is not an address. */
function readPath(text: string, flag: string): string {
  const path = /<([^>]*)>\s*$/.exec(text)?.[1] ?? text;
  if (!/[^\s@]@[^\s@]/.test(path))
    throw new UsageError(`--${flag} must be an address such as ann@example.com`);
  return path;
}
