import { SECOND_US } from './clock.ts';

/** What a caller may know about its limit (docs/api-v1.md, Limits). */
export interface Bucket {
  limit: number;
  remaining: number;
  /** When the window ends, in Unix seconds. */
  resetS: number;
}

interface Window {
  used: number;
  endsUs: number;
}

/** Windows that are kept. A flood of new names drops the oldest instead of growing without bound. */
const WINDOWS_MAX = 200_000;

/**
 * Limits requests in fixed windows. A window starts at the second of its first request (docs/decisions.md, Requests),
 * so headers in whole seconds are exact. Windows are kept in memory: a restart resets them, which the contract
 * allows.
 */
export class Windows {
  private readonly windows = new Map<string, Window>();

  /** Returns what is left for a name, and takes nothing. */
  look(name: string, max: number, windowS: number, nowUs: number): Bucket {
    const open = this.open(name, windowS, nowUs);
    const endsUs = open?.endsUs ?? computeEnd(windowS, nowUs);
    return {
      limit: max,
      remaining: Math.max(0, max - (open?.used ?? 0)),
      resetS: endsUs / SECOND_US,
    };
  }

  /** Takes `amount`, even if less is left: call `look` first. A negative amount is returned to the window. */
  take(name: string, windowS: number, nowUs: number, amount = 1): void {
    const open = this.open(name, windowS, nowUs);
    if (open) {
      open.used += amount;
      // A window that was returned whole must not push others out.
      if (open.used === 0) this.windows.delete(name);
      return;
    }
    this.windows.delete(name);
    if (this.windows.size >= WINDOWS_MAX) this.dropOldest();
    this.windows.set(name, { used: amount, endsUs: computeEnd(windowS, nowUs) });
  }

  private open(name: string, windowS: number, nowUs: number): Window | undefined {
    const found = this.windows.get(name);
    if (!found || found.endsUs <= nowUs) return undefined;
    // It started before the clock was set back, and would refuse its client until the clock is there again.
    return found.endsUs > computeEnd(windowS, nowUs) ? undefined : found;
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
  return (Math.floor(nowUs / SECOND_US) + windowS) * SECOND_US;
}
