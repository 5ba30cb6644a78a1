import { summaryView } from '../../features/messages/view.ts';
import { readLastReceivedAt } from '../../features/waits/sql.ts';
import type { Cancel } from '../../platform/core/clock.ts';
import { comment, event, retry } from '../../platform/core/sse.ts';
import type { DashboardServices } from './services.ts';
import { arrivedAfter } from './sql.ts';
import type { LiveEvents } from './wire.ts';

/*
 * New mail of all inboxes of an account, as Server-Sent Events for its pages. Like a wait's feed it keeps no mail:
 * it reads on from a position in the store, so a page that connects again (Last-Event-ID) loses nothing. What is too
 * much for a page is not sent: `reset` tells it to read its list anew. It takes none of the waits' slots.
 */

const HEARTBEAT_MS = 10_000;
const RETRY_MS = 1_000;
/** Between two events: the first mail of a flood is shown at once, the rest by the handful. */
const PAUSE_MS = 40;
/** Messages of the whole store that are looked at in one turn. */
const LOOK = 400;
/** Messages in one event; where more have come, the page had better read its list. */
const SHOWN_MAX = 100;
const UNSENT_BYTES_MAX = 256 * 1024;

interface LiveWish {
  account_no: number;
  /** What the page saw last, as `received_at`; null: what comes from now on. */
  after: number | null;
  /** Asked at each heartbeat: whether the session is still there. */
  isStillThere: () => boolean;
}

export function openLive(
  services: DashboardServices,
  wish: LiveWish,
  hungUp: AbortSignal,
): ReadableStream<Uint8Array> {
  const live = new Live(services, wish);
  // Bun cancels a stream that it is reading; one whose client went before it began only has the signal.
  hungUp.addEventListener('abort', () => live.end(), { once: true });
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        live.begin(controller);
        if (hungUp.aborted) live.end();
      },
      pull: () => live.ring(),
      cancel: () => live.end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: UNSENT_BYTES_MAX }),
  );
}

class Live {
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private readonly leave: Cancel;
  private position: number;
  private beat: Cancel = () => {};
  private pause: Cancel | null = null;
  private stalled = false;

  constructor(
    private readonly services: DashboardServices,
    private readonly wish: LiveWish,
  ) {
    this.leave = services.liveRoom.enter(wish.account_no, this);
    this.position = wish.after ?? readLastReceivedAt(services.store);
  }

  begin(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    controller.enqueue(retry(RETRY_MS));
    // A page that asks again knows from here on where it stands, also before any mail has come.
    this.tell('hello', {});
    this.keepBeating();
    this.ring();
  }

  /** There may be something to send. */
  ring(): void {
    // When the pause is over it looks again anyway.
    if (this.pause || !this.controller || this.unsent() >= UNSENT_BYTES_MAX / 2) return;
    if (!this.send()) return;
    this.pause = this.services.clock.after(PAUSE_MS, () => {
      this.pause = null;
      this.ring();
    });
  }

  end(): void {
    this.leave();
    this.beat();
    this.pause?.();
    const { controller } = this;
    this.controller = undefined;
    try {
      controller?.close();
    } catch {
      // It was cancelled by the client.
    }
  }

  /** Sends what has come; false when there was nothing to look at. */
  private send(): boolean {
    const { store } = this.services;
    const { found, looked_to, has_more } = arrivedAfter(store, this.wish.account_no, this.position, LOOK);
    if (looked_to === this.position) return false;
    this.position = looked_to;
    if (found.length > SHOWN_MAX || (has_more && found.length > 0)) {
      this.position = readLastReceivedAt(this.services.store);
      this.tell('reset', {});
    } else if (found.length > 0) {
      const messages = found.map((row) => ({ ...summaryView(row), address: row.address }));
      this.tell('messages', { messages });
    }
    return true;
  }

  private keepBeating(): void {
    this.beat = this.services.clock.after(HEARTBEAT_MS, () => {
      if (!this.controller) return;
      const isFull = this.unsent() >= UNSENT_BYTES_MAX;
      // Two beats without room: its client does not read.
      if ((isFull && this.stalled) || !this.wish.isStillThere()) {
        this.end();
        return;
      }
      this.stalled = isFull;
      if (!isFull) this.enqueue(comment('heartbeat'));
      this.keepBeating();
    });
  }

  /** Sends an event. Its id is the position, from which the page goes on when it connects again. */
  private tell<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): void {
    this.enqueue(event(name, data, String(this.position)));
  }

  private enqueue(bytes: Uint8Array): void {
    this.controller?.enqueue(bytes);
  }

  private unsent(): number {
    return UNSENT_BYTES_MAX - (this.controller?.desiredSize ?? 0);
  }
}
