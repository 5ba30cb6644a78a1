import type { Failure } from '../core/failure.ts';
import type { Sqlite, Statement } from './database.ts';

/** What a write operation works with; it runs inside the group's transaction, in a savepoint of its own. */
export interface Tx {
  sql(text: string): Statement;
  /** The time of the request, microseconds; read once, by whoever asked. */
  nowUs: number;
}

/**
 * A write, known to the writer thread by its name. Input and output cross threads, so they are plain data
 * (numbers, strings, Uint8Array, arrays, objects). A Failure thrown inside undoes this operation alone.
 */
export interface WriteOp<Input, Output> {
  readonly name: string;
  readonly run: (tx: Tx, input: Input) => Output;
  /** A piece of a job's work: what somebody waits for goes before it (platform/store/group-queue.ts). */
  readonly inBackground?: true;
  /** Runs when the disk is full (platform/store/reserve.ts): it frees space, or leads a person to what does. */
  readonly onFullDisk?: true;
}

export function writeOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run };
}

/** How long one piece of a job's work holds back those who wait for the writer. */
export const STEP_MS_MAX = 4;

/** The same for a piece of a job's work. */
export function jobOp<Input, Output>(
  name: string,
  run: (tx: Tx, input: Input) => Output,
): WriteOp<Input, Output> {
  return { name, run, inBackground: true, onFullDisk: true };
}

/** For a write that must work when the disk is full. It adds next to nothing to the store. */
export function onFullDisk<Input, Output>(operation: WriteOp<Input, Output>): WriteOp<Input, Output> {
  return { ...operation, onFullDisk: true };
}

/** What a read works with, on whichever connection. */
export interface Reading {
  sql(text: string): Statement;
}

/** What a read of the reader thread works with. */
export interface LongReading extends Reading {
  database: Sqlite;
  /** Whether others have waited long enough: the read closes its statements and yields. */
  isTurnOver(): boolean;
}

/**
 * A read in pieces. Between two of them other accounts' reads have their turns, and messages are committed: no statement
 * may be open at a yield, for it would hold back the write-ahead log, and each piece begins where the last one ended.
 */
export type Steps<Output> = Generator<void, Output, void>;

/** A read that can't be bounded to a few milliseconds; it runs in the reader thread. */
export interface ReadOp<Input, Output> {
  readonly name: string;
  readonly run: (reading: LongReading, input: Input) => Output | Steps<Output>;
  /** What the client is answered when it takes too long (platform/store/read-turns.ts); without it, it takes as long as it takes. */
  readonly tooSlow?: (input: Input) => Failure;
}

export function readOp<Input, Output>(
  name: string,
  run: (reading: LongReading, input: Input) => Output | Steps<Output>,
  tooSlow?: (input: Input) => Failure,
): ReadOp<Input, Output> {
  return { name, run, ...(tooSlow && { tooSlow }) };
}

// biome-ignore lint/suspicious/noExplicitAny: a table of operations of every shape; each is checked where it is made.
export type AnyWriteOp = WriteOp<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type AnyReadOp = ReadOp<any, any>;
