import type { Cancel } from './clock.ts';

/** Notifies listeners of events. If one throws, the others are still called. */
export class Announcer<Event> {
  private readonly listeners = new Set<(event: Event) => void>();

  constructor(private readonly onFault: (fault: unknown) => void) {}

  /** Adds a listener, and returns a function that removes it. */
  listen(listener: (event: Event) => void): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  announce(event: Event): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (fault) {
        this.onFault(fault);
      }
    }
  }
}
