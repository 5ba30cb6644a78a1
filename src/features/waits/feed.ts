import { isoTime } from '../../platform/core/clock.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { readSubAddress } from '../../platform/mail/address.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Condition, findMismatches, type Mismatch } from './condition.ts';
import type { Since } from './since.ts';
import {
  isUnread,
  readAfter,
  readLastTimeOf,
  readProvenAfter,
  readUnreadAfter,
  readUnreadBefore,
  type Scope,
  type WaitCandidate,
} from './sql.ts';

/** Rows of the first read, which is usually the only one, and of later reads. Each takes well under a millisecond. */
const FIRST_ROWS = 8;
const ROWS = 100;
/** The `since` that also matches unread messages that are already there. */
const UNSEEN = '0';

/**
 * The matching messages of a scope from a position on, in the order in which they count. The feed keeps no messages:
 * when new mail is announced, it reads from the store, so nothing is lost or returned twice between the backlog and new
 * mail. `next` returns null when there is nothing more for now.
 *
 * With the condition `authenticated`, a message counts from the moment when its From is found to be authentic. New
 * messages are then read in the order of those moments, which come from the same sequence as the times of arrival. In
 * order of arrival, a message whose check takes long would either be missed by a client that continues with the next
 * `since`, or hold up the messages after it, as often as a stranger likes.
 */
export class Feed {
  /** How many messages were compared with the condition. */
  compared = 0;
  /** Why the closest of them did not match; null if there were none. */
  nearest: readonly Mismatch[] | null = null;
  /** Where the backlog ends and new mail begins. */
  readonly start: number;
  /** Everything up to this time has been read from the store. */
  private position: number;
  /** Everything from the start up to this time has been compared. */
  private comparedTo: number;
  /** Where to continue with unread messages from before the start, for `since=0`; null if none are left. */
  private backlog: { at: number; newestFirst: boolean } | null = null;
  /** Messages that were read from the store but not compared yet. */
  private ahead: WaitCandidate[] = [];
  private rowsWanted = FIRST_ROWS;
  /** Matches that were skipped because another wait is claiming them. It may release them again. */
  private skipped: WaitCandidate[] = [];
  private readonly unreadOnly: boolean;
  /** Messages up to this time never count. */
  private readonly after: number;

  constructor(
    private readonly services: PlatformServices,
    private readonly scope: Scope,
    private readonly condition: Condition,
    since: Since,
    options: { newestFirst: boolean; unreadOnly: boolean },
    /** The ids of messages that another wait is claiming. */
    private readonly beingClaimed: ReadonlySet<string>,
  ) {
    this.unreadOnly = options.unreadOnly;
    this.after = 'after' in since ? since.after : 0;
    if ('after' in since) this.position = since.after;
    else {
      this.position = readLastTimeOf(services.store, scope.account_no);
      const at = options.newestFirst ? this.position + 1 : 0;
      this.backlog = { at, newestFirst: options.newestFirst };
    }
    this.start = this.position;
    this.comparedTo = this.position;
  }

  /** Whether there may be unread messages from before the start that are not compared yet. */
  get inBacklog(): boolean {
    const [first] = this.ahead;
    return this.backlog !== null || (first !== undefined && this.readTime(first) <= this.start);
  }

  /**
   * Returns the `since` with which a client continues, so that it misses nothing and gets nothing twice.
   * @param returned The message that it got; null for none.
   */
  sinceAfter(returned: WaitCandidate | null): string {
    if (returned !== null && this.readTime(returned) <= this.start) {
      // There may be older unread messages. A client that marks messages read gets those next; any other wants new
      // mail.
      return this.unreadOnly ? UNSEEN : isoTime(this.start);
    }
    let upTo = this.comparedTo;
    // The claim of a skipped message may be undone. If it isn't, the message is read, and `since=0` does not return it.
    for (const row of this.skipped) upTo = Math.min(upTo, this.readTime(row) - 1);
    const isUnseen = upTo < this.start || (returned === null && this.inBacklog);
    return isUnseen ? UNSEEN : isoTime(upTo);
  }

  /** Returns the `since` with which a client that only knows of a message (HEAD) gets it. */
  sinceBefore(row: WaitCandidate): string {
    const at = this.readTime(row);
    return at <= this.start ? UNSEEN : isoTime(at - 1);
  }

