import type { Cancel } from '../../platform/core/clock.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { Failure } from '../../platform/core/failure.ts';
import { comment, event, retry } from '../../platform/core/sse.ts';
import type { Condition } from './condition.ts';
import { Feed } from './feed.ts';
import type { Since } from './since.ts';
import type { Scope } from './sql.ts';
import type { EndReason, WaitServices } from './waits.ts';

/*
 * A stream is a feed written out as Server-Sent Events. It reads on only while the client does, so a slow one
 * costs no memory; one that takes nothing for as long as a heartbeat is cut off.
 */

/** The connection is recycled after so long (contract: Stream). */
export const STREAM_S = 25;
const HEARTBEAT_MS = 10_000;
const RETRY_MS = 1_000;
/**
 * Bytes that may lie unsent before no more are added. Before them lie what Bun is writing (as much again) and
 * the kernel's buffers, so one who leaves these has left more than the 1 MiB of decisions.md.
 */
const PAUSE_BYTES = 256 * 1024;

export interface StreamWish {
  scope: Scope;
  condition: Condition;
  since: Since;
  /** A message as it is sent; null when it was erased meanwhile. */
  show: (messageId: string) => object | null;
  /** Called once, when the stream is over in whatever way. */
  onEnd: () => void;
}

export function openStream(
  services: WaitServices,
  wish: StreamWish,
  hungUp: AbortSignal,
): ReadableStream<Uint8Array> {
  let stream: Streaming | undefined;
  const close = () => stream?.close();
  // Bun cancels a stream that it is reading; one whose client went before it began only has the signal.
  hungUp.addEventListener('abort', close, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = new Streaming(services, wish, controller);
        if (hungUp.aborted) close();
      },
      pull: () => stream?.pump(),
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: PAUSE_BYTES }),
  );
}

class Streaming {
  private readonly feed: Feed;
  private readonly leave: Cancel;
  private readonly cancels: Cancel[] = [];
  /** The last message sent: where a client goes on; null before any. */
  private last: string | null = null;
  /** What lay unsent at the last heartbeat. */
  private unsentBefore = 0;
  private pumping = false;
  private again = false;
  private closed = false;

  constructor(
    private readonly services: WaitServices,
    private readonly wish: StreamWish,
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
  ) {
    const { waits } = services;
    const { scope, condition, since } = wish;
    const order = { newestFirst: false, unreadOnly: false };
    this.feed = new Feed(services, scope, condition, since, order, waits.taken);
    this.controller.enqueue(retry(RETRY_MS));
    this.leave = waits.enter({
      scope,
      ring: () => this.pump(),
      end: (reason) => this.bye(reason),
    });
    this.cancels.push(services.clock.after(STREAM_S * 1000, () => this.bye('recycle')));
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
      // A Failure: the key was revoked meanwhile, or the account suspended.
      if (!(fault instanceof Failure)) this.services.log.error('a stream failed', { fault: String(fault) });
      this.cut();
    }
    this.pumping = false;
  }

  private async drain(): Promise<void> {
    while (!this.closed && this.unsent() < PAUSE_BYTES) {
      const found = await this.feed.next();
      if (!found || this.closed) return;
      const message = this.wish.show(found.id);
      if (message !== null) {
        this.last = found.id;
        this.controller.enqueue(event('message', message, found.id));
      }
      // One in a turn of the event loop: Bun takes them as fast as they come, so nobody else would have one.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Also looks whether the client takes anything at all. */
  private beat(): void {
    this.cancels[1] = this.services.clock.after(HEARTBEAT_MS, () => {
      const unsent = this.unsent();
      if (unsent < PAUSE_BYTES) this.controller.enqueue(comment('heartbeat'));
      else if (unsent === this.unsentBefore) {
        this.services.log.info('a stream was cut off: its client does not read', { unsent });
        this.cut();
      }
      this.unsentBefore = unsent;
      if (!this.closed) this.beat();
    });
  }

  private bye(reason: EndReason | 'recycle'): void {
    if (this.closed) return;
    const since = this.last ?? (this.feed.inBacklog ? '0' : isoTime(this.feed.start));
    this.controller.enqueue(event('bye', { reason, since }));
    this.close();
    this.controller.close();
  }

  private unsent(): number {
    return PAUSE_BYTES - (this.controller.desiredSize ?? 0);
  }

  private cut(): void {
    if (this.closed) return;
    this.close();
    // Without a reason: Bun 1.4 prints one to stderr, with its stack.
    this.controller.error();
  }
}
