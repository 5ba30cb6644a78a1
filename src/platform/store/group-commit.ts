import { type Actor, SYSTEM } from '../core/actor.ts';
import { CHECKPOINT_PAGES, CHECKPOINT_PAGES_MAX, openWriter, type Sqlite, Statements } from './database.ts';
import { GroupTallies } from './group-tallies.ts';
import { type Migrated, migrate } from './migrate.ts';
import type { AnyWriteOp, AuditedTx, KeptKind, Notice, Tx } from './operation.ts';
import { Remembered } from './remembered.ts';
import { Reserve } from './reserve.ts';
import { rewriteLog } from './rewrite-log.ts';
import {
  answerThrown,
  isDiskFull,
  isStorageFault,
  refusedOnFullDisk,
  type ThreadAnswer,
  type ThreadCall,
  type WriterStart,
} from './thread.ts';
import { describeTrouble, isDiskFault, nameQuota, OwnFiles } from './trouble.ts';

/*
 * What the writer thread (platform/store/write-loop.ts) does with a group: operations that wait together
 * (platform/store/group-queue.ts) share one transaction and so one fsync. If one fails, the group is rolled back and
 * repeated with a savepoint for each, so that the others succeed. An operation is answered only after its commit. If the
 * commit itself fails, the whole group is answered storage_unavailable and nothing is stored; a crash before the commit
 * leaves nothing of it. While the disk is full, only operations with `onFullDisk` run, in the reserve's space
 * (platform/store/reserve.ts).
 */

/** Pages in the write-ahead log, and how many of them are already in the file. */
interface LogFrames {
  log: number;
  checkpointed: number;
}

export class Writer {
  private readonly statements: Statements;
  private readonly operations: Map<string, AnyWriteOp>;
  private readonly database: Sqlite;
  private readonly ownCheckpoints: boolean;
  private readonly reserve: Reserve | null;
  private readonly isThrownAway: boolean;
  private readonly files: OwnFiles;
  private readonly schema: number;
  /** A write or an fsync has failed, maybe of another process: parts of the log may not be on the disk. */
  private isLogSuspect = false;
  private hasOwnSync = true;
  /** The last trouble was a quota. */
  private hasQuotaTrouble = false;
  private readonly tallies = new GroupTallies();
  private readonly kept = new Map<KeptKind<unknown>, unknown>();
  private readonly notices = new Map<string, Notice>();
  private readonly remembered = new Remembered();
  private readonly remember: Tx['remember'] = (key, read, mayKeep) =>
    this.remembered.find(key, read, mayKeep);
  private readonly forget = () => this.remembered.clear();
  private readonly notify = (notice: Notice) => void this.notices.set(`${notice.topic} ${notice.no}`, notice);

  /** What the start migrated. */
  readonly migrated: Migrated | null;
  /** Why the last group could not be stored; null when it was, and on a full disk. */
  trouble: string | null = null;

  constructor(
    file: string,
    operations: readonly AnyWriteOp[],
    { copies, ownCheckpoints, reserveDir, isThrownAway }: WriterStart = { ownCheckpoints: true },
  ) {
    this.ownCheckpoints = ownCheckpoints;
    this.reserve = reserveDir === undefined ? null : new Reserve(reserveDir);
    this.isThrownAway = isThrownAway === true;
    this.database = openWriter(file, ownCheckpoints, isThrownAway);
    this.files = new OwnFiles(file);
    this.statements = new Statements(this.database);
    // Left by a process that was killed, perhaps because its disk failed.
    this.isLogSuspect = !this.isThrownAway && this.files.logBytes > 0;
    this.secureLog();
    this.migrated = migrate(this.database, { copies });
    this.schema = this.database.pragma('user_version', { simple: true }) as number;
    this.operations = new Map(operations.map((operation) => [operation.name, operation]));
  }

  commitGroup(calls: readonly ThreadCall[]): ThreadAnswer[] {
    if (!this.reserve?.isSpent()) return this.commitRunnable(calls, true);
    const runnable = calls.filter((call) => this.runsOnFullDisk(call));
    const refused = calls.filter((call) => !this.runsOnFullDisk(call));
    const answers = runnable.length > 0 ? this.commitRunnable(runnable, true) : [];
    return [...answers, ...refused.map(({ id }) => refusedOnFullDisk(id))];
  }

  private commitRunnable(calls: readonly ThreadCall[], mayMakeRoom: boolean): ThreadAnswer[] {
    try {
      if (!this.isThrownAway) this.files.check();
      this.secureLog();
      // In most groups nothing fails: savepoints would cost them a tenth of their time.
      const answers = this.commitAll(calls) ?? this.commitEach(calls);
      // Only what frees space is stored until a used-up quota leaves room for the reserve again.
      if (!(this.hasQuotaTrouble && this.reserve?.isSpent())) this.trouble = null;
      return answers;
    } catch (thrown) {
      this.undo();
      this.isLogSuspect ||= isDiskFault(thrown);
      const fault = nameQuota(thrown, () => this.isOverQuota());
      this.noteTrouble(fault);
      // An operation may have derived them from what another of the group had written.
      this.kept.clear();
      if (isDiskFull(fault) && mayMakeRoom) return this.commitWithRoom(calls, fault);
      return calls.map((call) => answerThrown(call.id, fault));
    }
  }

  /** Asked once while a disk fails: it writes some space full. */
  private isOverQuota(): boolean {
    return (this.trouble === null || this.hasQuotaTrouble) && this.reserve?.isOverQuota() === true;
  }

