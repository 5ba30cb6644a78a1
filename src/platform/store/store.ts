import { statSync } from 'node:fs';
import { join } from 'node:path';
import { currentActor } from '../core/actor.ts';
import { Announcer } from '../core/announcer.ts';
import type { Clock } from '../core/clock.ts';
import { Counts } from '../core/counts.ts';
import { fail } from '../core/failure.ts';
import type { Log } from '../core/log.ts';
import { prepareAddon, readAddonPath } from './addon.ts';
import { openReader, type Sqlite, Statements } from './database.ts';
import type { Notice, Reading, ReadOp, WriteOp } from './operation.ts';
import { ReadCache } from './read-cache.ts';
import { READS_MAX, READS_PER_OWNER_MAX } from './read-turns.ts';
import { Reserve } from './reserve.ts';
import { type CallOptions, ThreadClient, type ThreadPort, type ThreadStart } from './thread.ts';

/** Without a search for this long, the reader thread ends, so that an idle appliance stays small. */
const READER_IDLE_MS = 60_000;

const NOT_WRITABLE = "the store can't be written: mail is answered 452 and other writes 503 until it can";
const CHECKPOINT_FAILED =
  'the write-ahead log could not be copied into the store: nothing is lost, but it grows until that succeeds';

export interface StoreOptions {
  /** The database file; its folder exists. */
  file: string;
  dataDir: string;
  clock: Clock;
  log: Log;
  /** Called once when the writer thread has died. Nothing can be stored any more, so the process should end. */
  onBroken: (reason: string) => void;
  /** Called after each writer transaction, with its number of operations and its duration. */
  onGroup?: (size: number, ms: number) => void;
  /** Whether to copy the store within the data folder before a migration. */
  copiesBeforeMigration: boolean;
  /** False if another program (Litestream) checkpoints the write-ahead log. */
  ownCheckpoints: boolean;
  /** Whether to reserve space in the data folder for when the disk is full. */
  hasReserve?: boolean;
  /** Whether the data folder is removed at the end: then nothing is flushed, and `startWriter` runs in the main thread. */
  isThrownAway?: boolean;
  startWriter: () => ThreadPort;
  startReader: () => ThreadPort;
}

/**
 * The store as the rest of the program sees it. `sql` reads on the main thread (only reads bounded to a few
 * milliseconds); `read` runs in the reader thread; `write` runs in the writer thread and settles after the commit and
 * its fsync.
 */
export class Store implements Reading {
  private reader: ThreadClient | undefined;
  private readerIdleSinceMs = 0;
  /** Unanswered reads by owner. */
  private readonly reads = new Counts<string>();
  /** Cache of the main thread for reads that every mail repeats. */
  readonly readCache = new ReadCache();
  /** Space reserved for a full disk; null without `hasReserve`. */
  readonly reserve: Reserve | null;
  private lastTrouble: string | null = null;

  private constructor(
    private readonly options: StoreOptions,
    private readonly writer: ThreadClient,
    readonly database: Sqlite,
    private readonly statements: Statements,
    /** The notices of write operations, after their commit. */
    readonly notices: Announcer<Notice>,
  ) {
    this.reserve = options.hasReserve ? new Reserve(options.dataDir) : null;
  }

  static async open(options: StoreOptions): Promise<Store> {
    await prepareAddon(options.dataDir);
    const start: ThreadStart = {
      file: options.file,
      addon: readAddonPath(),
      writer: {
        ownCheckpoints: options.ownCheckpoints,
        isThrownAway: options.isThrownAway === true,
        ...(options.hasReserve && { reserveDir: options.dataDir }),
        ...(options.copiesBeforeMigration && { copies: join(options.dataDir, 'migration-copy') }),
      },
    };
    // An error while opening rejects `ready`, so `onBroken` need not report it as well.
    let isOpen = false;
    const onBroken = (reason: string) => isOpen && options.onBroken(reason);
    const notices = new Announcer<Notice>((fault) =>
      options.log.error('a listener failed', { fault: String(fault) }),
    );
    const writer = new ThreadClient(options.startWriter(), start, onBroken, {
      isInline: options.isThrownAway === true,
      onGroup: options.onGroup,
      onNotice: (notice) => notices.announce(notice),
      onTrouble: (reason) => store?.noteTrouble(reason),
      onCheckpointFault: (reason) => options.log.rarely('error', CHECKPOINT_FAILED, { reason }),
    });
    let store: Store | undefined;
    const migrated = await writer.ready;
    if (migrated && migrated.from > 0) options.log.info('store migrated to a new schema', { ...migrated });
    isOpen = true;
    const database = openReader(options.file);
    store = new Store(options, writer, database, new Statements(database), notices);
    return store;
  }

  /** Why nothing can be written, with a remedy. Null if it can, and on a full disk, which the reserve reports. */
  get trouble(): string | null {
    return this.lastTrouble;
  }

