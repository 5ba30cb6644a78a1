import type { ErrorCode } from '../../rules/errors.ts';
import type { Actor } from '../core/actor.ts';
import { Failure, type FailureDetails } from '../core/failure.ts';
import { describeThrown, readCode } from '../core/thrown.ts';
import type { Migrated } from './migrate.ts';
import type { Notice } from './operation.ts';

/*
 * The protocol between the main thread and the store's threads. Operations are called by name. Calls and answers are sent in
 * batches, because a message between threads costs more than most operations.
 */

export interface ThreadCall {
  id: number;
  name: string;
  nowUs: number;
  input: unknown;
  /** For a read: the account whose turn it uses. */
  owner?: string;
  /** For an audited write. */
  actor?: Actor;
}

export interface CallOptions {
  /** For a read: the account whose turn it uses. */
  owner?: string;
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Buffers of the input that are transferred to the thread, not copied; the caller loses them. */
  given?: ArrayBuffer[];
  /** Who causes an audited write. */
  actor?: Actor;
}

export type ThreadAnswer =
  | { id: number; output: unknown }
  | { id: number; failure: { code: ErrorCode; details: FailureDetails } }
  | { id: number; fault: string };

/** A thread's first message. */
export interface ThreadStart {
  file: string;
  addon: string | undefined;
  /** For the writer thread. */
  writer?: WriterStart;
}

export interface WriterStart {
  /** Folder for a copy of the store before a migration; no copy when absent. */
  copies?: string;
  /** False if another program checkpoints the write-ahead log. */
  ownCheckpoints: boolean;
  /** The data folder, if it has a reserve for a full disk (platform/store/reserve.ts). */
  reserveDir?: string;
  /** Whether the folder is removed at the end: then nothing is flushed. */
  isThrownAway?: boolean;
}

export type ToThread =
  | { start: ThreadStart }
  | { calls: ThreadCall[] }
  | { drop: number }
  | { checkpoint: true }
  | { stop: true };
export type FromThread =
  | { ready: true; migrated?: Migrated | null }
  | { answers: ThreadAnswer[]; groupMs?: number; trouble?: string | null; notices?: Notice[] }
  /** Why the write-ahead log could not be checkpointed. */
  | { checkpointFault: string }
  | { stopped: true }
  | { broken: string };

/** The part of a Worker that both ends of a thread use. */
export interface ThreadPort {
  postMessage(message: FromThread | ToThread, options?: { transfer: ArrayBuffer[] }): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface Pending {
  resolve: (output: unknown) => void;
  reject: (reason: unknown) => void;
}

/** Calls that are held back while the thread is busy, to be sent in one message. */
const OUTBOX_MAX = 16;

const HUNG_UP = 'the client hung up';

interface ClientOptions {
  /** For the writer thread: called after each transaction with its number of operations and its duration. */
  onGroup?: ((size: number, ms: number) => void) | undefined;
  /** For the writer thread: called before the answers of each transaction, with why it could not be stored, or null. */
  onTrouble?: (reason: string | null) => void;
  /** For the writer thread: called with why the write-ahead log could not be checkpointed. */
  onCheckpointFault?: (reason: string) => void;
  /** For the writer thread: called with each notice of its operations, after their answers. */
  onNotice?: (notice: Notice) => void;
  /** Calls that are held back while the thread is busy. */
  outboxMax?: number;
  /** Whether it runs in this thread. Then all calls of one turn of the event loop are sent together, to form one group. */
  isInline?: boolean;
}

/** The main thread's end of a thread of the store. */
export class ThreadClient {
  /** Resolves when the thread has opened its database. */
  readonly ready: Promise<Migrated | null>;
  private readonly worker: ThreadPort;
  private readonly pending = new Map<number, Pending>();
  private outbox: ThreadCall[] = [];
  private given = new Set<ArrayBuffer>();
  private sendIsSet = false;
  private nextId = 1;
  private ended: string | undefined;
  private readonly stopped = Promise.withResolvers<void>();
  private readonly outboxMax: number;
  private readonly isInline: boolean;

  constructor(
    worker: ThreadPort,
    start: ThreadStart,
    onBroken: (reason: string) => void,
    options: ClientOptions = {},
  ) {
    const { onGroup = () => {}, onNotice = () => {}, onTrouble, onCheckpointFault } = options;
    this.outboxMax = options.outboxMax ?? OUTBOX_MAX;
    this.isInline = options.isInline === true;
    this.worker = worker;
    const ready = Promise.withResolvers<Migrated | null>();
    this.ready = ready.promise;
    const breakDown = (reason: string) => {
      if (this.ended !== undefined) return;
      this.ended = reason;
      ready.reject(new Error(reason));
      for (const { reject } of this.pending.values()) reject(new Error(reason));
      this.pending.clear();
      this.stopped.resolve();
      onBroken(reason);
    };
    worker.onmessage = ({ data }: MessageEvent<FromThread>) => {
      if ('answers' in data) {
        if (data.groupMs !== undefined) onGroup(data.answers.length, data.groupMs);
        if (data.trouble !== undefined) onTrouble?.(data.trouble);
        this.settle(data.answers);
        data.notices?.forEach(onNotice);
        if (this.outbox.length > 0) this.sendSoon();
      } else if ('ready' in data) ready.resolve(data.migrated ?? null);
      else if ('stopped' in data) this.stopped.resolve();
      else if ('checkpointFault' in data) onCheckpointFault?.(data.checkpointFault);
      else breakDown(data.broken);
    };
    worker.onerror = (event) => breakDown(event.message);
    worker.postMessage({ start });
  }

