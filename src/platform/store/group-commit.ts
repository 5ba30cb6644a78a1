import { type Actor, SYSTEM } from '../core/actor.ts';
import { readCode } from '../core/thrown.ts';
import { CHECKPOINT_PAGES, CHECKPOINT_PAGES_MAX, openWriter, type Sqlite, Statements } from './database.ts';
import { GroupTallies } from './group-tallies.ts';
import { type Migrated, migrate, readSchemaVersion } from './migrate.ts';
import type { AnyWriteOp, AuditedTx, KeptKind, Notice, Tx } from './operation.ts';
import { ReadCache } from './read-cache.ts';
import { Reserve } from './reserve.ts';
import { closeWithoutCheckpoint, rewriteLog } from './rewrite-log.ts';
import {
  answerFullDisk,
  answerThrown,
  isDiskFull,
  isStorageFault,
  type ThreadAnswer,
  type ThreadCall,
  type WriterStart,
} from './thread.ts';
import { describeTrouble, isDiskFault, nameQuota, OwnFiles } from './trouble.ts';

/*
 * Group commit. An fsync costs more than most operations, so operations that wait at the same time
 * (platform/store/group-queue.ts) share one transaction and one fsync. The writer thread (platform/store/write-loop.ts) calls
 * `commitGroup` for one group after the other.
 *
 * - An operation is answered only after its commit. A crash before the commit leaves nothing of the group.
 * - If an operation throws, the group is rolled back and runs again with a savepoint for each operation, so that only the
 *   one that throws fails.
 * - If the commit itself fails, nothing is stored, and every operation of the group is answered storage_unavailable.
 * - While the disk is full, only operations with `onFullDisk` run, in the space of the reserve (platform/store/reserve.ts).
 * - After a failed write or fsync, nothing is appended to the write-ahead log or copied from it until the log is written
 *   again (platform/store/rewrite-log.ts): the part that is missing on the disk could be in its middle.
 */

/** Pages in the write-ahead log, and how many of them were already copied into the store. */
interface LogFrames {
  log: number;
  checkpointed: number;
}

/** The store's only writer. */
export class Writer {
  private readonly statements: Statements;
  private readonly operations: Map<string, AnyWriteOp>;
  private readonly database: Sqlite;
  private readonly ownCheckpoints: boolean;
  private readonly reserve: Reserve | null;
  private readonly isThrownAway: boolean;
  private readonly files: OwnFiles;
  private readonly schema: number;
  /** A write or an fsync may have failed, in this process or an earlier one: parts of the log may not be on the disk. */
  private isLogSuspect = false;
  /** Whether commits are flushed at once (`PRAGMA synchronous`, as last set by `begin`). */
  private hasOwnSync = true;
  /** Whether the last trouble was a quota. */
  private hasQuotaTrouble = false;
  private readonly tallies = new GroupTallies();
  private readonly kept = new Map<KeptKind<unknown>, unknown>();
  private readonly notices = new Map<string, Notice>();
  private readonly readCache = new ReadCache();
  private readonly cached: Tx['cached'] = (key, read, mayCache) => this.readCache.find(key, read, mayCache);
  private readonly clearCache = () => this.readCache.clear();
  private readonly notify = (notice: Notice) => void this.notices.set(`${notice.topic} ${notice.no}`, notice);

  /** The migration at the start; null if there was nothing to migrate. */
  readonly migrated: Migrated | null;
  /** Why the last group could not be stored. Null if it was, and on a full disk. */
  trouble: string | null = null;

  constructor(
    private readonly file: string,
    operations: readonly AnyWriteOp[],
    { copies, ownCheckpoints, reserveDir, isThrownAway }: WriterStart = { ownCheckpoints: true },
  ) {
    this.ownCheckpoints = ownCheckpoints;
    this.reserve = reserveDir === undefined ? null : new Reserve(reserveDir);
    this.isThrownAway = isThrownAway === true;
    this.database = openWriter(file, { ownCheckpoints, isThrownAway: this.isThrownAway });
    this.statements = new Statements(this.database);
    this.files = new OwnFiles(file);
    try {
      // A log was left by a process that was killed, perhaps because its disk failed.
      this.isLogSuspect = !this.isThrownAway && this.files.logBytes > 0;
      this.secureLog();
      this.migrated = migrate(this.database, { copies });
    } catch (fault) {
      this.isLogSuspect ||= isDiskFault(fault);
      this.close();
      throw fault;
    }
    this.schema = readSchemaVersion(this.database);
    this.operations = new Map(operations.map((operation) => [operation.name, operation]));
  }

