/**
 * How much of unfinished mail may be in memory: one budget for all connections (`smtp_unfinished_max_size`). It stops
 * hundreds of connections that each send some megabytes and no end from taking all the memory there is.
 *
 * - Counted is what came from a socket and is neither on the disk nor complete: pieces of a mail, and bytes that wait
 *   behind a command. Nothing else buffers: a connection above its part isn't read (doors/smtp/connections.ts), so the rest
 *   stays in the kernel, and with the sender.
 * - When the budget is used up, no connection is read until a quarter of it is free again. Then all are, the one that
 *   was read longest ago first, and in turns with those whose mail is small so far: a mail of some kilobytes must not
 *   wait until each of hundreds has had half a megabyte read.
 * - No deadlock: mails in memory that might never end hold half of the budget at most, as they go to the disk when
 *   it is used up. All else that is counted is being written to the disk or waits for a reply, so it goes by itself.
 *   A mail that is complete is not counted here any more: it needs nothing of this to be stored. What complete mails
 *   have in memory is counted by itself, for those that went to the disk early: a small one is parsed from memory, in
 *   the lane of the small ones, while they have less than half of the budget.
 */

/** A mail this large goes to a file whatever the budget says. */
export const MEMORY_BYTES_MAX = 256 * 1024;
/** What one connection may have here before it isn't read for a while: what is written to the disk at a time. */
const CONNECTION_BYTES_MAX = 256 * 1024;
/**
 * The same of what waits behind a command or a mail without a reply: above it the client has sent more commands than
 * can be of use, and node:net would read half a megabyte more of them, which nobody counts.
 */
const WAITING_BYTES_MAX = 16 * 1024;
/** Up to here a mail is small so far. */
const SMALL_BYTES_MAX = 256 * 1024;
/** Full until no more than this share of the budget is used. */
const LOW_SHARE = 0.75;

/** A connection, as far as it can be kept from being read. */
interface Source {
  hold(): void;
  release(): void;
}

export class UnspooledBudget {
  /** Of the connections that are open; the one that was read last is last. */
  private readonly tallies = new Set<Tally>();
  private usedBytes = 0;
  private isFull = false;
  private mailsUnderWay = 0;
  private completeBytes = 0;

  /** @param onFull called each time that it is used up */
  constructor(
    private readonly maxBytes: number,
    private readonly onFull: () => void = () => {},
  ) {}

  /** Bytes in memory now. */
  get used(): number {
    return this.usedBytes;
  }

  /** A new connection's tally. */
  open(source: Source): Tally {
    const tally = new Tally(this, source);
    this.tallies.add(tally);
    return tally;
  }

  /** How much of a mail may stay in memory: less when many are under way, so that together they have half. */
  get memoryBytesOfMail(): number {
    return Math.min(MEMORY_BYTES_MAX, Math.floor(this.maxBytes / 2 / Math.max(1, this.mailsUnderWay)));
  }

  /** Whether a complete mail of this size, which is on the disk, may be read back. */
  mayReadBack(bytes: number): boolean {
    return bytes <= MEMORY_BYTES_MAX && this.completeBytes + bytes <= this.maxBytes / 2;
  }

  /** A complete mail is in memory, until the function that this returns is called. */
  keepComplete(bytes: number): () => void {
    this.completeBytes += bytes;
    return () => {
      this.completeBytes -= bytes;
    };
  }

  /** For Tally. */
  countMails(more: 1 | -1): void {
    this.mailsUnderWay += more;
  }

  /** For Tally. */
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

  /** The system reads ready sockets in the order in which they are released. */
  private releaseInTurns(): void {
    const small = [...this.tallies].filter(({ isSmall }) => isSmall);
    const large = [...this.tallies].filter(({ isSmall }) => !isSmall);
    for (let turn = 0; turn < Math.max(small.length, large.length); turn++) {
      small[turn]?.releaseForAll();
      large[turn]?.releaseForAll();
    }
  }

  /** For Tally. */
  forget(tally: Tally): void {
    this.tallies.delete(tally);
  }

  /** In one go: sockets that are ready to be read in the same turn of the event loop are not read any more. */
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
  /** Of these, what waits behind a command or a mail. */
  private waitingBytes = 0;
  /** Of the mail that is coming in, with what is on the disk already. */
  private mailBytes = 0;
  private isClosed = false;
  private isHeldForAll = false;
  private isHeldForItself = false;
  private onSpill: (() => void) | null = null;

  constructor(
    readonly budget: UnspooledBudget,
    private readonly source: Source,
  ) {}

  /** It isn't read at the moment, by our choice. */
  get isHeld(): boolean {
    return this.isHeldForAll || this.isHeldForItself;
  }

  /** Its mail has not taken much of anybody's time yet. */
  get isSmall(): boolean {
    return this.mailBytes <= SMALL_BYTES_MAX;
  }

  /** A mail is under way until `endMail`, after its reply; `spill` sends what is in memory of it to the disk. */
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

  take(bytes: number): void {
    if (this.isClosed) return;
    this.bytes += bytes;
    this.mailBytes += bytes;
    this.set(this.isHeldForAll, this.hasTooMuch);
    this.budget.count(this, bytes);
  }

  give(bytes: number): void {
    const given = Math.min(bytes, this.bytes);
    this.bytes -= given;
    this.set(this.isHeldForAll, this.hasTooMuch);
    this.budget.count(this, -given);
  }

  /** Bytes that can't be processed yet; `goOn` when they are. */
  wait(bytes: number): void {
    if (this.isClosed) return;
    this.waitingBytes += bytes;
    this.take(bytes);
  }

  goOn(bytes: number): void {
    this.waitingBytes -= Math.min(bytes, this.waitingBytes);
    this.give(bytes);
  }

  private get hasTooMuch(): boolean {
    return this.bytes > CONNECTION_BYTES_MAX || this.waitingBytes > WAITING_BYTES_MAX;
  }

  /** The connection is over; what still comes from it is dropped. */
  close(): void {
    this.isClosed = true;
    this.waitingBytes = 0;
    this.give(this.bytes);
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
