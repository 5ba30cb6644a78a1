/** A turn of the event loop that serves requests for longer than this accepts no more connections. */
const TURN_MS_MAX = 250;
/** Requests between two looks at the clock. */
const REQUESTS_PER_LOOK = 32;

/**
 * Ends turns of the event loop that never end by themselves. Bun accepts connections, and serves the requests that came with each,
 * until no connection waits. Clients that open them faster than they are served held up everything else, mail included, for as long
 * as they went on. So after a while, the door is paused until the next turn.
 */
export class LongTurns {
  private requests = 0;
  private sinceMs = 0;
  private isPaused = false;

  constructor(private readonly setDoor: (door: 'open' | 'paused') => void) {}

  noteRequest(): void {
    if (this.requests === 0) {
      this.sinceMs = performance.now();
      setImmediate(() => this.beginTurn());
    }
    this.requests += 1;
    if (this.isPaused || this.requests % REQUESTS_PER_LOOK !== 0) return;
    if (performance.now() - this.sinceMs <= TURN_MS_MAX) return;
    this.isPaused = true;
    this.setDoor('paused');
  }

  private beginTurn(): void {
    this.requests = 0;
    if (!this.isPaused) return;
    this.isPaused = false;
    this.setDoor('open');
  }
}
