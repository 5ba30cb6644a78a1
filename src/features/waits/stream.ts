import type { Cancel } from '../../platform/core/clock.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { Failure } from '../../platform/core/failure.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { formatComment, formatEvent, formatRetry } from '../../platform/core/sse.ts';
import type { Condition } from './condition.ts';
import { Feed } from './feed.ts';
import type { Since } from './since.ts';
import type { Scope } from './sql.ts';
import type { EndReason, WaitServices } from './waits.ts';

/*
 * A stream sends a feed as Server-Sent Events. It reads on only as fast as the client, so a slow client costs no
 * memory. A client that reads nothing for a whole heartbeat interval is disconnected.
 */

/** A stream ends after this many seconds, and the client reconnects (docs/api-v1.md, Stream). */
export const STREAM_S = 25;
const HEARTBEAT_MS = 10_000;
const RETRY_MS = 1_000;
/**
 * Nothing more is queued while this many bytes are unsent. Bun's write buffer (as much again) and the kernel's buffers
 * come on top, so a client that lets this fill up has more than the 1 MiB of docs/decisions.md outstanding.
 */
const PAUSE_BYTES = 256 * 1024;

export interface StreamRequest {
  scope: Scope;
  condition: Condition;
  since: Since;
  /** Returns the message as it is sent, or null if it was erased meanwhile. */
  show: (messageId: string) => object | null;
  /** Called once, however the stream ends. */
  onEnd: () => void;
}

export function openStream(
  services: WaitServices,
  request: StreamRequest,
  hungUp: AbortSignal,
): ReadableStream<Uint8Array> {
  let stream: Streaming | undefined;
  const close = () => stream?.close();
  // Bun cancels a stream that it is reading. If the client leaves before that, only the signal fires.
  hungUp.addEventListener('abort', close, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = new Streaming(services, request, controller);
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
  /** The id of the last message sent, from which a client continues; null before the first. */
  private last: string | null = null;
  /** Unsent bytes at the last heartbeat. */
  private unsentBefore = 0;
  private pumping = false;
  private again = false;
  private closed = false;

  constructor(
    private readonly services: WaitServices,
    private readonly request: StreamRequest,
    private readonly controller: ReadableStreamDefaultController<Uint8Array>,
  ) {
    const { waits } = services;
    const { scope, condition, since } = request;
    const order = { newestFirst: false, unreadOnly: false };
    this.feed = new Feed(services, scope, condition, since, order, waits.beingClaimed);
    this.controller.enqueue(formatRetry(RETRY_MS));
    this.leave = waits.enter({
      scope,
      ring: () => this.pump(),
      end: (reason) => this.bye(reason),
    });
    this.cancels.push(services.clock.after(STREAM_S * 1000, () => this.bye('recycle')));
    this.beat();
    this.pump();
  }

  /** Sends messages as long as there are any and the client keeps reading. */
  pump(): void {
    this.again = true;
    if (!this.pumping) void this.run();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.leave();
    for (const cancel of this.cancels) cancel();
    this.request.onEnd();
  }

  private async run(): Promise<void> {
    this.pumping = true;
    try {
      while (this.again && !this.closed) {
        this.again = false;
        await this.drain();
      }
    } catch (fault) {
      // A Failure means that the key was revoked or the account suspended meanwhile.
      if (!(fault instanceof Failure)) this.services.log.error('a stream failed', { fault: String(fault) });
      this.cut();
    }
    this.pumping = false;
  }

  private async drain(): Promise<void> {
    while (!this.closed && this.unsent() < PAUSE_BYTES) {
      const found = await this.feed.next();
      if (!found || this.closed) return;
      const message = this.request.show(found.id);
      if (message !== null) {
        this.last = found.id;
        this.controller.enqueue(formatEvent('message', message, found.id));
      }
      // One message per turn of the event loop, or a long backlog would block everything else.
      await nextTurn();
    }
  }

  /** Sends heartbeats, and disconnects a client that has read nothing since the last one. */
  private beat(): void {
    this.cancels[1] = this.services.clock.after(HEARTBEAT_MS, () => {
      const unsent = this.unsent();
      if (unsent < PAUSE_BYTES) this.controller.enqueue(formatComment('heartbeat'));
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
    this.controller.enqueue(formatEvent('bye', { reason, since }));
    this.close();
    this.controller.close();
  }

  private unsent(): number {
    return PAUSE_BYTES - (this.controller.desiredSize ?? 0);
  }

  private cut(): void {
    if (this.closed) return;
    this.close();
    // No reason is passed: Bun 1.4 prints it to stderr with its stack.
    this.controller.error();
  }
}
