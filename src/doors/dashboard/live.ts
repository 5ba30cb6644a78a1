import { readLastTimeOf } from '../../features/waits/sql.ts';
import type { Cancel } from '../../platform/core/clock.ts';
import { formatEvent, formatRetry } from '../../platform/core/sse.ts';
import type { DashboardServices } from './services.ts';
import { listArrived, listMessage } from './sql.ts';
import type { LiveEvents } from './wire.ts';

/*
 * New mail of all inboxes of an account, as Server-Sent Events for its pages. It holds no mail: like a wait's stream
 * it reads on from a position in the store, so a page that reconnects (Last-Event-ID) loses nothing. When there is
 * too much for a page, `reset` tells it to reload its list instead. It uses none of the wait slots.
 */

const HEARTBEAT_MS = 10_000;
const RETRY_MS = 1_000;
/** Between two events: the first mail of a flood is shown at once, the rest in batches. */
const PAUSE_MS = 40;
/** Messages in one event; when more have arrived, the page should reload its list. */
const SHOWN_MAX = 100;
const UNSENT_BYTES_MAX = 256 * 1024;

interface LiveOptions {
  accountNo: number;
  /** The last position that the page saw; null means from now on. */
  after: number | null;
  /** Whether the session still exists; checked at each heartbeat, and before mail is shown. */
  isStillThere: () => boolean;
}

export function openLive(
  services: DashboardServices,
  options: LiveOptions,
  hungUp: AbortSignal,
): ReadableStream<Uint8Array> {
  const live = new Live(services, options);
  // Bun cancels a stream that it is reading. If the client left before it began, only the signal fires.
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
    private readonly options: LiveOptions,
  ) {
    this.leave = services.liveRoom.enter(options.accountNo, this);
    this.position = options.after ?? readLastTimeOf(services.store, options.accountNo);
  }

  begin(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    controller.enqueue(formatRetry(RETRY_MS));
    // Tells the page its position before any mail arrives, in case it has to reconnect.
    this.sendEvent('hello', {});
    this.keepBeating();
    this.ring();
  }

  /** Called when there may be something to send. */
  ring(): void {
    // After the pause it looks again anyway.
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
      // The client cancelled it.
    }
  }

  /** Sends what has arrived. Returns false when there was nothing. */
  private send(): boolean {
    const { store } = this.services;
    const { accountNo } = this.options;
    const { found, looked_to, has_more } = listArrived(store, accountNo, this.position, SHOWN_MAX + 1);
    if (looked_to === this.position) return false;
    this.position = looked_to;
    if (found.length > 0 && !this.options.isStillThere()) {
      this.end();
      return false;
    }
    if (has_more && found.length > 0) {
      this.position = readLastTimeOf(store, accountNo);
      this.sendEvent('reset', {});
    } else if (found.length > 0) {
      const messages = found.map((row) => listMessage(store, row));
      this.sendEvent('messages', { messages });
    }
    return true;
  }

  private keepBeating(): void {
    this.beat = this.services.clock.after(HEARTBEAT_MS, () => {
      if (!this.controller) return;
      const isFull = this.unsent() >= UNSENT_BYTES_MAX;
      // Two heartbeats without room: the client is not reading.
      if ((isFull && this.stalled) || !this.options.isStillThere()) {
        this.end();
        return;
      }
      this.stalled = isFull;
      if (!isFull) this.sendEvent('beat', {});
      this.keepBeating();
    });
  }

  /** Sends an event. Its id is the position at which the page continues after it reconnects. */
  private sendEvent<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): void {
    this.enqueue(formatEvent(name, data, String(this.position)));
  }

  private enqueue(bytes: Uint8Array): void {
    this.controller?.enqueue(bytes);
  }

  private unsent(): number {
    return UNSENT_BYTES_MAX - (this.controller?.desiredSize ?? 0);
  }
}
