import { createMcpHandler } from '@modelcontextprotocol/server';
import { makeMcpServer } from './server.ts';
import type { AskApi } from './tool.ts';

/** Answers one POST of streamable HTTP, of the protocol of 2025 or of 2026. */
export function answerMcp(request: Request, body: Uint8Array, ask: AskApi): Promise<Response> {
  const { fetch } = createMcpHandler(() => makeMcpServer(ask));
  const { url, headers, signal } = request;
  return fetch(new Request(url, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer>, signal }));
}
