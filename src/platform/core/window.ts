/** What a caller may know about its bucket (docs/api-v1.md, Limits). */
export interface Bucket {
  limit: number;
  remaining: number;
  /** End of the window, Unix seconds. */
  resetS: number;
}

interface Window {
  used: number;
  endsUs: number;
}

/** Buckets kept: a flood of new names drops the oldest instead of growing without bound. */
const WINDOWS_MAX = 200_000;

/**
 * Fixed windows that start at the second of their first request (docs/decisions.md, Requests), so that headers in
 * whole seconds are exact. Kept in memory: a restart resets them, which the contract allows.
 */
export class Windows {
  private readonly windows = new Map<string, Window>();

  /** What is left for a name; takes nothing. */
  look(name: string, max: number, windowS: number, nowUs: number): Bucket {
    const open = this.open(name, nowUs);
    const endsUs = open?.endsUs ?? computeEnd(windowS, nowUs);
    return {
      limit: max,
      remaining: Math.max(0, max - (open?.used ?? 0)),
      resetS: endsUs / 1_000_000,
    };
  }

  /** Takes `amount` without checking that it is left: call `look` first. A negative amount gives back. */
  take(name: string, windowS: number, nowUs: number, amount = 1): void {
    const open = this.open(name, nowUs);
    if (open) {
      open.used += amount;
      // What was given back must not push others out.
      if (open.used === 0) this.windows.delete(name);
      return;
    }
    this.windows.delete(name);
    if (this.windows.size >= WINDOWS_MAX) this.dropOldest();
    this.windows.set(name, { used: amount, endsUs: computeEnd(windowS, nowUs) });
  }

  private open(name: string, nowUs: number): Window | undefined {
    const found = this.windows.get(name);
    return found && found.endsUs > nowUs ? found : undefined;
  }

  /** A Map keeps insertion order, so the first windows started first. */
  private dropOldest(): void {
    let dropped = 0;
    for (const name of this.windows.keys()) {
      this.windows.delete(name);
      if (++dropped === WINDOWS_MAX / 100) return;
    }
  }
}

function computeEnd(windowS: number, nowUs: number): number {
  return (Math.floor(nowUs / 1_000_000) + windowS) * 1_000_000;
}
