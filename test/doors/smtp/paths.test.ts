/** The usual form of MAIL and RCPT has a short cut, which must not read anything differently. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { installPaths } from '../../../src/doors/smtp/paths.ts';

interface Reader {
  _parseAddressCommand(name: string, command: string): unknown;
}

const piece = fc.constantFrom(
  'a',
  'Z',
  '0',
  '.',
  '..',
  '-',
  '_',
  '+',
  '=',
  '@',
  '<',
  '>',
  '"',
  ' ',
  '%',
  '!',
  ':',
  'é',
  '\u200b',
  '\0',
  'xn--',
  'xn--bcher-kva',
  '[127.0.0.1]',
  '@relay.example:',
  'example.com',
  'postmaster',
  ' SIZE=1',
  'BODY=',
);
const usual = fc.constantFrom('a', 'ann.b+tag', 'example.com', 'x_y', 'a=b');
const written = fc.oneof(
  usual,
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
);
const command = fc.constantFrom(
  'MAIL FROM',
  'mail from',
  'Rcpt To',
  'RCPT TO',
  'MAIL  FROM',
  'RCPT',
  'DATA X',
);

test('an address is read the same with and without the short cut', () => {
  installPaths();
  const reader = SMTPConnection.prototype as unknown as Reader;
  const connection = {
    session: {},
    _server: { options: { lenientAddressParsing: true }, logger: { error: () => {} } },
  };
  const parse = (name: string, line: string) => reader._parseAddressCommand.call(connection, name, line);
  let parsed = 0;
  fc.assert(
    fc.property(
      fc.constantFrom('mail from', 'rcpt to'),
      command,
      written,
      written,
      (name, verb, local, domain) => {
        for (const line of [
          `${verb}:<${local}@${domain}>`,
          `${verb}:<${local}>`,
          `${verb}: <${local}@${domain}>`,
        ]) {
          const short = parse(name, line);
          // A space at the end means nothing, but the short cut does not take it.
          expect(short).toEqual(parse(name, `${line} `));
          if (short) parsed += 1;
        }
      },
    ),
    { numRuns: 3_000 },
  );
  expect(parsed).toBeGreaterThan(300);
});
