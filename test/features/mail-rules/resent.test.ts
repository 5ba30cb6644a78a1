/** The bytes of a forwarded mail. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { joinResent } from '../../../src/features/mail-rules/errands/resent.ts';

const FIELDS = 'Resent-To: ann@far.test\r\n';

async function join(pieces: Iterable<Uint8Array>): Promise<string> {
  const joined: Uint8Array[] = [];
  for await (const piece of joinResent(FIELDS, pieces)) joined.push(piece);
  return Buffer.concat(joined).toString();
}

test('a mail keeps its text, and every line ends with CRLF, wherever its bytes are cut', async () => {
  const text = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', 'a', 'bc'), { maxLength: 20 })
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(40), { maxLength: 5 }), async (body, cuts) => {
      const mail = Buffer.from(`Subject: one\n\r\n${body}`);
      const ends = [...cuts.toSorted((a, b) => a - b), mail.length];
      const pieces = ends.map((end, at) => mail.subarray(ends[at - 1] ?? 0, end));
      const wanted = mail.toString().replace(/\r\n|\r|\n/g, '\r\n');
      expect(await join(pieces.filter(({ length }) => length > 0))).toBe(FIELDS + wanted);
    }),
    { numRuns: 500 },
  );
});

test('a mail that ends within its header gets the empty line', async () => {
  for (const mail of ['Subject: one', 'Subject: one\r', 'Subject: one\n'])
    expect(await join([Buffer.from(mail)])).toBe(`${FIELDS}Subject: one\r\n\r\n`);
});
