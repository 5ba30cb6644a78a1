import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { isQuotedString } from '../../platform/mail/address-syntax.ts';

/*
 * How smtp-server reads the path of MAIL and RCPT is changed: the address stays as it was given. Left alone it takes
 * blanks, at signs and brackets within quotes for syntax, and makes Unicode of an ASCII domain.
 */

interface Reader {
  _parseAddressCommand(name: string, command: string | Buffer): { address: string } | false;
}

/** What comes before the address: the command, and a source route, which says nothing (RFC 5321 4.1.2, appendix C). */
const BEFORE = String.raw`^[^:<]*:\s*<(?:@[^\s,:@<>]+(?:,@[^\s,:@<>]+)*:)?`;
const QUOTED = new RegExp(String.raw`(${BEFORE})("(?:[^"\\]|\\.)*")(?=@)`);
const ADDRESS = new RegExp(String.raw`${BEFORE}([^<>@\s]+)@([^<>@\s]+)>`);
/** Stands for a quoted local part while the library reads the rest. */
const STAND_IN = 'quoted';

/** Changes the library's prototype; once for the process. */
export function installPaths(): void {
  const prototype = SMTPConnection.prototype as unknown as Reader;
  const parse = prototype._parseAddressCommand;
  prototype._parseAddressCommand = function (this: Reader, name, command) {
    const text = command.toString();
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
