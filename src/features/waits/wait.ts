import type { Cancel } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import type { Condition, Mismatch } from './condition.ts';
import { Feed } from './feed.ts';
import type { Since } from './since.ts';
import type { Scope, WaitCandidate } from './sql.ts';
import type { EndReason, WaitServices, Waits } from './waits.ts';
import { type ClaimKey, claimMessageOp, hasClaimed, releaseClaimOp, repeatClaimOp } from './writes.ts';

export interface WaitRequest<Shown> {
  scope: Scope;
  condition: Condition;
  since: Since;
  timeoutS: number;
  /** Whether to mark the returned message read. No other wait that does so returns it. */
  mark_read: boolean;
  /** With mark_read: a repeat of the request gets the message that an earlier one claimed. */
  once: ClaimKey;
  /** Returns the message as the client gets it, or null if it was erased meanwhile. */
  show: (messageId: string) => Shown | null;
}

const CLAIMED_IS_GONE = 'The message that was claimed under this Idempotency-Key is deleted.';

type WhyNot = 'timeout' | 'gone_away' | EndReason;

/** How a wait ended: with a message, or with the reason why there is none. */
export type WaitEnd<Shown> = {
  /** The `since` for the next wait, so that it misses nothing and returns nothing twice. */
  since: string;
} & (
  | { message: Shown }
  | { message: null; why: WhyNot; arrived: number; nearest: readonly Mismatch[] | null }
);

/**
 * Waits for the first message that matches (docs/api-v1.md, Wait). Resolves when one is found, at the time-out, when
 * the client disconnects, when the inbox or the account is deleted, and when the server stops.
 */
export function waitForMessage<Shown>(
  services: WaitServices,
  request: WaitRequest<Shown>,
  hungUp: AbortSignal,
): Promise<WaitEnd<Shown>> {
  return new Waiting(services, request, hungUp).result.promise;
}

/** Returns what a wait would return now, without waiting or marking anything. */
export async function peekForMessage<Shown>(
  services: WaitServices,
  request: WaitRequest<Shown>,
): Promise<WaitEnd<Shown>> {
  const { scope, condition, since, show } = request;
  const order = { newestFirst: true, unreadOnly: false };
  const feed = new Feed(services, scope, condition, since, order, services.waits.beingClaimed);
  for (let found = await feed.next(); found; found = await feed.next()) {
    const message = show(found.id);
    if (message !== null) return { message, since: feed.sinceBefore(found) };
  }
  return { message: null, why: 'timeout', ...describeMisses(feed), since: feed.sinceAfter(null) };
}

/** Returns how many messages arrived without matching, and why the closest did not. */
function describeMisses(feed: Feed): { arrived: number; nearest: readonly Mismatch[] | null } {
  const unproven = feed.countUnproven();
  const nearest = feed.nearest ?? (unproven > 0 ? (['unauthenticated'] as const) : null);
  return { arrived: feed.compared + unproven, nearest };
}

class Waiting<Shown> {
  readonly result = Promise.withResolvers<WaitEnd<Shown>>();
  private readonly waits: Waits;
  private readonly feed: Feed;
  private readonly leave: Cancel;
  private readonly cancelTimeout: Cancel;
  private leaveRepeats: Cancel = () => {};
  private looking = false;
  private again = false;
  private ended = false;
  /** Whether a message is being marked read for this wait. */
  private claiming = false;
  /** When new mail woke this wait; null once it has looked for a match. */
  private rungMs: number | null = null;
  /** Why the wait ends as soon as the pending claim settles: a claimed message must not be lost. */
  private due: WhyNot | null = null;

  constructor(
    private readonly services: WaitServices,
    private readonly request: WaitRequest<Shown>,
    private readonly hungUp: AbortSignal,
  ) {
    this.waits = services.waits;
    const { scope, condition, since, timeoutS } = request;
    const order = { newestFirst: true, unreadOnly: request.mark_read };
    this.feed = new Feed(services, scope, condition, since, order, this.waits.beingClaimed);
    this.leave = this.waits.enter({
      scope,
      ring: (released) => {
        if (released) this.feed.offer(released);
        this.rungMs ??= performance.now();
        void this.look();
      },
      end: (reason) => this.endFor(reason),
    });
    this.cancelTimeout = services.clock.after(timeoutS * 1000, () => this.endFor('timeout'));
    hungUp.addEventListener('abort', this.onHangUp);
    const { once } = request;
    if (once) this.leaveRepeats = this.waits.enterRepeats(nameKey(once), this.lookAgain);
    if (hungUp.aborted) this.onHangUp();
    else void this.look();
  }

