/** What a caller may know of its bucket (contract: X-RateLimit-*). */
export interface Bucket {
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetS: number;
}

interface Window {
  used: number;
  endsUs: number;
}

/** Buckets kept at most; a flood of new names drops the oldest ones rather than grow without bound. */
const WINDOWS_MAX = 200_000;

/**
 * Fixed windows anchored at the second of the first request in them (decisions.md, Requests), so that what the
 * headers tell in whole seconds is exact.
 * Held in memory: a restart forgives, which no rule forbids for these.
 */
export class Windows {
  private readonly windows = new Map<string, Window>();

  /** What is left for a name now; nothing is taken. */
  look(name: string, max: number, windowS: number, nowUs: number): Bucket {
    const open = this.open(name, nowUs);
    const endsUs = open?.endsUs ?? endOf(windowS, nowUs);
    return {
      limit: max,
      remaining: Math.max(0, max - (open?.used ?? 0)),
      resetS: endsUs / 1_000_000,
    };
  }

  /** Takes `amount` from the bucket whether or not it is there: ask `look` first. */
  take(name: string, windowS: number, nowUs: number, amount = 1): void {
    const open = this.open(name, nowUs);
    if (open) {
      open.used += amount;
      return;
    }
    this.windows.delete(name);
    if (this.windows.size >= WINDOWS_MAX) this.dropOldest();
    this.windows.set(name, { used: amount, endsUs: endOf(windowS, nowUs) });
  }

  private open(name: string, nowUs: number): Window | undefined {
    const found = this.windows.get(name);
    return found && found.endsUs > nowUs ? found : undefined;
  }

  /** A map keeps the order of insertion, so the first ones began first. */
  private dropOldest(): void {
    let dropped = 0;
    for (const name of this.windows.keys()) {
      this.windows.delete(name);
      if (++dropped === WINDOWS_MAX / 100) return;
    }
  }
}

function endOf(windowS: number, nowUs: number): number {
  return (Math.floor(nowUs / 1_000_000) + windowS) * 1_000_000;
}
