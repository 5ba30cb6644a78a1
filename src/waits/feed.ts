import type { Floor } from '../floor.ts';
import { type Condition, type Mismatch, mismatches } from './condition.ts';
import type { Since } from './since.ts';
import { type LookedAt, lastReceivedAt, messagesAfter, unreadAfter, unreadBefore } from './sql.ts';

/** Messages looked at in one turn of the event loop: well under a millisecond. */
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
  /** Everything up to here was looked at. */
  private position: number;
  /** Unread messages from before the start, which `since=0` asks for; null when there are none left. */
  private backlog: { at: number; newest_first: boolean } | null = null;

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

  private readonly unread_only: boolean;
  /** Where the backlog ends and what comes begins. */
  readonly start: number;

  async next(): Promise<LookedAt | null> {
    for (;;) {
      const rows = this.backlog ? this.backlogRows(this.backlog) : this.rows();
      for (const row of rows) {
        this.advance(row.received_at);
        if (this.fits(row)) return row;
      }
      if (rows.length === ROWS) await new Promise<void>((resolve) => setImmediate(resolve));
      else if (this.backlog) this.backlog = null;
      else return null;
    }
  }

  private rows(): LookedAt[] {
    return messagesAfter(this.floor.store, this.inbox_no, this.position, EVER, ROWS);
  }

  private backlogRows({ at, newest_first }: { at: number; newest_first: boolean }): LookedAt[] {
    const { store } = this.floor;
    return newest_first
      ? unreadBefore(store, this.inbox_no, at, ROWS)
      : unreadAfter(store, this.inbox_no, at, this.start, ROWS);
  }

  private advance(received_at: number): void {
    if (this.backlog) this.backlog.at = received_at;
    else this.position = received_at;
  }

  private fits(row: LookedAt): boolean {
    this.looked_at += 1;
    const why_not = mismatches(this.condition, row);
    if (why_not.length === 0) return !(this.unread_only && (row.read_at !== null || this.taken.has(row.id)));
    if (!this.nearest || why_not.length <= this.nearest.length) this.nearest = why_not;
    return false;
  }
}
