/** Frames arrive whole and in order, however they are cut, and nothing else is mistaken for one. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodeFrame, type FrameBounds, FrameReader } from '../../../src/platform/process/frames.ts';

const message = fc.record({
  head: fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))),
  bytes: fc.uint8Array({ maxLength: 300 }),
});

describe('a stream of frames', () => {
  test('returns what was encoded, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.infiniteStream(fc.nat({ max: 40 })),
        (sent, cuts) => {
          const stream = Buffer.concat(sent.map(({ head, bytes }) => encodeFrame(head, bytes)));
          const reader = new FrameReader();
          const got: unknown[] = [];
          for (let at = 0; at < stream.length; ) {
            const to = at + Math.max(1, cuts.next().value);
            for (const { head, bytes } of reader.take(stream.subarray(at, to)))
              got.push({ head, bytes: new Uint8Array(bytes) });
            at = to;
          }
          expect(got).toEqual(
            sent.map(({ head, bytes }) => ({ head: JSON.parse(JSON.stringify(head)), bytes })),
          );
        },
      ),
    );
  });

  test('of arbitrary bytes yields frames, or an error that says what is wrong', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const reader = new FrameReader();
        try {
          for (const { bytes } of reader.take(noise)) expect(bytes.length).toBeLessThan(noise.length);
        } catch (fault) {
          expect(String(fault)).toMatch(/frame|JSON/);
        }
      }),
    );
  });

  test('of one byte at a time is read', () => {
    const sent = encodeFrame({ id: 1 }, new Uint8Array(300_000).fill(7));
    const reader = new FrameReader();
    const frames = [...sent].flatMap((byte) => reader.take(Uint8Array.of(byte)));
    expect(frames).toMatchObject([{ head: { id: 1 } }]);
    expect(frames[0]!.bytes).toHaveLength(300_000);
  });

  test.each<[string, Partial<FrameBounds>, Uint8Array]>([
    ['a head', { headBytes: 8 }, encodeFrame({ id: 10 })],
    ['bytes', { bytes: 9 }, encodeFrame(null, new Uint8Array(10))],
    ['frames', { frames: 2 }, Buffer.concat(Array(3).fill(encodeFrame(null)))],
  ])('with more %s than its bounds is refused as soon as that is known', (_, bound, sent) => {
    const wide = { headBytes: 10, bytes: 10, frames: 3 };
    const lengths = sent.subarray(0, bound.frames ? sent.length : 8);
    expect(() => new FrameReader({ ...wide, ...bound }).take(lengths)).toThrow();
    expect(new FrameReader(wide).take(sent).length).toBeGreaterThan(0);
  });

  test.each([
    ['shorter than its lengths', [7, 0, 0, 0, 0, 0, 0, 0]],
    ['of four gigabytes', [255, 255, 255, 255, 0, 0, 0, 0]],
    ['with a head longer than itself', [9, 0, 0, 0, 2, 0, 0, 0, 34]],
    ['without a head', [8, 0, 0, 0, 0, 0, 0, 0]],
  ])('with a frame %s is refused', (_, bytes) => {
    expect(() => new FrameReader().take(new Uint8Array(bytes))).toThrow();
  });
});
