/** A turn of the event loop that serves requests for longer than this accepts no more connections. */
const TURN_MS_MAX = 250;
/** Requests between two looks at the clock. */
const REQUESTS_PER_LOOK = 32;

/**
 * Ends turns of the event loop that never end by themselves. Bun accepts connections, and serves the requests that came with each,
 * until no connection waits. Clients that open them faster than they are served held up everything else, mail included, for as long
 * as they went on. So after a while the door is closed until the next turn: the kernel drops new connections, and the client's
 * system tries again after a second.
 */
export class LongTurns {
  private requests = 0;
  private sinceMs = 0;
  private isShut = false;

  constructor(private readonly setDoor: (isOpen: boolean) => void) {}

  noteRequest(): void {
    if (this.requests === 0) {
      this.sinceMs = performance.now();
      setImmediate(() => this.beginTurn());
    }
    this.requests += 1;
    if (this.isShut || this.requests % REQUESTS_PER_LOOK !== 0) return;
    if (performance.now() - this.sinceMs <= TURN_MS_MAX) return;
    this.isShut = true;
    this.setDoor(false);
  }

  private beginTurn(): void {
    this.requests = 0;
    if (!this.isShut) return;
    this.isShut = false;
    this.setDoor(true);
  }
}
