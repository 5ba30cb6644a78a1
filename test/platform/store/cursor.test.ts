import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../src/platform/core/failure.ts';
import { ServerKey } from '../../../src/platform/core/sealed.ts';
import { readCursor, signCursor } from '../../../src/platform/store/cursor.ts';

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
      const cursor = signCursor(key, own, at);
      expect(readCursor(key, own, cursor)).toBe(at);
      expect(isRefused(() => readCursor(otherKey, own, cursor))).toBe(true);
      if (JSON.stringify(own) !== JSON.stringify(other)) {
        expect(isRefused(() => readCursor(key, other, cursor))).toBe(true);
      }
    }),
  );
});

test('a cursor that was changed anywhere is refused', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.constantFrom(...'AZaz09-_.%'), (at, place, char) => {
      const cursor = signCursor(key, ['list'], at);
      const index = place % cursor.length;
      const forged = cursor.slice(0, index) + char + cursor.slice(index + 1);
      if (forged === cursor) return;
      // base64url leaves bits unused at its end, so another last character may mean the same bytes.
      const same = (text: string) =>
        text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
      if (same(forged).join() === same(cursor).join()) return;
      expect(isRefused(() => readCursor(key, ['list'], forged))).toBe(true);
    }),
  );
});

test('arbitrary text is refused without an error', () => {
  fc.assert(
    fc.property(fc.string(), (text) => expect(isRefused(() => readCursor(key, ['list'], text))).toBe(true)),
  );
});

test('a cursor needs no escaping in a query', () => {
  fc.assert(
    fc.property(position, (at) => {
      const cursor = signCursor(key, ['list'], at);
      expect(encodeURIComponent(cursor)).toBe(cursor);
    }),
  );
});
