/** How long work under way may go on after the stop. */
const PATIENCE_MS = 3_000;

/** Lets work that is under way end when the server stops, and aborts what does not end soon. */
export class OrderlyStop {
  private readonly cutOff = new AbortController();
  private onQuiet: () => void = () => {};

  /** `isQuiet`: nothing is under way. */
  constructor(private readonly isQuiet: () => boolean) {}

  /** Aborted when the work has had its time. */
  get signal(): AbortSignal {
    return this.cutOff.signal;
  }

  /** Call it when something has ended. */
  note(): void {
    if (this.isQuiet()) this.onQuiet();
  }

  /** Resolves when nothing is under way, or `abandonMs` after the abort: some work can't be aborted. */
  async wait(abandonMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.isQuiet()) return;
    const quiet = new Promise<void>((resolve) => {
      this.onQuiet = resolve;
    });
    const patience = setTimeout(() => this.cutOff.abort(), PATIENCE_MS);
    const isBounded = Number.isFinite(abandonMs);
    await (isBounded ? Promise.race([quiet, Bun.sleep(PATIENCE_MS + abandonMs)]) : quiet);
    clearTimeout(patience);
  }
}
