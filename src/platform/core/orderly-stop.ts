/** How long work in progress may go on after the stop. */
const GRACE_MS = 3_000;

/** Lets work in progress finish when the server stops, and aborts what does not finish soon. */
export class OrderlyStop {
  private readonly cutOff = new AbortController();
  private onQuiet: () => void = () => {};

  /** @param isQuiet returns whether nothing is in progress. */
  constructor(private readonly isQuiet: () => boolean) {}

  /** Aborted after GRACE_MS. */
  get signal(): AbortSignal {
    return this.cutOff.signal;
  }

  /** Must be called whenever a piece of work has ended. */
  note(): void {
    if (this.isQuiet()) this.onQuiet();
  }

  /** Resolves when nothing is in progress, or `abandonMs` after the abort, because some work can't be aborted. */
  async wait(abandonMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.isQuiet()) return;
    const quiet = new Promise<void>((resolve) => {
      this.onQuiet = resolve;
    });
    const grace = setTimeout(() => this.cutOff.abort(), GRACE_MS);
    const isBounded = Number.isFinite(abandonMs);
    await (isBounded ? Promise.race([quiet, Bun.sleep(GRACE_MS + abandonMs)]) : quiet);
    clearTimeout(grace);
  }
}