  private noteTrouble(reason: string | null): void {
    if (reason === this.lastTrouble) return;
    this.lastTrouble = reason;
    const { log } = this.options;
    if (reason === null) log.rarely('warn', 'the store can be written again');
    else log.rarely('error', NOT_WRITABLE, { reason });
  }

  sql(text: string) {
    return this.statements.sql(text);
  }

  /**
   * Runs reads in one transaction, so that they see the same state. It is also faster: outside a transaction, SQLite drops
   * its cached pages whenever the writer has committed.
   */
  readTogether<Output>(reads: () => Output): Output {
    if (this.database.inTransaction) return reads();
    this.sql('BEGIN').run();
    try {
      return reads();
    } finally {
      this.sql('COMMIT').run();
    }
  }

  /**
   * Runs a write operation in the writer thread; resolves after its commit. Rejects with the Failure that it threw, or with
   * storage_unavailable if the disk is full or fails.
   */
  write<Input, Output>(
    operation: WriteOp<Input, Output>,
    input: Input,
    options: Pick<CallOptions, 'given'> = {},
  ): Promise<Output> {
    const nowUs = this.options.clock.nowUs();
    const full = operation.isAudited ? { ...options, actor: currentActor() } : options;
    const answer = this.writer.call(operation.name, nowUs, input, full) as Promise<Output>;
    return operation.keepsCache ? answer : answer.finally(() => this.readCache.clear());
  }

  /** Number of unanswered writes, for /readyz and the jobs. */
  get writesWaiting(): number {
    return this.writer.waiting;
  }

  /**
   * Changes with every commit (SQLite, PRAGMA data_version): what was read under the same version is still valid. Reading it
   * takes a twentieth of the time of looking up a caller.
   */
  get version(): number {
    return (this.sql('PRAGMA data_version').get() as { data_version: number }).data_version;
  }

  /** Requests a checkpoint of the write-ahead log. The file shrinks by the pages given back only at a checkpoint. */
  checkpoint(): void {
    this.writer.checkpoint();
  }

  /** Size of the write-ahead log's file. It grows while a reader, such as a backup, holds an old state. */
  get logBytes(): number {
    return statSync(`${this.options.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Size of the store's file, and how much of it is free for new rows. */
  get size(): { bytes: number; freeBytes: number; pageBytes: number } {
    const pragma = (name: string) => this.database.pragma(name, { simple: true }) as number;
    const pageBytes = pragma('page_size');
    const bytes = pragma('page_count') * pageBytes;
    return { bytes, freeBytes: pragma('freelist_count') * pageBytes, pageBytes };
  }

  /**
   * Runs a read, such as a search, in the reader thread. Each owner has one running at a time, and owners take turns. An abort
   * of the signal stops it. Throws rate_limited if this owner, or all of them together, have too many.
   */
  async read<Input, Output>(
    operation: ReadOp<Input, Output>,
    input: Input,
    options: Required<Pick<CallOptions, 'owner' | 'signal'>>,
  ): Promise<Output> {
    const { owner } = options;
    if (this.reads.of(owner) >= READS_PER_OWNER_MAX || (this.reader?.waiting ?? 0) >= READS_MAX) {
      fail('rate_limited', {
        text: 'Too many searches at the same time; see Retry-After.',
        retryAfterS: 1,
      });
    }
    if (!this.reader) this.startReader();
    this.readerIdleSinceMs = performance.now();
    this.reads.add(owner, 1);
    try {
      return (await this.reader!.call(operation.name, 0, input, options)) as Output;
    } finally {
      this.reads.add(owner, -1);
    }
  }

  /** Runs a read of seconds or minutes in a thread of its own, so that searches do not wait for it. */
  async readApart<Input, Output>(operation: ReadOp<Input, Output>, input: Input): Promise<Output> {
    const start = { file: this.options.file, addon: readAddonPath() };
    const thread = new ThreadClient(this.options.startReader(), start, () => {});
    try {
      await thread.ready;
      return (await thread.call(operation.name, 0, input)) as Output;
    } finally {
      await thread.stop();
    }
  }

  async close(): Promise<void> {
    await this.reader?.stop();
    this.database.close();
    // The writer closes last: SQLite checkpoints when the last connection closes, and a read-only one can't.
    await this.writer.stop();
  }

  private startReader(): void {
    const { file, log } = this.options;
    const onBroken = (reason: string) => {
      log.error('the reader thread ended; the next search restarts it', { reason });
      this.reader = undefined;
    };
    const start = { file, addon: readAddonPath() };
    // No batches: a batched search would be sent only when another account's is answered.
    const reader = new ThreadClient(this.options.startReader(), start, onBroken, { outboxMax: 1 });
    reader.ready.catch(() => {});
    this.reader = reader;
    const look = () => {
      if (this.reader !== reader) return;
      const idleMs = performance.now() - this.readerIdleSinceMs;
      if (reader.waiting > 0 || idleMs < READER_IDLE_MS) {
        setTimeout(look, READER_IDLE_MS).unref();
        return;
      }
      this.reader = undefined;
      void reader.stop();
    };
    setTimeout(look, READER_IDLE_MS).unref();
  }
}
