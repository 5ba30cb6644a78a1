import type { Cancel } from '../core/clock.ts';
import { isoTime } from '../core/clock.ts';
import type { Floor } from '../floor.ts';
import { comment, event, retry } from '../core/sse.ts';
import type { Condition } from './condition.ts';
import { Feed } from './feed.ts';
import type { Since } from './since.ts';
import { type EndReason, waitsOf } from './waits.ts';

/*
 * A stream is a feed written out as Server-Sent Events. It reads on only while the client does, so a slow one
 * costs no memory; one that leaves more than the bound unread is cut off.
 */

/** The connection is recycled after so long (contract: Stream). */
export const STREAM_S = 25;
const HEARTBEAT_MS = 10_000;
const RETRY_MS = 1_000;
/** Bytes that may lie unsent before no more are added, and before the client is cut off. */
const PAUSE_BYTES = 256 * 1024;
const UNSENT_BYTES_MAX = 1024 * 1024;

export interface StreamWish {
  inbox_no: number;
  account_no: number;
  condition: Condition;
  since: Since;
  /** A message as it is sent; null when it was erased meanwhile. */
  show: (message_id: string) => unknown;
  /** Called once, when the stream is over in whatever way. */
  onEnd: () => void;
}

export function openStream(floor: Floor, wish: StreamWish): ReadableStream<Uint8Array> {
  let stream: Streaming | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = new Streaming(floor, wish, controller);
      },
      pull() {
        stream?.pump();
      },
      cancel() {
        stream?.close();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: PAUSE_BYTES }),
  );
}

class Streaming {
  private readonly feed: Feed;
  private readonly leave: Cancel;
  private readonly cancels: Cancel[] = [];
  /** The last message sent: where a client goes on. */
  private last: string;
  private pumping = false;
  private again = false;
  private closed = false;

  constructor(
    private readonly floor: Floor,
    private readonly wish: StreamWish,
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
  ) {
    const waits = waitsOf(floor);
    const { inbox_no, account_no, condition, since } = wish;
    const order = { newest_first: false, unread_only: false };
    this.feed = new Feed(floor, inbox_no, condition, since, order, waits.taken);
    this.last = isoTime(this.feed.start);
    this.send(retry(RETRY_MS));
    this.leave = waits.enter({
      inbox_no,
      account_no,
      ring: () => this.pump(),
      end: (reason) => this.bye(reason),
    });
    this.cancels.push(floor.clock.after(STREAM_S * 1000, () => this.bye('recycle')));
    this.beat();
    this.pump();
  }

  /** Sends what there is, as long as the client takes it. */
  pump(): void {
    this.again = true;
    if (!this.pumping) void this.run();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.leave();
    for (const cancel of this.cancels) cancel();
    this.wish.onEnd();
  }

  private async run(): Promise<void> {
    this.pumping = true;
    try {
      while (this.again && !this.closed) {
        this.again = false;
        await this.drain();
      }
    } catch (fault) {
      this.floor.log.error('a stream failed', { fault: String(fault) });
      this.cut();
    }
    this.pumping = false;
  }

  private async drain(): Promise<void> {
    while (!this.closed && (this.controller.desiredSize ?? 0) > 0) {
      const found = await this.feed.next();
      if (!found) return;
      const message = this.wish.show(found.id);
      if (message === null || this.closed) continue;
      this.last = found.id;
      this.send(event('message', message, found.id));
    }
  }

  private beat(): void {
    this.cancels[1] = this.floor.clock.after(HEARTBEAT_MS, () => {
      this.send(comment('heartbeat'));
      if (!this.closed) this.beat();
    });
  }

  private bye(reason: EndReason | 'recycle'): void {
    if (this.closed) return;
    this.send(event('bye', { reason, since: this.last }));
    if (this.closed) return;
    this.close();
    this.controller.close();
  }

  private send(bytes: Uint8Array): void {
    if (this.closed) return;
    const unsent = PAUSE_BYTES - (this.controller.desiredSize ?? 0);
    if (unsent > UNSENT_BYTES_MAX) this.cut();
    else this.controller.enqueue(bytes);
  }

  private cut(): void {
    if (this.closed) return;
    this.close();
    this.controller.error(new Error('the client does not read'));
  }
}
