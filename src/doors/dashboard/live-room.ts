import type { Cancel } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { findAccountOfInbox } from './sql.ts';

/** Most pages open at the same time, for one account and in total. */
const OF_ACCOUNT_MAX = 40;
const IN_ALL_MAX = 1_000;
const INBOXES_KNOWN_MAX = 10_000;

/** A page that is notified of new mail (live.ts). */
interface Page {
  /** Called when there may be something to send. */
  ring(): void;
  end(): void;
}

/** Every open page of an appliance. */
export class LiveRoom {
  private readonly pages = new Map<number, Set<Page>>();
  private readonly accounts = new Map<number, number | null>();
  private open = 0;

  constructor(private readonly services: PlatformServices) {
    services.arrivals.listen(({ inbox_no }) => {
      if (this.open === 0) return;
      for (const page of this.pages.get(this.findAccountNo(inbox_no) ?? -1) ?? []) page.ring();
    });
  }

  enter(accountNo: number, page: Page): Cancel {
    const others = this.pages.get(accountNo) ?? new Set<Page>();
    if (others.size >= OF_ACCOUNT_MAX || this.open >= IN_ALL_MAX) fail('rate_limited', { retryAfterS: 10 });
    this.pages.set(accountNo, others.add(page));
    this.open += 1;
    return () => {
      if (!others.delete(page)) return;
      this.open -= 1;
      if (others.size === 0 && this.pages.get(accountNo) === others) this.pages.delete(accountNo);
    };
  }

  stop(): void {
    for (const pages of [...this.pages.values()]) for (const page of [...pages]) page.end();
  }

  /** Cached: an inbox never changes its account, and its number is never reused. */
  private findAccountNo(inboxNo: number): number | null {
    const known = this.accounts.get(inboxNo);
    if (known !== undefined) return known;
    if (this.accounts.size >= INBOXES_KNOWN_MAX) this.accounts.clear();
    const accountNo = findAccountOfInbox(this.services.store, inboxNo);
    this.accounts.set(inboxNo, accountNo);
    return accountNo;
  }
}
