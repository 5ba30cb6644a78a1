import type { Cancel, Clock } from './clock.ts';
import type { Held } from './held-bytes.ts';
import { nextTurn } from './next-turn.ts';

/*
 * Sends large responses piece by piece. Each piece is created once the client has read the previous one, in a turn of
 * its own of the event loop. So neither memory nor other requests suffer from a large response or a slow reader.
 */

/** A client that reads nothing for this long is cut off. */
const STALLED_MS = 60_000;

/**
 * Returns the pieces as a stream.
 *
 * @param held the room that they have reserved in memory. It is released however the stream ends.
 */
export function makeStream(
  { clock }: { clock: Pick<Clock, 'after'> },
  pieces: Iterator<Uint8Array>,
  held: Held | null = null,
): ReadableStream<Uint8Array> {
  let watch: Cancel = () => {};
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    watch();
    pieces.return?.();
    held?.release();
  };
  const cutOff = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    end();
    controller.error('the client is not reading');
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (held) held.cut = () => cutOff(controller);
      },
      async pull(controller) {
        watch();
        held?.touch();
        await nextTurn();
        if (ended) return;
        let { done, value } = takeNext(pieces, end);
        while (!done && value?.length === 0) {
          await nextTurn();
          if (ended) return;
          ({ done, value } = takeNext(pieces, end));
        }
        if (done) {
          end();
          controller.close();
          return;
        }
        controller.enqueue(value);
        watch = clock.after(STALLED_MS, () => cutOff(controller));
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

/** Returns the next piece. A piece that fails ends the response, and `end` releases what was held for it. */
function takeNext(pieces: Iterator<Uint8Array>, end: () => void): IteratorResult<Uint8Array> {
  try {
    return pieces.next();
  } catch (fault) {
    end();
    throw fault;
  }
}

const PIECE_BYTES = 128 * 1024;

/** Yields bytes in memory as pieces. */
export function* sliceBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** Yields a span of bytes that come in pieces. Pieces before the span become empty, so each still has its own turn. */
export function* cutPieces(pieces: Iterable<Uint8Array>, from: number, to: number): Generator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    if (at >= to) return;
    yield piece.subarray(Math.max(0, from - at), Math.max(0, Math.min(piece.length, to - at)));
    at += piece.length;
  }
}
