import { fail } from '../../platform/core/failure.ts';
import { readBytes } from '../../platform/http/body.ts';
import type { Answer } from '../../platform/http/reply.ts';
import { type Call, type Principal, routeOn } from '../../platform/http/route.ts';
import { type McpServices, nameSession } from './calls.ts';
import { type RpcMessage, RpcRefused, readRpcMessage } from './message.ts';
import { type AskApi, writePath } from './tool.ts';

/** The API accepts emails of at most 1 MiB, but JSON may escape some of it. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

const route = routeOn<McpServices>();

/** The Model Context Protocol over streamable HTTP (docs/agents.md). Each POST is complete in itself. */
export const mcpRoutes = [
  route({
    name: 'postMcp',
    method: 'POST',
    path: '/mcp',
    summary: 'Send an MCP message',
    description: 'Answers one message of the Model Context Protocol.',
    tag: 'Agents',
    open: ({ settings }) => settings.mcp,
    content: ['application/json', 'text/event-stream'],
    bodyBytesMax: BODY_BYTES_MAX,
    responses: { 200: null, 202: null },
    waits: true,
    run: serveMcp,
  }),
];

async function serveMcp(call: Call<unknown, unknown, Principal, McpServices>): Promise<Answer> {
  const { request, service, services, client, caller } = call;
  const body = await readBytes(request, {
    bytesMax: BODY_BYTES_MAX,
    refuse: () => fail('payload_too_large', { fields: { body: [`has more than ${BODY_BYTES_MAX} bytes`] } }),
  });
  let message: RpcMessage;
  try {
    message = readRpcMessage(body);
  } catch (fault) {
    if (fault instanceof RpcRefused) return refuseMessage(fault);
    throw fault;
  }
  const ask: AskApi = ({ method = 'GET', body: json, signal, ...asked }) =>
    service.ask({ request, client }, { method, path: writePath(asked), body: json, signal });
  const from = { account: caller.account.id, session: request.headers.get('mcp-session-id') };
  services.mcpCalls.cancel(from, message);
  const { signal, end } = services.mcpCalls.begin(from, message, request.signal);
  const reportFault = (tool: string, fault: unknown) =>
    services.log.error('a tool failed; the agent got server_error', { tool, fault: String(fault) });
  // Half a megabyte of code, which most servers never need.
  const { answerMcp } = await import('./http.ts');
  const answer = await answerMcp(request, message, { ask, stop: signal, reportFault });
  if (!answer.body) end();
  return {
    status: answer.status,
    headers: { ...Object.fromEntries(answer.headers), ...nameSession(message), 'x-accel-buffering': 'no' },
    ...(answer.body && { bytes: watchEnd(answer.body, end) }),
  };
}

function refuseMessage({ code, message }: RpcRefused): Answer {
  return { status: 400, json: { jsonrpc: '2.0', id: null, error: { code, message } } };
}

/** Passes a stream through. Calls `end` after its last byte, or when the reader cancels. */
function watchEnd(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      end();
      controller.close();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}
