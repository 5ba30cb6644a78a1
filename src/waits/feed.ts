import type { Floor } from '../floor.ts';
import { type Condition, type Mismatch, mismatches } from './condition.ts';
import type { Since } from './since.ts';
import { isUnread, type LookedAt, lastReceivedAt, messagesAfter, unreadAfter, unreadBefore } from './sql.ts';

/** Rows of the first read, which is mostly the only one, and of each that follows: well under a millisecond. */
const FIRST_ROWS = 8;
const ROWS = 100;
const EVER = Number.MAX_SAFE_INTEGER;

/**
 * The matching messages of an inbox in the order in which they count, from a position on. It keeps no messages:
 * what has arrived is read from the store when the bell rings, so nothing is lost or given twice between what
 * was stored before and what comes after. `next` gives null when there is nothing (more) now.
 */
export class Feed {
  /** How many messages were looked at, and why the nearest of them did not match. */
  looked_at = 0;
  nearest: readonly Mismatch[] | null = null;
  /** Where the backlog ends and what comes begins. */
  readonly start: number;
  /** Everything up to here was read from the store. */
  private position: number;
  /** Unread messages from before the start, which `since=0` asks for; null when none are left in the store. */
  private backlog: { at: number; newest_first: boolean } | null = null;
  /** Read from the store and not looked at yet. */
  private ahead: LookedAt[] = [];
  private rows_wanted = FIRST_ROWS;
  /** Matches that another wait was just taking; it may give them back. */
  private passed: LookedAt[] = [];
  private readonly unread_only: boolean;

  constructor(
    private readonly floor: Floor,
    private readonly inbox_no: number,
    private readonly condition: Condition,
    since: Since,
    options: { newest_first: boolean; unread_only: boolean },
    /** Messages that another wait is just taking. */
    private readonly taken: ReadonlySet<string>,
  ) {
    this.unread_only = options.unread_only;
    if ('after' in since) this.position = since.after;
    else {
      this.position = lastReceivedAt(floor.store);
      const at = options.newest_first ? this.position + 1 : 0;
      this.backlog = { at, newest_first: options.newest_first };
    }
    this.start = this.position;
  }

  /** Whether unread messages from before the start may still have to be looked at. */
  get in_backlog(): boolean {
    const [first] = this.ahead;
    return this.backlog !== null || (first !== undefined && first.received_at <= this.start);
  }

  async next(): Promise<LookedAt | null> {
    for (let reads = 0; ; reads++) {
      const found = this.givenBack() ?? this.firstFit();
      if (found) return found;
      // Many that do not match: the others get their turn.
      if (reads > 1) await new Promise<void>((resolve) => setImmediate(resolve));
      if (!this.readOn()) return null;
    }
  }

  /** Somebody else is taking this one: it counts again when they give it back. */
  passOver(row: LookedAt): void {
    this.passed.push(row);
  }

  private givenBack(): LookedAt | null {
    for (const row of this.passed) {
      if (this.taken.has(row.id)) continue;
      this.passed = this.passed.filter((other) => other !== row);
      if (isUnread(this.floor.store, row.received_at)) return row;
    }
    return null;
  }

  private firstFit(): LookedAt | null {
    for (let row = this.ahead.shift(); row; row = this.ahead.shift()) {
      if (this.fits(row)) return row;
    }
    return null;
  }

  /** Reads the next rows; false when there are none now. */
  private readOn(): boolean {
    const { backlog } = this;
    const rows = backlog
      ? this.backlogRows(backlog)
      : messagesAfter(this.floor.store, this.inbox_no, this.position, EVER, this.rows_wanted);
    const last = rows.at(-1)?.received_at;
    if (last !== undefined && backlog) backlog.at = last;
    else if (last !== undefined) this.position = last;
    this.ahead = rows;
    const backlog_ends = backlog !== null && rows.length < this.rows_wanted;
    this.rows_wanted = ROWS;
    if (backlog_ends) this.backlog = null;
    return rows.length > 0 || backlog_ends;
  }

  private backlogRows({ at, newest_first }: { at: number; newest_first: boolean }): LookedAt[] {
    const { store } = this.floor;
    return newest_first
      ? unreadBefore(store, this.inbox_no, at, this.rows_wanted)
      : unreadAfter(store, this.inbox_no, at, this.start, this.rows_wanted);
  }

  private fits(row: LookedAt): boolean {
    this.looked_at += 1;
    const why_not = mismatches(this.condition, row);
    if (why_not.length > 0) {
      if (!this.nearest || why_not.length <= this.nearest.length) this.nearest = why_not;
      return false;
    }
    if (!this.unread_only) return true;
    if (row.read_at !== null) return false;
    if (!this.taken.has(row.id)) return true;
    this.passOver(row);
    return false;
  }
}
