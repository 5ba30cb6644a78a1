import { createMcpHandler } from '@modelcontextprotocol/server';
import type { RpcMessage } from './message.ts';
import { makeMcpServer, type ServedBy } from './server.ts';

/**
 * Answers one POST of streamable HTTP (protocol versions of 2025 and 2026) whose body has been read. The response is
 * always an event stream: its comments every few seconds keep proxies from ending a long wait.
 */
export function answerMcp(request: Request, message: RpcMessage, by: ServedBy): Promise<Response> {
  // The tools never change, so no client needs to keep a connection open for changes.
  const { fetch } = createMcpHandler(() => makeMcpServer(by), { responseMode: 'sse', maxSubscriptions: 0 });
  const headers = new Headers(request.headers);
  // The library requires both types by name. A missing header and a wildcard accept both (RFC 9110, section 12.5.1).
  if (/^$|\*\/\*/.test(headers.get('accept') ?? '')) {
    headers.set('accept', 'application/json, text/event-stream');
  }
  const { url, signal } = request;
  return fetch(new Request(url, { method: 'POST', headers, signal }), { parsedBody: message });
}
