/**
 * Bounds unfinished mail in memory with one budget for all connections (`smtp_unfinished_max_size`). It stops
 * hundreds of connections that each send a few megabytes and never finish from using up all memory.
 *
 * - It counts what came from sockets and is neither on the disk nor complete: pieces of mails, and bytes waiting
 *   behind a command. Nothing else buffers: a connection above its share isn't read (doors/smtp/connections.ts), so
 *   the rest stays in the kernel and with the sender.
 * - When the budget is used up, no connection is read until a quarter of it is free again. Then all are, the least
 *   recently read first, and those whose mail is small so far in turn with the others: a mail of a few kilobytes must
 *   not wait until half a megabyte has been read from each of hundreds.
 * - It can't deadlock. Mails that stay in memory have at most half the budget between them, and go to the disk when it
 *   is used up. Everything else counted is being written to the disk or waits for a reply, so it is released without
 *   further input. A complete mail no longer counts: storing it needs nothing from this budget.
 * - Complete mails that went to the disk early have a count of their own: while they use less than half the budget, a
 *   small one is read back and parsed in the lane for small mails.
 */
import { parsing } from '../../rules/parsing.ts';

/** A connection with more bytes in memory is not read until some are gone: as much as one write to the disk. */
const CONNECTION_BYTES_MAX = 256 * 1024;
/**
 * The same for bytes that wait behind a command or a mail without a reply. A client beyond it has sent more commands
 * than are useful, and node:net would buffer another half megabyte uncounted.
 */
const WAITING_BYTES_MAX = 16 * 1024;
/** A mail counts as small until it is larger than this. */
const SMALL_BYTES_MAX = 256 * 1024;
/** Once full, the budget counts as full until no more than this share is used. */
const LOW_SHARE = 0.75;

/** A connection, from which reading can be stopped and resumed. */
interface Source {
  hold(): void;
  release(): void;
}

export class UnspooledBudget {
  /** The tallies of open connections; the most recently read is last. */
  private readonly tallies = new Set<Tally>();
  private usedBytes = 0;
  private isFull = false;
  private mailsInProgress = 0;
  private completeBytes = 0;

  /** @param onFull called each time the budget is used up */
  constructor(
    private readonly maxBytes: number,
    private readonly onFull: () => void = () => {},
  ) {}

  get used(): number {
    return this.usedBytes;
  }

  open(source: Source): Tally {
    const tally = new Tally(this, source);
    this.tallies.add(tally);
    return tally;
  }

  /** How much of a mail may stay in memory: less when many are in progress, so that they share half the budget. */
  get memoryBytesOfMail(): number {
    return Math.min(
      parsing.memoryBytesMax,
      Math.floor(this.maxBytes / 2 / Math.max(1, this.mailsInProgress)),
    );
  }

  /** Whether a complete mail of this size may be read back from the disk. */
  mayReadBack(bytes: number): boolean {
    return bytes <= parsing.memoryBytesMax && this.completeBytes + bytes <= this.maxBytes / 2;
  }

  /** Counts a complete mail in memory until the returned function is called. */
  keepComplete(bytes: number): () => void {
    this.completeBytes += bytes;
    return () => {
      this.completeBytes -= bytes;
    };
  }

  countMails(more: 1 | -1): void {
    this.mailsInProgress += more;
  }

  count(tally: Tally, bytes: number): void {
    this.usedBytes += bytes;
    if (bytes > 0) {
      this.tallies.delete(tally);
      this.tallies.add(tally);
      if (!this.isFull && this.usedBytes >= this.maxBytes) this.fill();
      else if (this.isFull) tally.holdForAll();
    } else if (this.isFull && this.usedBytes <= this.maxBytes * LOW_SHARE) {
      this.isFull = false;
      this.releaseInTurns();
    }
  }

  /** Resumes all. The system reads ready sockets in the order of their release. */
  private releaseInTurns(): void {
    const small = [...this.tallies].filter(({ isSmall }) => isSmall);
    const large = [...this.tallies].filter(({ isSmall }) => !isSmall);
    for (let turn = 0; turn < Math.max(small.length, large.length); turn++) {
      small[turn]?.releaseForAll();
      large[turn]?.releaseForAll();
    }
  }

  forget(tally: Tally): void {
    this.tallies.delete(tally);
  }

  /** Stops reading everywhere at once: even sockets that are ready in this turn of the event loop. */
  private fill(): void {
    this.isFull = true;
    for (const tally of this.tallies) tally.holdForAll();
    for (const tally of this.tallies) tally.spill();
    this.onFull();
  }
}

/** What one connection has in memory. */
export class Tally {
  private bytes = 0;
  /** The part of `bytes` that waits behind a command or a mail. */
  private waitingBytes = 0;
  /** Bytes of the mail being received, including those on the disk. */
  private mailBytes = 0;
  private isClosed = false;
  private isHeldForAll = false;
  private isHeldForItself = false;
  private onSpill: (() => void) | null = null;

  constructor(
    readonly budget: UnspooledBudget,
    private readonly source: Source,
  ) {}

  /** Whether we have stopped reading from the connection. */
  get isHeld(): boolean {
    return this.isHeldForAll || this.isHeldForItself;
  }

  /** Whether its mail is small so far. */
  get isSmall(): boolean {
    return this.mailBytes <= SMALL_BYTES_MAX;
  }

  /** Starts a mail, which lasts until `endMail`, after its reply. `spill` moves what is in memory to the disk. */
  beginMail(spill: () => void): void {
    this.mailBytes = 0;
    this.onSpill = spill;
    this.budget.countMails(1);
  }

  endMail(): void {
    this.mailBytes = 0;
    this.onSpill = null;
    this.budget.countMails(-1);
  }

  add(bytes: number): void {
    if (this.isClosed) return;
    this.bytes += bytes;
    this.mailBytes += bytes;
    this.set(this.isHeldForAll, this.hasTooMuch);
    this.budget.count(this, bytes);
  }

  remove(bytes: number): void {
    const removed = Math.min(bytes, this.bytes);
    this.bytes -= removed;
    this.set(this.isHeldForAll, this.hasTooMuch);
    this.budget.count(this, -removed);
  }

  /** Counts bytes that can't be processed yet, until `removeWaiting`. */
  addWaiting(bytes: number): void {
    if (this.isClosed) return;
    this.waitingBytes += bytes;
    this.add(bytes);
  }

  removeWaiting(bytes: number): void {
    this.waitingBytes -= Math.min(bytes, this.waitingBytes);
    this.remove(bytes);
  }

  private get hasTooMuch(): boolean {
    return this.bytes > CONNECTION_BYTES_MAX || this.waitingBytes > WAITING_BYTES_MAX;
  }

  /** Ends the count with the connection. Further data is discarded. */
  close(): void {
    this.isClosed = true;
    this.waitingBytes = 0;
    this.remove(this.bytes);
    this.set(false, false);
    this.budget.forget(this);
  }

  holdForAll(): void {
    this.set(true, this.isHeldForItself);
  }

  releaseForAll(): void {
    this.set(false, this.isHeldForItself);
  }

  spill(): void {
    this.onSpill?.();
  }

  private set(isHeldForAll: boolean, isHeldForItself: boolean): void {
    const wasHeld = this.isHeld;
    this.isHeldForAll = isHeldForAll;
    this.isHeldForItself = isHeldForItself;
    if (this.isHeld === wasHeld) return;
    if (wasHeld) this.source.release();
    else this.source.hold();
  }
}
