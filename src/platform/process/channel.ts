import type { Socket } from 'bun';
import { type Frame, type FrameBounds, FrameReader } from './frames.ts';

/** Small frames are passed to the kernel together, up to this total size. */
const TOGETHER_BYTES = 256 * 1024;

export interface ChannelEvents {
  onFrames(frames: Frame[]): void;
  /**
   * Called once, when the channel can't be used any more: it was closed, or it failed or received nonsense (`fault`).
   */
  onEnd(fault?: unknown): void;
}

/** Exchanges frames over a socket that is already open. Sends in order, however little the kernel takes at a time. */
export class Channel {
  private readonly reader: FrameReader;
  private socket: Socket | null = null;
  private unsent: Uint8Array[] = [];
  private hasEnded = false;

  constructor(
    descriptor: number,
    private readonly events: ChannelEvents,
    /** What the other end may send; by default, what our own main process does. */
    bounds?: FrameBounds,
  ) {
    this.reader = new FrameReader(bounds);
    const options: Bun.FdSocketOptions = {
      fd: descriptor,
      socket: {
        open: (socket) => {
          this.socket = socket;
          this.flush();
        },
        data: (_, piece) => this.take(piece),
        drain: () => this.flush(),
        close: () => this.end(),
        error: (_, fault) => this.end(fault),
      },
    };
    // Bun's types lack a signature for this kind of options.
    const open = Bun.connect(options as unknown as Bun.UnixSocketOptions);
    open.catch((fault: unknown) => this.end(fault));
  }

  send(frames: readonly Uint8Array[]): void {
    this.unsent.push(...frames);
    this.flush();
  }

  /** Closes the channel without calling onEnd. */
  close(): void {
    this.hasEnded = true;
    this.unsent = [];
    this.socket?.terminate();
  }

  private take(piece: Uint8Array): void {
    if (this.hasEnded) return;
    let frames: Frame[];
    try {
      frames = this.reader.take(piece);
    } catch (fault) {
      this.end(fault);
      return;
    }
    if (frames.length > 0) this.events.onFrames(frames);
  }

  private flush(): void {
    while (this.socket && this.unsent.length > 0) {
      const next = this.gather();
      const taken = Math.max(0, this.socket.write(next));
      if (taken < next.length) {
        // The rest follows when the kernel has room again (drain).
        this.unsent.unshift(next.subarray(taken));
        return;
      }
    }
  }

  private gather(): Uint8Array {
    let bytes = 0;
    let count = 0;
    while (count < this.unsent.length && bytes < TOGETHER_BYTES) bytes += this.unsent[count++]!.length;
    const together = this.unsent.splice(0, count);
    return together.length === 1 ? together[0]! : Buffer.concat(together);
  }

  private end(fault?: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.events.onEnd(fault);
  }
}
