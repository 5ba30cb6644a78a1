import type { ErrorCode } from '../../rules/errors.ts';
import type { Actor } from '../core/actor.ts';
import { Failure, type FailureDetails } from '../core/failure.ts';
import { describeThrown } from '../core/thrown.ts';
import type { Migrated } from './migrate.ts';
import type { Notice } from './operation.ts';

/*
 * Messages between the main thread and the store's threads: calls by name, sent and answered in batches, because a
 * message between threads costs more than most operations.
 */

export interface ThreadCall {
  id: number;
  name: string;
  nowUs: number;
  input: unknown;
  /** For a read: whose turn it takes. */
  owner?: string;
  /** For an audited write. */
  actor?: Actor;
}

/** A call's owner, a signal that cancels it, and memory of its input that it takes along instead of a copy. */
export interface CallOptions {
  owner?: string;
  signal?: AbortSignal;
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
  /** False: another program checkpoints the write-ahead log. */
  ownCheckpoints: boolean;
  /** The data folder, if its reserve decides what is written on a full disk (platform/store/reserve.ts). */
  reserveDir?: string;
  /** The folder is removed at the end: nothing is flushed to the disk. */
  isThrownAway?: boolean;
}

export type ToThread =
  | { start: ThreadStart }
  | { calls: ThreadCall[] }
  | { drop: number }
  | { fold: true }
  | { stop: true };
export type FromThread =
  | { ready: true; migrated?: Migrated | null }
  | { answers: ThreadAnswer[]; groupMs?: number; trouble?: string | null; notices?: Notice[] }
  /** Why the write-ahead log could not be checkpointed. */
  | { unfolded: string }
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

/** Calls batched while the thread is busy: a message costs more than most calls. */
const OUTBOX_MAX = 16;

const HUNG_UP = 'the client hung up';

interface ClientOptions {
  /** For the writer thread: a transaction's number of operations and its duration. */
  onGroup?: ((size: number, ms: number) => void) | undefined;
  /** For the writer thread: why a transaction could not be stored, or null; before its answers. */
  onTrouble?: (reason: string | null) => void;
  /** For the writer thread: why the write-ahead log could not be checkpointed. */
  onUnfolded?: (reason: string) => void;
  /** For the writer thread: the notices of its operations, after their answers. */
  onNotice?: (notice: Notice) => void;
  /** Calls per message while others are in progress. */
  outboxMax?: number;
  /**
   * It runs in this thread: then all calls of one turn of the event loop are sent together, so that they form a group.
   */
  isInline?: boolean;
}

/** The main thread's side. */
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
    const { onGroup = () => {}, onNotice = () => {}, onTrouble, onUnfolded } = options;
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
      else if ('unfolded' in data) onUnfolded?.(data.unfolded);
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
      // While the thread is busy, calls collect until its next answer, up to a bound.
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
   * Sends to an idle thread at the end of this event, with the event's other calls: waiting for the next turn of the
   * event loop would only cost time. While the thread or this one is busy, sends at the end of the turn.
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

  /** Checkpoints the write-ahead log when idle, however small it is. */
  fold(): void {
    if (this.ended === undefined) this.worker.postMessage({ fold: true });
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

/** A thrown value in the form that crosses threads. */
export function answerThrown(id: number, thrown: unknown): ThreadAnswer {
  if (thrown instanceof Failure) {
    const { code, fields, message, status, retryAfterS } = thrown;
    return { id, failure: { code, details: { fields, text: message, status, retry_after_s: retryAfterS } } };
  }
  if (isDiskFull(thrown)) return refusedOnFullDisk(id);
  if (isStorageFault(thrown)) return { id, failure: { code: 'storage_unavailable', details: {} } };
  return { id, fault: describeThrown(thrown) };
}

/** The answer to a write without room for it. */
export function refusedOnFullDisk(id: number): ThreadAnswer {
  const text = 'The disk is full; nothing was changed. Delete messages or free space, then try again.';
  return { id, failure: { code: 'storage_unavailable', details: { text } } };
}

/** SQLite has no code for it, and reports an I/O error (platform/store/trouble.ts). */
export const QUOTA_USED_UP = 'SQLITE_FULL_QUOTA';

export function isDiskFull(thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code;
  return code === 'SQLITE_FULL' || code === QUOTA_USED_UP;
}

/** Whether the disk is full or failing: not the caller's fault, and possibly temporary. */
export function isStorageFault(thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|NOMEM)/.test(code);
}
