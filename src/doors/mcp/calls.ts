import type { PlatformServices } from '../../platform/services.ts';
import type { RpcMessage } from './message.ts';

/** `session` is null for a client that sends none; then it can cancel nothing. */
interface Caller {
  account: string;
  session: string | null;
}

/**
 * Tool calls in progress, so that a client can cancel one. In the protocol of 2025, the notification that cancels comes
 * in a request of its own, often without the end of the cancelled one, and names it by an id that is unique only in a
 * session. So each client gets a session id when it begins; nothing else is kept of sessions.
 */
export class RunningCalls {
  private readonly running = new Map<string, AbortController>();

  /** Ends the call that a notification cancels, if it is in progress. */
  cancel(caller: Caller, { method, params }: RpcMessage): void {
    if (method !== 'notifications/cancelled' || caller.session === null) return;
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    this.running.get(nameCall(caller, requestId))?.abort();
  }

  /** A call in progress. Its signal aborts when the client cancels or hangs up; `end` forgets the call. */
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

/** What the routes of this door need. */
export interface McpServices extends PlatformServices {
  readonly mcpCalls: RunningCalls;
}

/** For a response to `initialize`. */
export function nameSession({ method }: RpcMessage): Record<string, string> {
  return method === 'initialize' ? { 'mcp-session-id': crypto.randomUUID() } : {};
}

function nameCall({ account, session }: Caller, id: unknown): string {
  return JSON.stringify([account, session, id]);
}
