import { isoTime } from '../../platform/core/clock.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { readSubAddress } from '../../platform/mail/address.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Condition, findMismatches, type Mismatch } from './condition.ts';
import type { Since } from './since.ts';
import {
  isUnread,
  type LookedAt,
  readAfter,
  readLastTimeOf,
  readProvenAfter,
  readUnreadAfter,
  readUnreadBefore,
  type Scope,
} from './sql.ts';

/** Rows of the first read, usually the only one, and of later ones. Each takes well under a millisecond. */
const FIRST_ROWS = 8;
const ROWS = 100;
/** The `since` that asks for what is unread. */
const UNSEEN = '0';

/**
 * The matching messages of a scope from a position on, in the order in which they count. The feed keeps no messages:
 * it reads new ones from the store when the bell rings, so nothing is lost or returned twice between the backlog and
 * new mail. `next` returns null when there is nothing more for now.
 *
 * With the condition `authenticated`, a message counts from the moment its From was found to be authentic, and new ones
 * are read in the order of those moments, which come from the same sequence as the times of arrival. In order of
 * arrival, a message whose check takes long would either be missed by a client that continues with the next `since`, or
 * hold up those behind it, as often as a stranger likes.
 */
export class Feed {
  /** How many messages were checked, and why the closest one did not match. */
  lookedAt = 0;
  nearest: readonly Mismatch[] | null = null;
  /** Where the backlog ends and new mail begins. */
  readonly start: number;
  /** Everything up to this time has been read from the store. */
  private position: number;
  /** Everything from the start up to this time has been checked. */
  private seenTo: number;
  /** Where to continue with unread messages from before the start, for `since=0`; null when none are left. */
  private backlog: { at: number; newestFirst: boolean } | null = null;
  /** Read from the store but not yet checked. */
  private ahead: LookedAt[] = [];
  private rowsWanted = FIRST_ROWS;
  /** Matches that another wait is claiming, which it may release again. */
  private passed: LookedAt[] = [];
  private readonly unreadOnly: boolean;
  /** What was received up to this time never counts. */
  private readonly after: number;

  constructor(
    private readonly services: PlatformServices,
    private readonly scope: Scope,
    private readonly condition: Condition,
    since: Since,
    options: { newestFirst: boolean; unreadOnly: boolean },
    /** Messages that another wait is claiming. */
    private readonly taken: ReadonlySet<string>,
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
    this.seenTo = this.position;
  }

  /** Whether unread messages from before the start may still have to be checked. */
  get inBacklog(): boolean {
    const [first] = this.ahead;
    return this.backlog !== null || (first !== undefined && this.readTime(first) <= this.start);
  }

  /**
   * The `since` with which a client that was given this message (null: none) continues, so that nothing is lost and
   * nothing is given twice.
   */
  sinceAfter(given: LookedAt | null): string {
    if (given !== null && this.readTime(given) <= this.start) {
      // Older unread messages may be left. A client that marks its messages read gets those next; others want new mail.
      return this.unreadOnly ? UNSEEN : isoTime(this.start);
    }
    let upTo = this.seenTo;
    // A claim may be undone. If it isn't, the message is read by then, and `since=0` does not return it.
    for (const row of this.passed) upTo = Math.min(upTo, this.readTime(row) - 1);
    const isUnseen = upTo < this.start || (given === null && this.inBacklog);
    return isUnseen ? UNSEEN : isoTime(upTo);
  }

  /** The same for a client that was told of the message but not given it. */
  sinceBefore(row: LookedAt): string {
    const at = this.readTime(row);
    return at <= this.start ? UNSEEN : isoTime(at - 1);
  }

  /** The messages that arrived since the start, and whose From is not, or not yet, found to be authentic. */
  countUnproven(): number {
    if (!this.condition.authenticated) return 0;
    const rows = readAfter(this.services.store, this.scope, this.start, ROWS);
    return rows.filter(({ proven_at }) => proven_at === null).length;
  }

  async next(): Promise<LookedAt | null> {
    for (let reads = 0; ; reads++) {
      const found = this.givenBack() ?? this.firstFit();
      if (found) return found;
      // Many messages without a match: let other work run.
      if (reads > 1) await nextTurn();
      if (!this.readOn()) return null;
    }
  }

  /** Another wait is claiming this message. It is offered again if that wait releases it. */
  passOver(row: LookedAt): void {
    this.passed.push(row);
  }

  /**
   * A claim was undone. If this feed passed the message over, or did not see it while it was claimed, it returns it
   * now.
   */
  offer(row: LookedAt): void {
    const isKnown = this.passed.some(({ id }) => id === row.id);
    if (!this.unreadOnly || isKnown || this.readTime(row) <= this.after) return;
    if (findMismatches(this.condition, row).length === 0) this.passOver(row);
  }

  private givenBack(): LookedAt | null {
    for (const row of this.passed) {
      if (this.taken.has(row.id)) continue;
      this.passed = this.passed.filter((other) => other !== row);
      if (isUnread(this.services.store, row.received_at)) return row;
    }
    return null;
  }

  private firstFit(): LookedAt | null {
    for (let row = this.ahead.shift(); row; row = this.ahead.shift()) {
      const at = this.readTime(row);
      if (at > this.start) this.seenTo = at;
      if (this.fits(row)) return row;
    }
    return null;
  }

  /** Reads the next rows. Returns false when there are none for now. */
  private readOn(): boolean {
    const { backlog } = this;
    const rows = backlog ? this.backlogRows(backlog) : this.newRows();
    const last = rows.at(-1);
    if (last && backlog) backlog.at = last.received_at;
    else if (last) this.position = this.readTime(last);
    this.ahead = rows.filter((row) => this.isInScope(row, backlog !== null));
    const backlogEnds = backlog !== null && rows.length < this.rowsWanted;
    this.rowsWanted = ROWS;
    if (backlogEnds) this.backlog = null;
    return rows.length > 0 || backlogEnds;
  }

  private newRows(): LookedAt[] {
    const { condition, services, scope, position, rowsWanted } = this;
    const read = condition.authenticated ? readProvenAfter : readAfter;
    return read(services.store, scope, position, rowsWanted);
  }

  /** When a message counts from; 0 while it does not. */
  private readTime({ received_at, proven_at }: LookedAt): number {
    return this.condition.authenticated ? (proven_at ?? 0) : received_at;
  }

  /** In the order of the verdicts, rows are those of the whole inbox, and some of the backlog come again. */
  private isInScope(row: LookedAt, isBacklog: boolean): boolean {
    if (!this.condition.authenticated) return true;
    if (isBacklog) return this.readTime(row) <= this.start;
    const { scope } = this;
    if (scope.inbox_no === null || scope.recipient === null) return true;
    const to = readSubAddress(row.envelope_recipient)?.local;
    return to?.toLowerCase() === scope.recipient.toLowerCase();
  }

  private backlogRows({ at, newestFirst }: { at: number; newestFirst: boolean }): LookedAt[] {
    const { store } = this.services;
    return newestFirst
      ? readUnreadBefore(store, this.scope, at, this.rowsWanted)
      : readUnreadAfter(store, this.scope, at, this.start, this.rowsWanted);
  }

  private fits(row: LookedAt): boolean {
    this.lookedAt += 1;
    const whyNot = findMismatches(this.condition, row);
    if (whyNot.length > 0) {
      if (!this.nearest || whyNot.length <= this.nearest.length) this.nearest = whyNot;
      return false;
    }
    if (!this.unreadOnly) return true;
    if (row.read_at !== null) return false;
    if (!this.taken.has(row.id)) return true;
    this.passOver(row);
    return false;
  }
}
