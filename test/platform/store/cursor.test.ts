import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../src/platform/core/failure.ts';
import { ServerKey } from '../../../src/platform/core/sealed.ts';
import { readCursor, readTextCursor, sealCursor } from '../../../src/platform/store/cursor.ts';

const key = new ServerKey(new Uint8Array(32).fill(7));
const otherKey = new ServerKey(new Uint8Array(32).fill(8));
const scope = fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)));
const position = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

function isRefused(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (thrown) {
    return thrown instanceof Failure && thrown.code === 'validation_error' && 'cursor' in thrown.fields;
  }
}

test('a cursor returns its position, in its own scope only', () => {
  fc.assert(
    fc.property(scope, scope, position, (own, other, at) => {
      const cursor = sealCursor(key, own, at);
      expect(readCursor(key, own, cursor)).toBe(at);
      expect(isRefused(() => readCursor(otherKey, own, cursor))).toBe(true);
      if (JSON.stringify(own) !== JSON.stringify(other)) {
        expect(isRefused(() => readCursor(key, other, cursor))).toBe(true);
      }
    }),
  );
});

test('a cursor returns a text as its position, in its own scope only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (at) => {
      const cursor = sealCursor(key, ['list'], at);
      expect(readTextCursor(key, ['list'], cursor)).toBe(at);
      expect(isRefused(() => readTextCursor(key, ['other'], cursor))).toBe(true);
      expect(isRefused(() => readTextCursor(otherKey, ['list'], cursor))).toBe(true);
    }),
  );
  expect(isRefused(() => readTextCursor(key, ['list'], 'Zw.HLcmkqCKILMy7FIqEY757g'))).toBe(true);
});

test('a cursor that was changed anywhere is refused', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.constantFrom(...'AZaz09-_.%'), (at, place, char) => {
      const cursor = sealCursor(key, ['list'], at);
      const index = place % cursor.length;
      const forged = cursor.slice(0, index) + char + cursor.slice(index + 1);
      if (forged !== cursor) expect(isRefused(() => readCursor(key, ['list'], forged))).toBe(true);
    }),
  );
});

test.each(['=', '%', ' ', '\n', '.'])('a cursor with %j behind it is refused', (more) => {
  const cursor = sealCursor(key, ['list'], 16);
  expect(isRefused(() => readCursor(key, ['list'], cursor + more))).toBe(true);
});

test('nothing of a position can be read in its cursor, not even its length', () => {
  const first = Buffer.from(sealCursor(key, ['list'], 1), 'base64url');
  const last = Buffer.from(sealCursor(key, ['list'], Number.MAX_SAFE_INTEGER), 'base64url');
  expect(first.length).toBe(last.length);
  const again = Buffer.from(sealCursor(key, ['list'], 1), 'base64url');
  expect(again.subarray(-8)).not.toEqual(first.subarray(-8));
});

test('a cursor that an earlier version signed is read, in its own scope only', () => {
  const signed = 'Zw.HLcmkqCKILMy7FIqEY757g';
  expect(readCursor(key, ['list'], signed)).toBe(16);
  for (const [its, text] of [
    [['other'], signed],
    [['list'], signed.replace('Zw', 'Zg')],
    [['list'], `${signed.slice(0, -1)}h`],
    [['list'], `${signed}.x`],
  ] as const)
    expect(isRefused(() => readCursor(key, its, text))).toBe(true);
});

test('arbitrary text is refused without an error', () => {
  fc.assert(
    fc.property(fc.string(), (text) => expect(isRefused(() => readCursor(key, ['list'], text))).toBe(true)),
  );
});

test('a cursor needs no escaping in a query', () => {
  fc.assert(
    fc.property(position, (at) => {
      const cursor = sealCursor(key, ['list'], at);
      expect(encodeURIComponent(cursor)).toBe(cursor);
    }),
  );
});
