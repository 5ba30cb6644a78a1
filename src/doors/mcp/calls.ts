import type { PlatformServices } from '../../platform/services.ts';
import type { RpcMessage } from './message.ts';

/** `session` is null for a client that sends no session id. It can't cancel anything. */
interface Caller {
  account: string;
  session: string | null;
}

/**
 * Tool calls in progress, so that a client can cancel one. In the protocol of 2025, a cancellation is a request of its
 * own, often while the client keeps the cancelled request open, and names that by an id that is unique only within a
 * session. So `initialize` returns a session id. Nothing else is stored about sessions.
 */
export class RunningCalls {
  private readonly running = new Map<string, AbortController>();

  /** Ends the call that a message cancels, if it is in progress. Ignores any other message. */
  cancel(caller: Caller, { method, params }: RpcMessage): void {
    if (method !== 'notifications/cancelled' || caller.session === null) return;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    this.running.get(nameCall(caller, requestId))?.abort();
  }

  /**
   * Registers a call. `signal` aborts when the client cancels or hangs up; `end` must be called when the call is over.
   */
  begin(
    caller: Caller,
    { method, id }: RpcMessage,
    hungUp: AbortSignal,
  ): { signal: AbortSignal; end(): void } {
    const stop = new AbortController();
    const name = nameCall(caller, id);
    const isNamed = method === 'tools/call' && caller.session !== null && !this.running.has(name);
    const end = () => {
      if (isNamed) this.running.delete(name);
    };
    if (isNamed) this.running.set(name, stop);
    hungUp.addEventListener('abort', end, { once: true });
    return { signal: AbortSignal.any([stop.signal, hungUp]), end };
  }
}

/** The services that the routes of this door need. */
export interface McpServices extends PlatformServices {
  readonly mcpCalls: RunningCalls;
}

/** Returns the header with a new session id, for the response to `initialize`. Empty for any other message. */
export function nameSession({ method }: RpcMessage): Record<string, string> {
  return method === 'initialize' ? { 'mcp-session-id': crypto.randomUUID() } : {};
}

function nameCall({ account, session }: Caller, id: unknown): string {
  return JSON.stringify([account, session, id]);
}
