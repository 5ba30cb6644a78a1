import { expect, test } from 'bun:test';
import { makeStream, sliceBytes } from '../../../src/platform/core/streamed.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

const MIB = 1024 * 1024;
const bytes = new Uint8Array(MIB).map((_, index) => index % 251);

function open(pieces: Iterator<Uint8Array> = sliceBytes(bytes)) {
  const clock = new FakeClock();
  let ends = 0;
  const held = {
    release: () => {
      ends += 1;
    },
    touch: () => {},
    cut: null as (() => void) | null,
  };
  const stream = makeStream({ clock }, pieces, held);
  return { clock, stream, reader: stream.getReader(), ends: () => ends };
}

test('a response sent in pieces arrives whole and ends once', async () => {
  const { reader, ends } = open();
  const got: Uint8Array[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) got.push(step.value);
  expect(got.length).toBe(8);
  expect(Buffer.concat(got).equals(bytes)).toBe(true);
  expect(ends()).toBe(1);
});

test('the memory held for a client is released when it disconnects', async () => {
  const { reader, ends } = open();
  await reader.read();
  await reader.cancel();
  expect(ends()).toBe(1);
});

test('a client that reads nothing for a minute is cut off', async () => {
  const { clock, reader, ends } = open();
  await reader.read();
  // The next piece is ready by now, and the client does not read it.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await clock.advance(59_999);
  expect(ends()).toBe(0);
  await clock.advance(1);
  expect(ends()).toBe(1);
  expect(await reader.read().catch(String)).toBe('the client is not reading');
});

test('a piece that fails ends the response and releases its memory', async () => {
  const { reader, ends } = open({
    next() {
      throw new Error('the disk');
    },
  });
  expect(String(await reader.read().catch(String))).toContain('the disk');
  expect(ends()).toBe(1);
});