  /** Commits one group. Returns an answer for each call, in any order; never throws for a failure of the disk. */
  commitGroup(calls: readonly ThreadCall[]): ThreadAnswer[] {
    if (!this.reserve?.isSpent()) return this.commitRunnable(calls, true);
    const runnable = calls.filter((call) => this.runsOnFullDisk(call));
    const refused = calls.filter((call) => !this.runsOnFullDisk(call));
    const answers = runnable.length > 0 ? this.commitRunnable(runnable, true) : [];
    return [...answers, ...refused.map(({ id }) => answerFullDisk(id))];
  }

  private commitRunnable(calls: readonly ThreadCall[], mayMakeRoom: boolean): ThreadAnswer[] {
    try {
      if (!this.isThrownAway) this.files.check();
      this.secureLog();
      // In most groups nothing fails, and savepoints would cost a tenth of the time.
      const answers = this.commitAll(calls) ?? this.commitEach(calls);
      // With a used-up quota, a commit that frees space succeeds on what little is left. The trouble is over only once
      // there is room for the reserve again.
      if (!(this.hasQuotaTrouble && this.reserve?.isSpent())) this.trouble = null;
      return answers;
    } catch (thrown) {
      this.isLogSuspect ||= isDiskFault(thrown);
      this.undo();
      const fault = nameQuota(thrown, () => this.isOverQuota());
      this.noteTrouble(fault);
      // An operation may have derived these values from rows of the group, which are gone.
      this.kept.clear();
      if (isDiskFull(fault) && mayMakeRoom) return this.commitWithRoom(calls, fault);
      return calls.map((call) => answerThrown(call.id, fault));
    }
  }

  /** Checked once while a disk fails, because the check writes 1 MiB. */
  private isOverQuota(): boolean {
    return (this.trouble === null || this.hasQuotaTrouble) && this.reserve?.isOverQuota() === true;
  }

  private noteTrouble(fault: unknown): void {
    this.trouble = describeTrouble(fault);
    this.hasQuotaTrouble = this.trouble !== null && isDiskFull(fault);
    // If the log was deleted, acknowledged writes are only in a file without a name, which is gone once this process ends.
    // The store may still have its name, so they are copied into it. Each time, because a reader of an old state, such as a
    // backup, keeps SQLite from copying all of it.
    if (this.trouble !== null) this.checkpoint(1);
  }

  /** Writes a suspect log again. Call this before anything is appended to the log or copied from it. */
  private secureLog(): void {
    if (!this.isLogSuspect) return;
    rewriteLog(this.database, this.files.log);
    this.isLogSuspect = false;
  }

  /** Runs the calls that free space once more, in the space of the reserve, and refuses the others. */
  private commitWithRoom(calls: readonly ThreadCall[], fault: unknown): ThreadAnswer[] {
    const freeing = calls.filter((call) => this.runsOnFullDisk(call));
    const others = calls.filter((call) => !this.runsOnFullDisk(call));
    if (freeing.length === 0) return others.map((call) => answerThrown(call.id, fault));
    // After a checkpoint SQLite writes the log from its start again, which needs no new space. The checkpoint itself may need
    // some, so the reserve is released first.
    if (this.hasQuotaTrouble) this.reserve?.releaseForQuota();
    else this.reserve?.release();
    this.checkpoint(1);
    const answers = this.commitRunnable(freeing, false);
    return [...answers, ...others.map((call) => answerThrown(call.id, fault))];
  }

  private runsOnFullDisk({ name }: ThreadCall): boolean {
    return this.operations.get(name)?.onFullDisk === true;
  }

  /** Runs the calls without savepoints. Returns null, with everything rolled back, if one of them threw. */
  private commitAll(calls: readonly ThreadCall[]): ThreadAnswer[] | null {
    this.begin(calls);
    const answers: ThreadAnswer[] = [];
    try {
      for (const call of calls) answers.push(this.runOne(call));
      this.tallies.write(this.makeTx(calls[0]!.nowUs));
    } catch (thrown) {
      if (!this.database.inTransaction || isStorageFault(thrown)) throw thrown;
      this.undo();
      return null;
    }
    this.commit();
    return answers;
  }

  /** Runs each call in a savepoint of its own, so that one that throws undoes nothing else. */
  private commitEach(calls: readonly ThreadCall[]): ThreadAnswer[] {
    this.begin(calls);
    const answers = calls.map((call) => this.tryOne(call));
    this.commit();
    return answers;
  }

  private commit(): void {
    this.sql('COMMIT').run();
    // These frames are flushed first by a checkpoint. SQLite hides the failure of a checkpoint that it runs within a commit,
    // so `begin` turns those off, and the checkpoint runs here, where its failure is noticed.
    if (!this.hasOwnSync) this.checkpoint(CHECKPOINT_PAGES_MAX);
  }

