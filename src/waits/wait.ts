import type { Floor } from '../floor.ts';
import type { Condition, Mismatch } from './condition.ts';
import { Feed } from './feed.ts';
import type { Since } from './since.ts';
import type { LookedAt } from './sql.ts';
import { type EndReason, type Waits, waitsOf } from './waits.ts';
import { takeMessageOp } from './writes.ts';

export interface WaitWish {
  inbox_no: number;
  account_no: number;
  condition: Condition;
  since: Since;
  timeout_s: number;
  /** The message returned is marked read, and no other such wait gets it. */
  mark_read: boolean;
}

/** How a wait ended: with a message, or with why there is none. */
export type WaitEnd =
  | { message: LookedAt }
  | {
      message: null;
      why: 'timeout' | 'gone_away' | EndReason;
      arrived: number;
      nearest: readonly Mismatch[] | null;
    };

/**
 * Waits for the first message that matches (contract: Wait). Settles as soon as there is one, at the time-out,
 * when the caller hangs up, when the inbox is deleted, and when the appliance stops.
 */
export function waitForMessage(floor: Floor, wish: WaitWish, hung_up: AbortSignal): Promise<WaitEnd> {
  const waits = waitsOf(floor);
  const { inbox_no, account_no } = wish;
  return new Promise((resolve, reject) => {
    let looking = false;
    let again = false;
    let ended = false;
    const feed = new Feed(
      floor,
      inbox_no,
      wish.condition,
      wish.since,
      { newest_first: true, unread_only: wish.mark_read },
      waits.taken,
    );
    const finish = (settle: () => void) => {
      if (ended) return;
      ended = true;
      leave();
      cancel();
      hung_up.removeEventListener('abort', onHangUp);
      settle();
    };
    const endWith = (why: 'timeout' | 'gone_away' | EndReason) =>
      finish(() => resolve({ message: null, why, arrived: feed.looked_at, nearest: feed.nearest }));
    // One look at a time; a bell that rings meanwhile asks for one more.
    const look = async () => {
      again = true;
      if (looking) return;
      looking = true;
      try {
        while (again && !ended) {
          again = false;
          const message = await take(floor, waits, feed, wish.mark_read, () => ended);
          if (message) finish(() => resolve({ message }));
        }
      } catch (fault) {
        finish(() => reject(fault));
      }
      looking = false;
    };
    const onHangUp = () => endWith('gone_away');
    const leave = waits.enter({ inbox_no, account_no, ring: () => void look(), end: endWith });
    const cancel = floor.clock.after(wish.timeout_s * 1000, () => endWith('timeout'));
    hung_up.addEventListener('abort', onHangUp);
    if (hung_up.aborted) onHangUp();
    else void look();
  });
}

/** The next message of the feed; with mark_read, the next that nobody else took. */
async function take(
  floor: Floor,
  waits: Waits,
  feed: Feed,
  mark_read: boolean,
  hasEnded: () => boolean,
): Promise<LookedAt | null> {
  for (;;) {
    const found = await feed.next();
    if (!found || !mark_read || hasEnded()) return found;
    if (waits.taken.has(found.id)) continue;
    waits.taken.add(found.id);
    try {
      if (await floor.store.write(takeMessageOp, { received_at: found.received_at })) return found;
    } finally {
      waits.taken.delete(found.id);
    }
  }
}
