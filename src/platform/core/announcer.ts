import type { Cancel } from './clock.ts';

/** Tells listeners of something that has happened; one that throws does not keep the others from hearing it. */
export class Announcer<Event> {
  private readonly listeners = new Set<(event: Event) => void>();

  constructor(private readonly onFault: (fault: unknown) => void) {}

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
