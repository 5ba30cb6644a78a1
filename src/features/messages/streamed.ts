import type { Cancel } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import type { PlatformServices } from '../../platform/services.ts';

/*
 * Large responses, piece by piece. The next piece is created once the client has read the previous one, in its own
 * turn of the event loop. So neither memory nor other requests depend on the size of a response or the speed of its
 * reader.
 */

/** A client that reads nothing for this long is cut off. */
const STALLED_MS = 60_000;

/** The pieces as a stream. `onEnd` is called once, however it ends. */
export function makeStream(
  { clock }: Pick<PlatformServices, 'clock'>,
  pieces: Iterator<Uint8Array>,
  onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
  let watch: Cancel = () => {};
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    watch();
    pieces.return?.();
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        watch();
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
        watch = clock.after(STALLED_MS, () => {
          end();
          controller.error('the client is not reading');
        });
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

/** A failing piece ends the response; `end` still releases what was held for it. */
function takeNext(pieces: Iterator<Uint8Array>, end: () => void): IteratorResult<Uint8Array> {
  try {
    return pieces.next();
  } catch (fault) {
    end();
    throw fault;
  }
}

const PIECE_BYTES = 128 * 1024;

/** Bytes in memory, a piece at a time. */
export function* sliceBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** A span of bytes that come in pieces. Pieces before the span become empty, so that each still has its own turn. */
export function* cutPieces(pieces: Iterable<Uint8Array>, from: number, to: number): Generator<Uint8Array> {
  let at = 0;
  for (const piece of pieces) {
    if (at >= to) return;
    yield piece.subarray(Math.max(0, from - at), Math.max(0, Math.min(piece.length, to - at)));
    at += piece.length;
  }
}

/** Total bytes of attachments that may be in memory for responses in progress. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;
const RETRY_S = 5;

export interface MessageServices extends PlatformServices {
  readonly heldBytes: HeldBytes;
}

export class HeldBytes {
  private held = 0;

  /** Reserves room for an attachment; returns a function that releases it. 429 when slow readers hold too much. */
  take(bytes: number): () => void {
    if (this.held > 0 && this.held + bytes > HELD_BYTES_MAX) fail('rate_limited', { retry_after_s: RETRY_S });
    this.held += bytes;
    let givenBack = false;
    return () => {
      if (!givenBack) this.held -= bytes;
      givenBack = true;
    };
  }
}
