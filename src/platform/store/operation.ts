import type { Actor } from '../core/actor.ts';
import type { Failure } from '../core/failure.ts';
import type { Sqlite, Statement } from './database.ts';

/** What a write operation works with, inside the transaction of its group (platform/store/group-commit.ts). */
export interface Tx {
  sql(text: string): Statement;
  /** Time of the request, microseconds; the caller reads the clock once. */
  nowUs: number;
  /** Counters that the operations of a group share; written just before its commit. */
  tallies: Tallies;
  /**
   * Returns the value of this kind, which the writer keeps in memory across groups, until one can't be stored. The rollback of a
   * single operation does not undo a change of it. It must depend only on rows that this kind alone writes.
   */
  kept<Kept>(kind: KeptKind<Kept>): Kept;
  /**
   * Returns what `read` returns, from a cache if nothing may have changed it (platform/store/read-cache.ts). For reads that
   * every mail repeats. An operation without `keepsCache` always reads.
   */
  cached<Value>(key: string, read: () => Value, mayCache?: (value: Value) => boolean): Value;
  /** Clears that cache: for an operation with `keepsCache` that did change something in it. */
  clearCache(): void;
  /**
   * Sends a notice to the main thread after the commit (`store.notices`). It is sent even if the operation fails, so it says
   * where to look, not what happened.
   */
  notify(notice: Notice): void;
}

/** Says where something may be new: a topic, and the number of a row. */
export interface Notice {
  topic: string;
  no: number;
}

/** What an audited operation works with. */
export interface AuditedTx extends Tx {
  /** Who causes the write. */
  actor: Actor;
}

/**
 * Counters that many operations of a group increment. Each is written once per group, not once per operation, so an operation
 * that reads such a row sees its value from before the group.
 */
export interface Tallies {
  /** Returns the group's tally of this kind, to be incremented in place. */
  of<Tally>(kind: TallyKind<Tally>): Tally;
}

/** A kind of value for `Tx.kept`, created on first use. */
export interface KeptKind<Kept> {
  readonly make: () => Kept;
}

export interface TallyKind<Tally> {
  readonly make: () => Tally;
  /** Stores the tally, in the group's transaction. */
  readonly write: (tx: Tx, tally: Tally) => void;
}

/**
 * A write, known to the writer thread by name. Input and output cross threads, so they are plain data (numbers,
 * strings, Uint8Array, arrays, objects). A thrown Failure rolls back only this operation.
 */
export interface WriteOp<Input, Output> {
  readonly name: string;
  readonly run: (tx: Tx, input: Input) => Output;
  /** It is a step of a job, which yields to calls that a client waits for (platform/store/group-queue.ts). */
  readonly inBackground?: true;
  /** It is committed without an fsync of its own: if a power cut loses it, the job derives it again from other rows. */
  readonly isRepeatable?: true;
  /** It changes nothing that is cached (platform/store/read-cache.ts), such as the inbox of an address. */
  readonly keepsCache?: true;
  /** It also runs on a full disk (platform/store/reserve.ts). */
  readonly onFullDisk?: true;
  /** It receives the actor who causes it (platform/core/actor.ts). */
  readonly isAudited?: true;
}

/** Defines a write operation. List it in src/app/writes.ts, so that the writer thread knows it. */
export function writeOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run };
}

/** Defines a write operation that leaves an entry in the audit log. */
export function auditedOp<Input, Output>(
  name: string,
  run: (tx: AuditedTx, input: Input) => Output,
): WriteOp<Input, Output> {
  // The writer gives every operation an actor; only these know it by type.
  return { name, run: run as (tx: Tx, input: Input) => Output, isAudited: true };
}

/**
 * Defines a write operation that comes with mail. It is so frequent that the cache must survive it. If it does change something
 * in the cache, it calls `Tx.clearCache`.
 */
export function mailOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, keepsCache: true };
}

/** Longest duration of a step of a job: other writes wait for it. */
export const STEP_MS_MAX = 4;

/** Yields items until the time of a step is over. The first one always comes, so that each step gets something done. */
export function* takeWithinStep<Item>(items: Iterable<Item>): Generator<Item, void, void> {
  const beganMs = performance.now();
  let isFirst = true;
  for (const item of items) {
    if (!isFirst && performance.now() - beganMs > STEP_MS_MAX) return;
    isFirst = false;
    yield item;
  }
}

/** Defines a write operation for a step of a job that frees space, or needs almost none. */
export function jobOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, inBackground: true, onFullDisk: true };
}

/** Defines a job's write of something derived from other rows, such as an index. It is refused on a full disk. */
export function repeatableOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, inBackground: true, isRepeatable: true, keepsCache: true };
}

/**
 * Marks, in a feature's list of writes, an operation that must run on a full disk. It may add almost nothing to the store. It frees
 * space, or leads to that (a sign-in, the mark on a message that is deleted next), or records what was sent, which would otherwise
 * be sent again, or every start runs it.
 */
export function onFullDisk<Input, Output>(operation: WriteOp<Input, Output>): WriteOp<Input, Output> {
  return { ...operation, onFullDisk: true };
}

/** What a read works with, on any connection. */
export interface Reading {
  sql(text: string): Statement;
}

/** What a read in the reader thread works with. */
export interface LongReading extends Reading {
  database: Sqlite;
  /** Whether the turn is over. If so, the read must close its statements and yield. */
  isTurnOver(): boolean;
}

/**
 * A read in steps. Between two steps, other accounts' reads have their turns, and the writer commits. No statement may be
 * open at a `yield`: an open one holds an old state, which blocks checkpoints. So each step continues where the last one ended.
 */
export type Steps<Output> = Generator<void, Output, void>;

/** A read that can't be bounded to a few milliseconds; it runs in the reader thread. */
export interface ReadOp<Input, Output> {
  readonly name: string;
  readonly run: (reading: LongReading, input: Input) => Output | Steps<Output>;
  /** The client's answer if the read takes too long (platform/store/read-turns.ts); without it there is no time limit. */
  readonly tooSlow?: (input: Input) => Failure;
}

/** Defines a read operation for the reader thread. List it in src/app/reads.ts. */
export function readOp<Input, Output>(
  name: string,
  run: (reading: LongReading, input: Input) => Output | Steps<Output>,
  tooSlow?: (input: Input) => Failure,
): ReadOp<Input, Output> {
  return { name, run, ...(tooSlow && { tooSlow }) };
}

// biome-ignore lint/suspicious/noExplicitAny: operations of every shape; each is checked where it is defined.
export type AnyWriteOp = WriteOp<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyReadOp = ReadOp<any, any>;
