/** How the path of MAIL and RCPT is read: with and without the short cut of the usual form, and when it is hostile. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { installPaths } from '../../../src/doors/smtp/paths.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

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

installPaths();
const reader = SMTPConnection.prototype as unknown as Reader;
const connection = {
  session: {},
  _server: { options: { lenientAddressParsing: true }, logger: { error: () => {} } },
};
const parse = (name: string, line: string) => reader._parseAddressCommand.call(connection, name, line);

test('an address is read the same with and without the short cut', () => {
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

/** The longest command line. */
const LINE_BYTES = 16 * 1024;

test.each(['@', 'a@', '@a:', '@a,', '"', '\\', ' ', ':', '<', '>', 'A=B '])(
  'the longest line of %j is read in linear time',
  (part) => {
    const began = cpuMs();
    for (const begin of ['', '<', '"', 'a@'])
      for (const end of ['', '<', '>', ' ']) {
        const path = `${begin}${part.repeat(LINE_BYTES / part.length)}${end}`;
        expect(parse('rcpt to', `RCPT TO:${path}`)).toBeDefined();
      }
    expect(cpuMs() - began).toBeLessThan(250);
  },
);
