import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { isQuotedString } from '../../platform/mail/address-syntax.ts';

/*
 * Changes how smtp-server parses the path of MAIL and RCPT, so that addresses stay as the client wrote them. Unpatched,
 * it treats spaces, @ and brackets in quotes as syntax, converts ASCII domains to Unicode, and refuses a path without brackets.
 */

interface Reader {
  _parseAddressCommand(
    name: string,
    command: string | Buffer,
  ): { address: string; args: Record<string, string | true> | false } | false;
}

/** The command before the address, and a source route, which is ignored (RFC 5321, section 4.1.2 and appendix C). */
const BEFORE = String.raw`^[^:<]*:\s*<(?:@[^\s,:@<>]+(?:,@[^\s,:@<>]+)*:)?`;
const QUOTED = new RegExp(String.raw`(${BEFORE})("(?:[^"\\]|\\.)*")(?=@)`);
const ADDRESS = new RegExp(String.raw`${BEFORE}([^<>@\s]+)@([^<>@\s]+)>`);
/** The whole command as most clients send it. The library would return the same, in three times the time. */
const USUAL = /^([a-z]+ [a-z]+):<([\w.+=-]+@[\w.-]+)>$/i;
/**
 * A path without its brackets, as some printers and scripts send it. Other mail servers accept it too. Its domain has no @: with
 * one, a line of many would take quadratic time.
 */
const BRACKETLESS = /^([^:<]*:)\s*([^\s<>]+@[^\s<>@]+)(?=\s|$)/;
/** Replaces a quoted local part while the library parses the rest. */
const STAND_IN = 'quoted';

/** Patches the library's prototype, once per process. */
export function installPaths(): void {
  const prototype = SMTPConnection.prototype as unknown as Reader;
  const parse = prototype._parseAddressCommand;
  prototype._parseAddressCommand = function (this: Reader, name, command) {
    const written = command.toString();
    const [, verb, address] = USUAL.exec(written) ?? [];
    if (address !== undefined && verb!.toLowerCase() === name) return { address, args: false };
    const text = written.replace(BRACKETLESS, '$1<$2>');
    const quoted = QUOTED.exec(text)?.[2];
    const isQuoted = quoted !== undefined && isQuotedString(quoted);
    const plain = isQuoted ? text.replace(QUOTED, `$1${STAND_IN}`) : text;
    const parsed = parse.call(this, name, plain);
    const [, local, domain] = ADDRESS.exec(plain) ?? [];
    if (parsed !== false && parsed.address !== '' && local !== undefined) {
      parsed.address = `${isQuoted ? quoted : local}@${domain}`;
    }
    return parsed;
  };
}
