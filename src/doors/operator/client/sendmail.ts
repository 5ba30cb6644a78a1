import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ServerAddress } from '../../../platform/core/settings.ts';
import { readReason } from '../../../platform/core/thrown.ts';
import { completeAddress, readLocalAddresses } from '../../../platform/mail/addresses.ts';
import { submitMail } from '../../../platform/net/submit.ts';
import { type LocalCommand, listed, VALUE_SEPARATOR } from '../command.ts';
import { explainUnsent, readSmtpAddress } from './smtp-address.ts';
import { prepareMail } from './submission.ts';

/** Exit statuses that callers of sendmail check (sysexits.h). */
const EX_USAGE = 64;
const EX_UNAVAILABLE = 69;
const EX_TEMPFAIL = 75;

/** Flags of other sendmail programs that are ignored together with their value, which is attached or the next word. */
const IGNORED_WITH_VALUE = 'BCFLNORVXhop';
/** Ignored flags whose value, if any, is always attached. */
const IGNORED_WITH_ATTACHED = 'dq';
/** The flag for the mode. `-bm` sends the mail on standard input; others speak SMTP there, print the queue, and so on. */
const MODE = 'b';

export const sendmail: LocalCommand = {
  name: 'sendmail',
  meaning: "send the mail on standard input, as /usr/sbin/sendmail does (PHP's sendmail_path)",
  arguments: [{ name: 'RCPT', meaning: 'recipient', repeated: true, optional: true }],
  flags: [
    { name: 't', meaning: 'read recipients from To, Cc and Bcc' },
    { name: 'i', meaning: 'do not end the mail at a line with a single dot' },
    { name: 'f', value: 'FROM', meaning: 'envelope sender; the From header by default, otherwise the user' },
  ],
  takesSettings: 'client',
  exits: {
    [EX_USAGE]: 'no recipient, or an unsupported mode such as -bs',
    [EX_UNAVAILABLE]: 'the server refused the mail',
    [EX_TEMPFAIL]: 'no server could be reached; try again later',
  },
  examples: ['postern sendmail -t -i < mail.eml', 'php -d sendmail_path="postern sendmail -t -i" app.php'],
  ownArguments: readSendmailArguments,
  async runHere({ input, loaded }) {
    // Standard input is not read: a caller of -bs (Symfony's and Laravel's default) waits for a greeting before it writes.
    if (input.b !== undefined && input.b !== 'm')
      return say(
        EX_USAGE,
        `postern sendmail: -b${input.b} is not supported; use -t -i, with the mail on standard input`,
      );
    const written = new Uint8Array(await new Response(Bun.stdin.stream()).arrayBuffer());
    const host = hostname();
    const envelopeFrom = input.f === undefined ? undefined : completeAddress(input.f, host);
    const mail = prepareMail(written, {
      takesRecipients: input.t !== undefined,
      endsAtDot: input.i === undefined,
      host,
      author: findAuthor(envelopeFrom ?? '', host),
      nowMs: Date.now(),
    });
    const named = input.rcpt === undefined ? [] : listed(input, 'rcpt');
    const completed = named.map((recipient) => completeAddress(recipient, host));
    const to = [...new Set([...completed, ...mail.recipients])];
    if (to.length === 0)
      return say(EX_USAGE, 'postern sendmail: no recipient; give one, or -t to use those of the mail');
    const from = envelopeFrom ?? mail.sender;
    let address: ServerAddress | null = null;
    try {
      address = await readSmtpAddress(loaded.settings);
      const { rejected } = await submitMail(address, { from, to, mail: mail.bytes });
      for (const { recipient, reply } of rejected) say(0, `postern sendmail: ${recipient}: ${reply}`);
      return rejected.length > 0 ? EX_UNAVAILABLE : 0;
    } catch (fault) {
      const { code, responseCode } = fault as Error & { code?: string; responseCode?: number };
      const message = address === null ? readReason(fault) : explainUnsent(fault as Error, address);
      // Without a reply, EENVELOPE is an address that no server was asked about.
      const isPermanent = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500;
      return say(isPermanent ? EX_UNAVAILABLE : EX_TEMPFAIL, `postern sendmail: ${message}`);
    }
  },
};

/** An address that needs no quotes in a header field. */
const PLAIN_ADDRESS = /^[^\s\p{C}<>"(),:;]+@[^\s\p{C}<>"(),:;@]+$/u;
/** A user name that needs no quotes in an address. */
const PLAIN_NAME = /^[\w.+-]+$/;

/** Returns the address in the envelope's sender, or that of the user. Programs pass on to -f what a stranger has typed. */
function findAuthor(envelopeFrom: string, host: string): string {
  const given = readLocalAddresses(envelopeFrom, host).find((address) => PLAIN_ADDRESS.test(address));
  return given ?? `${readUserName()}@${host}`;
}

/** Returns the name of the user who runs this program. Bun knows only $USER, which services and containers lack. */
function readUserName(): string {
  const id = String(process.getuid?.());
  const { USER, LOGNAME } = process.env;
  const names = [listUsers().find(([, , userId]) => userId === id)?.[0], USER, LOGNAME];
  return names.find((name) => name !== undefined && PLAIN_NAME.test(name)) ?? `user-${id}`;
}

/** Returns the fields of each user of this machine (passwd(5)). */
function listUsers(): string[][] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    // An image without users.
    return [];
  }
}

function say(status: number, text: string): number {
  process.stderr.write(`${text}\n`);
  return status;
}

/**
 * Parses `-t -i -f FROM RCPT…`, where flags may be combined (`-ti`, `-fFROM`). `-oi` means `-i`, and flags of other
 * sendmail programs are ignored.
 */
export function readSendmailArguments(argv: readonly string[]): Record<string, string> {
  const input: Record<string, string> = {};
  const recipients: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') {
      recipients.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      recipients.push(word);
      continue;
    }
    if (word === '-oi') input.i = 'on';
    for (let letterAt = 1; letterAt < word.length; letterAt += 1) {
      const letter = word[letterAt]!;
      if (letter === 't' || letter === 'i') input[letter] = 'on';
      const attached = word.slice(letterAt + 1);
      const isSender = letter === 'f' || letter === 'r';
      const takesNext = isSender || letter === MODE || IGNORED_WITH_VALUE.includes(letter);
      if (!takesNext && !IGNORED_WITH_ATTACHED.includes(letter)) continue;
      const value = attached === '' && takesNext ? argv[++at] : attached;
      if (isSender && value !== undefined) input.f = value.replace(/^<|>$/g, '');
      if (letter === MODE && value !== undefined) input.b = value;
      break;
    }
  }
  if (recipients.length > 0) input.rcpt = recipients.join(VALUE_SEPARATOR);
  return input;
}