  private noteTrouble(fault: unknown): void {
    const hadNone = this.trouble === null;
    this.trouble = describeTrouble(fault);
    this.hasQuotaTrouble = this.trouble !== null && isDiskFull(fault);
    // What was acknowledged may be in a log that has no name any more; the store itself may still have one.
    if (this.trouble !== null && hadNone) this.foldLog(true);
  }

  /** Before anything is added to the log, or copied from it: what was lost must not be in the middle. */
  private secureLog(): void {
    if (!this.isLogSuspect) return;
    rewriteLog(this.database, this.files.log);
    this.isLogSuspect = false;
  }

  /** Runs the calls that free space again, in the space that is left. */
  private commitWithRoom(calls: readonly ThreadCall[], fault: unknown): ThreadAnswer[] {
    const freeing = calls.filter((call) => this.runsOnFullDisk(call));
    const others = calls.filter((call) => !this.runsOnFullDisk(call));
    if (freeing.length === 0) return others.map((call) => answerThrown(call.id, fault));
    // A log that has been checkpointed is reused from its start and needs no space; the checkpoint itself may.
    if (this.hasQuotaTrouble) this.reserve?.releaseForQuota();
    else this.reserve?.release();
    this.foldLog(true);
    const answers = this.commitRunnable(freeing, false);
    return [...answers, ...others.map((call) => answerThrown(call.id, fault))];
  }

  private runsOnFullDisk({ name }: ThreadCall): boolean {
    return this.operations.get(name)?.onFullDisk === true;
  }

  /** Null, with nothing done, if one of them failed. */
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

  /** Runs each in its own savepoint. */
  private commitEach(calls: readonly ThreadCall[]): ThreadAnswer[] {
    this.begin(calls);
    const answers = calls.map((call) => this.tryOne(call));
    this.commit();
    return answers;
  }

  private commit(): void {
    this.sql('COMMIT').run();
    // SQLite does not report a commit's own checkpoint that failed, and its fsync would be the first of these frames.
    if (!this.hasOwnSync) this.foldFrom(CHECKPOINT_PAGES_MAX);
  }

  /** Without an fsync of its own the commit is durable with the next one that has one (SQLite, PRAGMA synchronous). */
  private begin(calls: readonly ThreadCall[]): void {
    const hasOwnSync = calls.some(({ name }) => !this.operations.get(name)?.isRepeatable);
    if (hasOwnSync !== this.hasOwnSync && !this.isThrownAway) {
      this.sql(`PRAGMA synchronous = ${hasOwnSync ? 'FULL' : 'NORMAL'}`).run();
      const pages = hasOwnSync && this.ownCheckpoints ? CHECKPOINT_PAGES_MAX : 0;
      this.sql(`PRAGMA wal_autocheckpoint = ${pages}`).run();
      this.hasOwnSync = hasOwnSync;
    }
    this.sql('BEGIN IMMEDIATE').run();
    // After a failure, a commit counts as success only if it has written something: this always does.
    if (this.trouble !== null) this.sql(`PRAGMA user_version = ${this.schema}`).run();
  }

  private undo(): void {
    this.tallies.clear();
    this.forget();
    // Some errors (a full disk) have already rolled back the transaction.
    if (this.database.inTransaction) this.sql('ROLLBACK').run();
  }

  /**
   * Checkpoints the write-ahead log when it is large enough, or on request. Failures are retried; returns why it
   * failed, unless it is for lack of space or for another program's lock.
   */
  foldLog(isWanted = false): string | null {
    return this.foldFrom(isWanted ? 1 : CHECKPOINT_PAGES);
  }

  private foldFrom(pages: number): string | null {
    if (!this.ownCheckpoints) return null;
    try {
      this.secureLog();
      const { log, checkpointed } = this.sql('PRAGMA wal_checkpoint(NOOP)').get() as LogFrames;
      if (log - checkpointed >= pages) this.sql('PRAGMA wal_checkpoint(PASSIVE)').get();
      return null;
    } catch (fault) {
      // SQLite reports a read that failed as SQLITE_CORRUPT, so every code may be the disk's.
      const { code } = fault as { code?: unknown };
      if (typeof code !== 'string') throw fault;
      this.isLogSuspect ||= isDiskFault(fault);
      return /FULL|BUSY/.test(code) ? null : `${(fault as Error).message} (${code})`;
    }
  }

  close(): void {
    try {
      this.secureLog();
    } catch {
      // Closing would copy the log into the store. The next start writes it again first.
      return;
    }
    this.database.close();
  }

  private runOne(call: ThreadCall): ThreadAnswer {
    const operation = this.operations.get(call.name);
    if (!operation) return { id: call.id, fault: `no write operation is named ${call.name}` };
    const tx = this.makeTx(call.nowUs, call.actor);
    if (operation.keepsRemembered) return { id: call.id, output: operation.run(tx, call.input) };
    const output = operation.run({ ...tx, remember: (_, read) => read() }, call.input);
    this.forget();
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
      remember: this.remember,
      forget: this.forget,
      notify: this.notify,
      actor,
    };
  }

  /** What the operations since the last call notified of, each once. */
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
      this.forget();
      this.sql('ROLLBACK TO one').run();
      this.sql('RELEASE one').run();
      return answerThrown(call.id, thrown);
    }
  }

  private sql(text: string) {
    return this.statements.sql(text);
  }
}
