/** Reading quoted-printable in one pass returns what libqp returns, whatever the bytes are. */
import { expect, test } from 'bun:test';
import libqp from 'libqp';
import { readQuotedPrintable } from '../../../../src/platform/mail/mime/quoted-printable.ts';

/** Pieces of text: some mean something to a decoder, others don't. */
const PIECES = ['=', '=\r\n', '=\n', '=3D', '=0d', '=0A', '=20', '\r\n', '\n', ' ', '\t', 'a', '4', '\xe9'];
const LENGTH_MAX = 5;

function* sequences(length: number): Generator<string> {
  if (length === 0) yield '';
  else for (const rest of sequences(length - 1)) for (const piece of PIECES) yield piece + rest;
}

test(`every sequence of up to ${LENGTH_MAX} pieces is read as libqp reads it`, () => {
  const differing: string[] = [];
  for (let length = 0; length <= LENGTH_MAX; length++) {
    for (const written of sequences(length)) {
      const expected = libqp.decode(written).toString().replaceAll('\r\n', '\n');
      if (readQuotedPrintable(Buffer.from(written, 'latin1')).toString() !== expected)
        differing.push(written);
    }
  }
  expect(differing).toEqual([]);
}, 30_000);