  get waiting(): number {
    return this.pending.size;
  }

  call(name: string, nowUs: number, input: unknown, options: CallOptions = {}): Promise<unknown> {
    if (this.ended !== undefined) return Promise.reject(new Error(this.ended));
    const { owner, signal, given, actor } = options;
    if (signal?.aborted) return Promise.reject(new Error(HUNG_UP));
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.pending.set(id, { resolve, reject });
      this.outbox.push({
        id,
        name,
        nowUs,
        input,
        ...(owner !== undefined && { owner }),
        ...(actor && { actor }),
      });
      for (const buffer of given ?? []) this.given.add(buffer);
      signal?.addEventListener('abort', () => this.drop(id), { once: true });
      // While the thread is busy, calls are held back until its next answer, up to a bound.
      const isBusy = this.pending.size > this.outbox.length;
      if (!isBusy || this.outbox.length >= this.outboxMax) this.sendSoon(!isBusy);
    });
  }

  /** Discards a call whose caller is gone. */
  private drop(id: number): void {
    const pending = this.pending.get(id);
    if (!pending || this.ended !== undefined) return;
    this.pending.delete(id);
    const unsent = this.outbox.findIndex((call) => call.id === id);
    if (unsent >= 0) this.outbox.splice(unsent, 1);
    else this.worker.postMessage({ drop: id });
    pending.reject(new Error(HUNG_UP));
  }

  /**
   * To an idle thread, sends in the next microtask, with the other calls of this event: waiting for the next turn of the
   * event loop would only cost time. Otherwise sends at the end of this turn.
   */
  private sendSoon(isIdle = false): void {
    if (this.sendIsSet) return;
    this.sendIsSet = true;
    const send = () => {
      this.sendIsSet = false;
      this.send();
    };
    if (isIdle && !this.isInline) queueMicrotask(send);
    else setImmediate(send);
  }

  /** Has the writer thread checkpoint the write-ahead log, however small, as soon as nothing waits. */
  checkpoint(): void {
    if (this.ended === undefined) this.worker.postMessage({ checkpoint: true });
  }

  /** Waits for the calls in progress, closes the thread's database, then ends the thread. */
  async stop(): Promise<void> {
    if (this.ended === undefined) {
      this.send();
      this.worker.postMessage({ stop: true });
      await this.stopped.promise;
      this.ended = 'the store is closed';
    }
    this.worker.terminate();
  }

  private send(): void {
    if (this.outbox.length === 0) return;
    const { outbox: calls, given } = this;
    this.outbox = [];
    this.given = new Set();
    this.worker.postMessage({ calls }, { transfer: [...given] });
  }

  private settle(answers: ThreadAnswer[]): void {
    for (const answer of answers) {
      const pending = this.pending.get(answer.id);
      this.pending.delete(answer.id);
      if ('output' in answer) pending?.resolve(answer.output);
      else if ('failure' in answer) pending?.reject(new Failure(answer.failure.code, answer.failure.details));
      else pending?.reject(new Error(answer.fault));
    }
  }
}

/** Turns a thrown value into an answer, which can cross threads. */
export function answerThrown(id: number, thrown: unknown): ThreadAnswer {
  if (thrown instanceof Failure) {
    const { code, fields, message, status, retryAfterS } = thrown;
    return { id, failure: { code, details: { fields, text: message, status, retryAfterS } } };
  }
  if (isDiskFull(thrown)) return answerFullDisk(id);
  if (isStorageFault(thrown)) return { id, failure: { code: 'storage_unavailable', details: {} } };
  return { id, fault: describeThrown(thrown) };
}

/** The answer to a write for which the disk has no room. */
export function answerFullDisk(id: number): ThreadAnswer {
  const text = 'The disk is full; nothing was changed. Delete messages or free space, then try again.';
  return { id, failure: { code: 'storage_unavailable', details: { text } } };
}

/** Our own code for a used-up quota: SQLite reports it as an I/O error (platform/store/trouble.ts). */
export const QUOTA_USED_UP = 'SQLITE_FULL_QUOTA';

export function isDiskFull(thrown: unknown): boolean {
  return ['SQLITE_FULL', QUOTA_USED_UP].includes(readCode(thrown));
}

/** Whether the disk is full or failing: not the caller's fault, and possibly temporary. */
export function isStorageFault(thrown: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|NOMEM)/.test(readCode(thrown));
}