  /** Counts the messages since the start whose From has not been found to be authentic, or not yet. */
  countUnproven(): number {
    if (!this.condition.authenticated) return 0;
    const rows = readAfter(this.services.store, this.scope, this.start, ROWS);
    return rows.filter(({ proven_at }) => proven_at === null).length;
  }

  /** Returns the next matching message, or null if there is none for now. */
  async next(): Promise<WaitCandidate | null> {
    for (let reads = 0; ; reads++) {
      const found = this.takeReleased() ?? this.takeMatching();
      if (found) return found;
      // There are many messages without a match: let other work run.
      if (reads > 1) await nextTurn();
      if (!this.readMore()) return null;
    }
  }

  /** Skips a message that another wait is claiming. `next` returns it if that wait releases it. */
  skip(row: WaitCandidate): void {
    this.skipped.push(row);
  }

  /**
   * Offers a message whose claim was undone. `next` returns it, also if this feed never saw it while it was claimed.
   */
  offer(row: WaitCandidate): void {
    const isKnown = this.skipped.some(({ id }) => id === row.id);
    if (!this.unreadOnly || isKnown || this.readTime(row) <= this.after) return;
    if (findMismatches(this.condition, row).length === 0) this.skip(row);
  }

  private takeReleased(): WaitCandidate | null {
    for (const row of this.skipped) {
      if (this.beingClaimed.has(row.id)) continue;
      this.skipped = this.skipped.filter((other) => other !== row);
      if (isUnread(this.services.store, row.received_at)) return row;
    }
    return null;
  }

  private takeMatching(): WaitCandidate | null {
    for (let row = this.ahead.shift(); row; row = this.ahead.shift()) {
      const at = this.readTime(row);
      if (at > this.start) this.comparedTo = at;
      if (this.matches(row)) return row;
    }
    return null;
  }

  /** Reads the next rows. Returns false if there are none for now. */
  private readMore(): boolean {
    const { backlog } = this;
    const rows = backlog ? this.readBacklog(backlog) : this.readNew();
    const last = rows.at(-1);
    if (last && backlog) backlog.at = last.received_at;
    else if (last) this.position = this.readTime(last);
    this.ahead = rows.filter((row) => this.isInScope(row, backlog !== null));
    const backlogEnds = backlog !== null && rows.length < this.rowsWanted;
    this.rowsWanted = ROWS;
    if (backlogEnds) this.backlog = null;
    return rows.length > 0 || backlogEnds;
  }

  private readNew(): WaitCandidate[] {
    const { condition, services, scope, position, rowsWanted } = this;
    const read = condition.authenticated ? readProvenAfter : readAfter;
    return read(services.store, scope, position, rowsWanted);
  }

  /** The time from which a message counts; 0 while it does not. */
  private readTime({ received_at, proven_at }: WaitCandidate): number {
    return this.condition.authenticated ? (proven_at ?? 0) : received_at;
  }

  /** With `authenticated`, the rows that are read are those of the whole inbox, and some of the backlog come again. */
  private isInScope(row: WaitCandidate, isBacklog: boolean): boolean {
    if (!this.condition.authenticated) return true;
    if (isBacklog) return this.readTime(row) <= this.start;
    const { scope } = this;
    if (scope.inbox_no === null || scope.recipient === null) return true;
    const to = readSubAddress(row.envelope_recipient)?.local;
    return to?.toLowerCase() === scope.recipient.toLowerCase();
  }

  private readBacklog({ at, newestFirst }: { at: number; newestFirst: boolean }): WaitCandidate[] {
    const { store } = this.services;
    return newestFirst
      ? readUnreadBefore(store, this.scope, at, this.rowsWanted)
      : readUnreadAfter(store, this.scope, at, this.start, this.rowsWanted);
  }

  private matches(row: WaitCandidate): boolean {
    this.compared += 1;
    const mismatches = findMismatches(this.condition, row);
    if (mismatches.length > 0) {
      if (!this.nearest || mismatches.length <= this.nearest.length) this.nearest = mismatches;
      return false;
    }
    if (!this.unreadOnly) return true;
    if (row.read_at !== null) return false;
    if (!this.beingClaimed.has(row.id)) return true;
    this.skip(row);
    return false;
  }
}
