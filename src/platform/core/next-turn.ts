/** Lets everything else that waits for the event loop run first. Called between the parts of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Runs something in the event loop's next turn, once, however often it is asked for until then. */
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
