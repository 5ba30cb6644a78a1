/** Resolves in the next turn of the event loop. Long work awaits it between its parts, so that other work can run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs something once in the next turn of the event loop, however often it is asked to until then. */
export class OncePerTurn {
  private isAsked = false;

  constructor(private readonly run: () => void) {}

  get isPending(): boolean {
    return this.isAsked;
  }

  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    setImmediate(() => {
      this.isAsked = false;
      this.run();
    });
  }
}