  /**
   * Begins the transaction. If all calls are repeatable, its commit has no fsync of its own: it becomes durable with the
   * next commit or checkpoint that has one (SQLite, PRAGMA synchronous).
   */
  private begin(calls: readonly ThreadCall[]): void {
    const hasOwnSync = calls.some(({ name }) => !this.operations.get(name)?.isRepeatable);
    if (hasOwnSync !== this.hasOwnSync && !this.isThrownAway) {
      this.sql(`PRAGMA synchronous = ${hasOwnSync ? 'FULL' : 'NORMAL'}`).run();
      const pages = hasOwnSync && this.ownCheckpoints ? CHECKPOINT_PAGES_MAX : 0;
      this.sql(`PRAGMA wal_autocheckpoint = ${pages}`).run();
      this.hasOwnSync = hasOwnSync;
    }
    this.sql('BEGIN IMMEDIATE').run();
    // A commit that writes nothing succeeds on any disk. After a failure this makes it write a page, so that only a disk
    // that works ends the trouble.
    if (this.trouble !== null) this.sql(`PRAGMA user_version = ${this.schema}`).run();
  }

  private undo(): void {
    this.tallies.clear();
    this.clearCache();
    // Some errors, such as a full disk, make SQLite roll back by itself.
    if (this.database.inTransaction) this.sql('ROLLBACK').run();
  }

  /**
   * Copies the write-ahead log into the store if at least `pages` of it are not there yet. Returns why that failed; null also
   * for lack of space and for another program's lock, which are reported elsewhere or pass. The next call tries again.
   */
  checkpoint(pages = CHECKPOINT_PAGES): string | null {
    if (!this.ownCheckpoints) return null;
    try {
      this.secureLog();
      const { log, checkpointed } = this.sql('PRAGMA wal_checkpoint(NOOP)').get() as LogFrames;
      if (log - checkpointed >= pages) this.sql('PRAGMA wal_checkpoint(PASSIVE)').get();
      return null;
    } catch (fault) {
      // Any code of SQLite may be the disk's: even a failed read is reported as SQLITE_CORRUPT.
      const code = readCode(fault);
      if (code === '') throw fault;
      this.isLogSuspect ||= isDiskFault(fault);
      return /FULL|BUSY/.test(code) ? null : `${(fault as Error).message} (${code})`;
    }
  }

  /** Closes the store, which copies the log into it, unless the log can't be secured or another program replicates it. */
  close(): void {
    // Left open, the connection would be closed, with a checkpoint, when the thread ends (better-sqlite3).
    if (this.trySecureLog() && this.ownCheckpoints) this.database.close();
    else closeWithoutCheckpoint(this.database, this.file);
  }

  private trySecureLog(): boolean {
    try {
      this.secureLog();
      return true;
    } catch {
      // The next start writes the log again.
      return false;
    }
  }

  private runOne(call: ThreadCall): ThreadAnswer {
    const operation = this.operations.get(call.name);
    if (!operation) return { id: call.id, fault: `no write operation is named ${call.name}` };
    const tx = this.makeTx(call.nowUs, call.actor);
    if (operation.keepsCache) return { id: call.id, output: operation.run(tx, call.input) };
    const output = operation.run({ ...tx, cached: (_, read) => read() }, call.input);
    this.clearCache();
    return { id: call.id, output };
  }

  private readonly findKept = <Kept>(kind: KeptKind<Kept>): Kept => {
    if (!this.kept.has(kind)) this.kept.set(kind, kind.make());
    return this.kept.get(kind) as Kept;
  };

  private makeTx(nowUs: number, actor: Actor = SYSTEM): AuditedTx {
    return {
      sql: (text) => this.statements.sql(text),
      nowUs,
      tallies: this.tallies,
      kept: this.findKept,
      cached: this.cached,
      clearCache: this.clearCache,
      notify: this.notify,
      actor,
    };
  }

  /** Returns the notices of the operations since the last call, without duplicates. */
  takeNotices(): { notices?: Notice[] } {
    if (this.notices.size === 0) return {};
    const notices = [...this.notices.values()];
    this.notices.clear();
    return { notices };
  }

  private tryOne(call: ThreadCall): ThreadAnswer {
    this.sql('SAVEPOINT one').run();
    try {
      const answer = this.runOne(call);
      this.tallies.write(this.makeTx(call.nowUs));
      this.sql('RELEASE one').run();
      return answer;
    } catch (thrown) {
      if (!this.database.inTransaction || isStorageFault(thrown)) throw thrown;
      this.tallies.clear();
      this.clearCache();
      this.sql('ROLLBACK TO one').run();
      this.sql('RELEASE one').run();
      return answerThrown(call.id, thrown);
    }
  }

  private sql(text: string) {
    return this.statements.sql(text);
  }
}
