import type { Call, Connection, Query } from './connection.js';
import { isPassing } from './connection.js';
import { makeError, PosternError, refuseArgument } from './errors.js';
import { pause, pauseBefore, RETRIES_MAX } from './pause.js';
import type { Message } from './wire.js';

/** What a message must contain. `any` is a code or a link; with `message`, every message matches. */
export type Requirement = 'otp' | 'link' | 'any' | 'message';

/** Which messages match. */
export interface MatchOptions {
  /** Part of From, case-insensitive. */
  from?: string;
  /** Part of the subject, case-insensitive. */
  subject?: string;
  /** The code's lowest confidence, from 0 to 1. */
  minConfidence?: number;
  signal?: AbortSignal;
}

export interface WaitOptions extends MatchOptions {
  /** How long to wait: 20 seconds by default, and as long as you like. */
  timeoutMs?: number;
  /**
   * Only messages received after this: an ISO time, the id of a message, or a Unix time. `0`, the default, also matches
   * unread messages that are already there.
   */
  since?: string | number | Date;
  /** Whether to mark the message read in the same step, so that no other wait gets it. True by default. */
  claim?: boolean;
}

const TIMEOUT_MS_STANDARD = 20_000;
/** Bounds of one request (docs/api-v1.md, Wait). */
const ONE_WAIT_MS = { min: 1_000, max: 25_000 };
/** How much longer than its time-out a request may take before its connection is considered dead. */
const GRACE_MS = 15_000;
/** For less time than the server's shortest wait, the client polls at this interval. */
const LOOK_AGAIN_MS = 100;

/** Waits for the first message that matches. `path` is the wait's path. */
export function waitForMatch(
  connection: Connection,
  path: string,
  require: Requirement,
  options: WaitOptions,
): Promise<Message> {
  return new Wait(connection, path, require, options).run();
}

/** Returns `since` in the form of the API. */
export function formatSince(since: string | number | Date): string {
  if (since instanceof Date) return since.toISOString();
  // If an empty string meant "from now on", a variable that was never set would lose mail.
  if (since === '') refuseArgument('since', 'must not be empty');
  return String(since);
}

class Wait {
  private readonly timeoutMs: number;
  private readonly endsMs: number;
  private readonly isClaim: boolean;
  /** One key for the whole wait, so that a claim whose answer was lost on the way is returned again. */
  private readonly key: string | undefined;
  private since: string;
  private arrived = 0;
  private reason = 'no_message';
  private failures = 0;
  /** Why the last wait could not start; null once one has. */
  private refusal: PosternError | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly path: string,
    private readonly require: Requirement,
    private readonly options: WaitOptions,
  ) {
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS_STANDARD;
    if (!(this.timeoutMs >= 0)) refuseArgument('timeoutMs', 'must be a number of milliseconds');
    this.endsMs = performance.now() + this.timeoutMs;
    this.isClaim = options.claim ?? true;
    this.key = this.isClaim ? crypto.randomUUID() : undefined;
    this.since = formatSince(options.since ?? 0);
  }

  async run(): Promise<Message> {
    for (;;) {
      try {
        const message = await this.askNext();
        this.failures = 0;
        if (message !== null) return message;
        if (this.leftMs() <= 0) throw this.refusal ?? this.timedOut();
      } catch (fault) {
        await this.recover(fault);
      }
    }
  }

  private askNext(): Promise<Message | null> {
    const leftMs = this.leftMs();
    if (leftMs < ONE_WAIT_MS.min) return this.look(leftMs);
    // Two halves, so that no rest is shorter than the server's shortest wait.
    const isNearlyTwo = leftMs > ONE_WAIT_MS.max && leftMs < ONE_WAIT_MS.max + ONE_WAIT_MS.min;
    return this.ask(isNearlyTwo ? leftMs / 2 : Math.min(leftMs, ONE_WAIT_MS.max));
  }

  /** Waits once on the server. Returns null if no message arrived. */
  private ask(ms: number): Promise<Message | null> {
    return this.connection.askOnce(this.makeCall('GET', ms), async (response) => {
      this.refusal = null;
      if (response.status === 204) return this.note(response.headers);
      const message = readMessage(await response.text());
      if (message === null) throw this.connection.notPostern(response);
      return message;
    });
  }

  /**
   * Waits for less time than the server's shortest wait. It looks without claiming, because a claim that is cut off when
   * the time is up would lose its message.
   */
  private async look(leftMs: number): Promise<Message | null> {
    const isThere = await this.connection
      .askOnce(this.makeCall('HEAD', ONE_WAIT_MS.min), async (response) => {
        if (response.status === 204) this.note(response.headers);
        return response.status === 200;
      })
      // The answer to HEAD does not say what is wrong; the answer to GET does.
      .catch((fault: unknown) => {
        if (fault instanceof PosternError && fault.code === 'not_postern') return true;
        throw fault;
      });
    if (isThere) return this.ask(ONE_WAIT_MS.min);
    await pause(Math.max(0, Math.min(LOOK_AGAIN_MS, leftMs)), this.options.signal);
    return null;
  }

  /** Reads from a 204 where to continue, and what arrived without matching. */
  private note(headers: Headers): null {
    this.since = headers.get('x-wait-since') ?? this.since;
    this.arrived += Number(headers.get('x-wait-arrived') ?? 0) || 0;
    const reason = headers.get('x-wait-reason') ?? 'no_message';
    if (reason !== 'no_message') this.reason = reason;
    return null;
  }

  /** Pauses after a temporary failure. Throws any other, and every failure once the time is up. */
  private async recover(fault: unknown): Promise<void> {
    if (!(fault instanceof PosternError) || !isPassing(fault)) throw fault;
    const isNew = !this.connection.hasAnswered && this.failures >= RETRIES_MAX;
    const leftMs = this.leftMs();
    // Slots are all in use only for a moment, so the given time is an upper bound.
    const isSlot = fault.code === 'too_many_wait_requests' || fault.code === 'wait_capacity';
    const askedMs = isSlot ? 0 : (fault.retryAfterMs ?? 0);
    if (isSlot) this.refusal = fault;
    if (isNew || leftMs <= 0 || askedMs > leftMs) throw fault;
    const pauseMs = Math.max(askedMs, pauseBefore(this.failures++));
    await pause(Math.min(pauseMs, leftMs), this.options.signal);
  }

  private makeCall(method: 'GET' | 'HEAD', ms: number): Call {
    const { from, subject, minConfidence, signal } = this.options;
    const query: Query = {
      since: this.since,
      require: this.require,
      timeout: method === 'HEAD' ? undefined : Math.ceil(ms) / 1000,
      mark_read: this.isClaim ? true : undefined,
      min_confidence: minConfidence,
      from,
      subject_contains: subject,
    };
    return {
      method,
      path: this.path,
      query,
      timeoutMs: ms + GRACE_MS,
      ...(this.key === undefined || method === 'HEAD' ? {} : { key: this.key }),
      ...(signal === undefined ? {} : { signal }),
    };
  }

  private leftMs(): number {
    return this.endsMs - performance.now();
  }

  private timedOut(): PosternError {
    const { arrived } = this;
    const reason = arrived > 0 && this.reason === 'no_message' ? 'taken' : this.reason;
    const text = `No matching message came within ${this.timeoutMs / 1000} s.`;
    return makeError({ code: 'wait_timeout', text, arrived, reason });
  }
}

function readMessage(text: string): Message | null {
  try {
    const { data } = JSON.parse(text);
    return typeof data === 'object' ? data : null;
  } catch {
    return null;
  }
}
