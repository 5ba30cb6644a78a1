import type { Actor } from '../core/actor.ts';
import type { Failure } from '../core/failure.ts';
import type { Sqlite, Statement } from './database.ts';

/** What a write operation works with, inside the group's transaction and its own savepoint. */
export interface Tx {
  sql(text: string): Statement;
  /** Time of the request, microseconds; the caller reads the clock once. */
  nowUs: number;
  /** What the group's operations count together; written before its commit. */
  tallies: Tallies;
  /**
   * Values derived from rows that only this kind writes, kept until a group can't be stored. The rollback of one operation
   * does not undo them.
   */
  kept<Kept>(kind: KeptKind<Kept>): Kept;
  /**
   * What `read` returns, cached until something may have changed it (platform/store/remembered.ts). It is for reads
   * that every mail repeats. Within an operation without `keepsRemembered`, nothing is cached.
   */
  remember<Value>(key: string, read: () => Value, mayKeep?: (value: Value) => boolean): Value;
  /** Clears that cache: for an operation with `keepsRemembered` that did change something cached. */
  forget(): void;
  /**
   * Tells the main thread after the commit (`store.notices`). It may learn it even if the operation fails, so a notice
   * says where to look, not what happened.
   */
  notify(notice: Notice): void;
}

/** Where something is new: a topic, and the number of a row. */
export interface Notice {
  topic: string;
  no: number;
}

/** What an audited operation works with: it also has the actor who causes it. */
export interface AuditedTx extends Tx {
  actor: Actor;
}

/**
 * Counters that many operations of a group raise: each is written once a group, not once an operation. An operation
 * that reads such a row in the same group sees it as it was before.
 */
export interface Tallies {
  /** The tally of this kind, which `write` stores and clears before the commit. */
  of<Tally>(kind: TallyKind<Tally>): Tally;
}

/** A kind of kept value, created on first use. */
export interface KeptKind<Kept> {
  readonly make: () => Kept;
}

export interface TallyKind<Tally> {
  readonly make: () => Tally;
  /** Runs in the group's transaction. */
  readonly write: (tx: Tx, tally: Tally) => void;
}

/**
 * A write, known to the writer thread by name. Input and output cross threads, so they are plain data (numbers,
 * strings, Uint8Array, arrays, objects). A thrown Failure rolls back only this operation.
 */
export interface WriteOp<Input, Output> {
  readonly name: string;
  readonly run: (tx: Tx, input: Input) => Output;
  /** A step of a job: calls that a client waits for go first (platform/store/group-queue.ts). */
  readonly inBackground?: true;
  /** Committed without an fsync of its own: what a power cut loses is made again from the rows it was made from. */
  readonly isRepeatable?: true;
  /** Changes nothing that is cached (platform/store/remembered.ts), such as the inbox of an address. */
  readonly keepsRemembered?: true;
  /** Runs on a full disk (platform/store/reserve.ts): it frees space, or is needed to get there. */
  readonly onFullDisk?: true;
  /** It gets the actor who causes it (platform/core/actor.ts). */
  readonly isAudited?: true;
}

export function writeOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run };
}

/** A write that leaves an entry in the audit log. */
export function auditedOp<Input, Output>(
  name: string,
  run: (tx: AuditedTx, input: Input) => Output,
): WriteOp<Input, Output> {
  // The writer gives every operation an actor; only these know it by type.
  return { name, run: run as (tx: Tx, input: Input) => Output, isAudited: true };
}

/**
 * A write that comes with mail: so frequent that the cache must survive it, unless the write clears it (`Tx.forget`).
 */
export function mailOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, keepsRemembered: true };
}

/** Longest time that a step of a job may delay the writer. */
export const STEP_MS_MAX = 4;

/** A write operation for a step of a job. */
export function jobOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, inBackground: true, onFullDisk: true };
}

/** A job's write of something derived from other rows, such as an index. It waits until the disk has room. */
export function repeatableOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, inBackground: true, isRepeatable: true, keepsRemembered: true };
}

/** Marks a write that must work on a full disk. It may add almost nothing to the store. */
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
  /** Whether the turn is over: the read then closes its statements and yields. */
  isTurnOver(): boolean;
}

/**
 * A read in steps. Between two steps, other accounts' reads take turns and messages are committed. No statement may
 * be open at a yield, because it would block checkpoints; each step starts where the last one ended.
 */
export type Steps<Output> = Generator<void, Output, void>;

/** A read that can't be bounded to a few milliseconds; it runs in the reader thread. */
export interface ReadOp<Input, Output> {
  readonly name: string;
  readonly run: (reading: LongReading, input: Input) => Output | Steps<Output>;
  /** The client's answer when it takes too long (platform/store/read-turns.ts); without it, there is no time limit. */
  readonly tooSlow?: (input: Input) => Failure;
}

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
