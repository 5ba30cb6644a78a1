import { createMcpHandler } from '@modelcontextprotocol/server';
import type { RpcMessage } from './message.ts';
import { makeMcpServer, type ServedBy } from './server.ts';

/**
 * Answers one POST of streamable HTTP (protocol versions of 2025 and 2026) whose body was already read. The answer is
 * always a stream: its comments every few seconds keep a long wait alive in proxies.
 */
export function answerMcp(request: Request, message: RpcMessage, by: ServedBy): Promise<Response> {
  // The tools never change, so nobody needs to hold a connection open to hear of it.
  const { fetch } = createMcpHandler(() => makeMcpServer(by), { responseMode: 'sse', maxSubscriptions: 0 });
  const headers = new Headers(request.headers);
  // The library looks for both types by name; these accept both (RFC 9110, 12.5.1).
  if (/^$|\*\/\*/.test(headers.get('accept') ?? '')) {
    headers.set('accept', 'application/json, text/event-stream');
  }
  const { url, signal } = request;
  return fetch(new Request(url, { method: 'POST', headers, signal }), { parsedBody: message });
}