  private readonly onHangUp = () => this.endFor('gone_away');
  private readonly lookAgain = () => void this.look();

  /** Looks for a match, one look at a time. A bell that rings during a look triggers another one. */
  private async look(): Promise<void> {
    this.again = true;
    if (this.looking) return;
    this.looking = true;
    try {
      while (this.again && !this.ended) {
        this.again = false;
        if (!(await this.repeatEarlier())) await this.answerNext();
        if (this.ended) break;
        if (this.due) this.endFor(this.due);
        else if (!this.again) this.rungMs = null;
      }
    } catch (fault) {
      this.finish(() => this.result.reject(fault));
    }
    this.looking = false;
  }

  /** @param found Null for a message that an earlier request claimed. */
  private answer(message: Shown, found: WaitCandidate | null): void {
    const { rungMs } = this;
    const since = this.feed.sinceAfter(found);
    if (rungMs !== null)
      this.services.meters.observe('wait_wake_seconds', (performance.now() - rungMs) / 1000);
    this.finish(() => this.result.resolve({ message, since }));
  }

  /**
   * Answers with the message that an earlier request with the same Idempotency-Key claimed. Returns false if there is
   * none.
   */
  private async repeatEarlier(): Promise<boolean> {
    const { services, request } = this;
    const { once } = request;
    if (!once || !hasClaimed(services.store, once, services.clock.nowUs())) return false;
    this.claiming = true;
    try {
      // Asks the writer, which may be releasing it right now.
      const id = await services.store.write(repeatClaimOp, { once });
      if (id === null) return false;
      const isAnswered = await this.answerClaimed(id, null);
      // A key never claims a second message: the first may have reached the client, which has deleted it.
      if (!isAnswered && !this.ended && !this.due) fail('conflict', { text: CLAIMED_IS_GONE });
      return isAnswered;
    } finally {
      this.claiming = false;
    }
  }

  /** Answers with the feed's next message; with mark_read, with the next one that this wait can claim. */
  private async answerNext(): Promise<void> {
    while (!this.due) {
      const found = await this.feed.next();
      if (!found || this.ended) return;
      // Claim only what can be shown, and show it as it is after the claim.
      const message = this.request.show(found.id);
      if (message === null) continue;
      if (!this.request.mark_read) return this.answer(message, found);
      await this.claim(found);
      // Another request with the same key, which is still under way, may have claimed a message.
      if (this.ended || (this.request.once && this.again)) return;
    }
  }

  private async claim(found: WaitCandidate): Promise<void> {
    const { services, request, waits } = this;
    const { once } = request;
    const { id, received_at } = found;
    if (waits.beingClaimed.has(id)) return this.feed.skip(found);
    waits.beingClaimed.add(id);
    this.claiming = true;
    let isAnswered = false;
    try {
      if (await services.store.write(claimMessageOp, { id, received_at, once })) {
        isAnswered = await this.answerClaimed(id, found);
        if (isAnswered && once) waits.ringRepeats(nameKey(once));
      } else if (once) {
        // It is the next choice, in case the message that was claimed with this key is released.
        this.feed.skip(found);
        this.again = true;
      }
    } finally {
      this.claiming = false;
      waits.beingClaimed.delete(id);
      if (!isAnswered) waits.ring({ ...found, account_no: request.scope.account_no });
    }
  }

  /**
   * Answers with a message that this wait has claimed. If the client is gone or may no longer see it, releases it and
   * returns false.
   */
  private async answerClaimed(id: string, found: WaitCandidate | null): Promise<boolean> {
    const { services, request, waits } = this;
    let shown: Shown | null = null;
    try {
      if (!this.ended) shown = request.show(id);
    } finally {
      if (shown === null) {
        const { scope, once } = request;
        const { account_no } = scope;
        const released = await services.store.write(releaseClaimOp, { account_no, id, once });
        if (released) waits.ring({ ...released, account_no }, released);
      }
    }
    if (shown !== null) this.answer(shown, found);
    return shown !== null;
  }

  private endFor(why: WhyNot): void {
    if (this.claiming && why !== 'gone_away') {
      this.due = why;
      return;
    }
    const misses = describeMisses(this.feed);
    const since = this.feed.sinceAfter(null);
    this.finish(() => this.result.resolve({ message: null, why, ...misses, since }));
  }

  private finish(settle: () => void): void {
    if (this.ended) return;
    this.ended = true;
    this.leave();
    this.cancelTimeout();
    this.hungUp.removeEventListener('abort', this.onHangUp);
    this.leaveRepeats();
    settle();
  }
}

function nameKey({ scope, key }: NonNullable<ClaimKey>): string {
  return `${scope} ${key}`;
}
