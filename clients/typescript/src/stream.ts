import type { Call, Connection } from './connection.js';
import { isPassing } from './connection.js';
import { PosternError } from './errors.js';
import { Deadline, pause, pauseBefore, RETRIES_MAX } from './pause.js';
import { EventParser, type ServerEvent } from './sse.js';
import { formatSince, type MatchOptions, type Requirement } from './wait.js';
import type { Message } from './wire.js';

export interface StreamOptions extends MatchOptions {
  /** What a message must contain. By default every message matches. */
  require?: Requirement;
  /** As for a wait, but by default from now on. `0` starts with the unread messages, oldest first. */
  since?: string | number | Date;
}

/** The server sends something every 10 s (docs/decisions.md, Wait and stream); after this the connection is dead. */
const SILENCE_MS_MAX = 30_000;
/** How long a server that once answered may be away. */
const AWAY_MS_MAX = 60_000;

/**
 * Yields the messages of a stream, without end. Each comes once, over any number of connections. `prefix` is the path of
 * the inbox or the account, and `waitPath` that of its wait, which says where "now" is.
 */
export function streamMessages(
  connection: Connection,
  path: string,
  waitPath: string,
  options: StreamOptions,
): AsyncGenerator<Message, void, undefined> {
  // From now, not from the first step of the loop: messages that arrive in between count.
  const start = options.since === undefined ? readNow(connection, waitPath, options.signal) : null;
  start?.catch(() => {});
  return new Streamed(connection, path, options, start).run();
}

/** Returns the position from which the stream starts. */
async function readNow(connection: Connection, path: string, signal?: AbortSignal): Promise<string> {
  const query = { require: 'message', timeout: 1 };
  const call = (method: 'HEAD' | 'GET'): Call => ({ method, path, query, ...(signal ? { signal } : {}) });
  const read = async (response: Response) => {
    const since = response.headers.get('x-wait-since');
    if (since === null) throw connection.notPostern(response);
    await response.arrayBuffer();
    return since;
  };
  try {
    return await connection.ask(call('HEAD'), read);
  } catch (fault) {
    // The answer to HEAD does not say what is wrong; the answer to GET does.
    if (fault instanceof PosternError && fault.code === 'not_postern')
      return connection.ask(call('GET'), read);
    throw fault;
  }
}

class Streamed {
  /** The message or time after which to continue. */
  private position = '';
  /** When the last message was received, for a server that no longer knows its id. */
  private lastTime: string | null = null;
  private failures = 0;
  /** Since when every attempt has failed; null if the last one succeeded. */
  private awaySinceMs: number | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly path: string,
    private readonly options: StreamOptions,
    private readonly start: Promise<string> | null,
  ) {}

  async *run(): AsyncGenerator<Message, void, undefined> {
    this.position = this.start === null ? formatSince(this.options.since ?? '') : await this.start;
    for (;;) {
      try {
        yield* this.follow();
      } catch (fault) {
        await this.recover(fault);
      }
    }
  }

  /** Reads one connection. Returns at `bye`; throws if the connection ends in any other way. */
  private async *follow(): AsyncGenerator<Message, void, undefined> {
    const deadline = new Deadline(SILENCE_MS_MAX, this.options.signal);
    try {
      const response = await this.open(deadline);
      const decoder = new TextDecoder();
      const parser = new EventParser();
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        deadline.renew();
        for (const event of parser.push(decoder.decode(chunk.value, { stream: true }))) {
          const message = this.take(event);
          if (message !== null) yield message;
          if (event.event === 'bye') return;
          deadline.signal.throwIfAborted();
        }
        deadline.renew();
      }
      throw new Error('the stream was closed');
    } catch (fault) {
      throw this.connection.explain(fault, deadline);
    } finally {
      // Also when the caller leaves the loop: the connection is closed at once.
      deadline.abort();
    }
  }

  private async open(deadline: Deadline): Promise<Response> {
    const { require = 'message', from, subject, minConfidence } = this.options;
    const call: Call = {
      method: 'GET',
      path: this.path,
      query: { require, from, subject_contains: subject, min_confidence: minConfidence },
      headers: { accept: 'text/event-stream', 'last-event-id': this.position },
    };
    const response = await this.connection.open(call, deadline.signal);
    this.connection.hasAnswered = true;
    if (!response.ok) throw await this.connection.readRefusal(response);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw this.connection.notPostern(response);
    return response;
  }

  private take({ event, id, data }: ServerEvent): Message | null {
    if (event !== 'message' && event !== 'bye') return null;
    // An event that is not JSON was damaged on the way; the message is requested again.
    const value = JSON.parse(data);
    this.failures = 0;
    this.awaySinceMs = null;
    if (event === 'bye') {
      this.position = value.since ?? this.position;
      return null;
    }
    this.position = id ?? value.id ?? this.position;
    this.lastTime = value.received_at ?? this.lastTime;
    return value;
  }

  /** Pauses after a temporary failure. Throws any other, and one that lasts too long. */
  private async recover(fault: unknown): Promise<void> {
    if (!(fault instanceof PosternError)) throw fault;
    if (this.goBackToTime(fault)) return;
    this.awaySinceMs ??= performance.now();
    const isNew = !this.connection.hasAnswered && this.failures >= RETRIES_MAX;
    const pauseMs = Math.max(fault.retryAfterMs ?? 0, pauseBefore(this.failures++));
    const isLasting = performance.now() - this.awaySinceMs + pauseMs > AWAY_MS_MAX;
    if (!isPassing(fault) || isNew || isLasting) throw fault;
    await pause(pauseMs, this.options.signal);
  }

  /** A restarted trap no longer knows the last message, but everything in it arrived later. */
  private goBackToTime({ code, fields }: PosternError): boolean {
    if (code !== 'validation_error' || !fields.since || this.lastTime === null) return false;
    this.position = this.lastTime;
    this.lastTime = null;
    return true;
  }
}
