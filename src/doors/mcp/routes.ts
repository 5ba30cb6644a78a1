import { fail } from '../../platform/core/failure.ts';
import { readBytes } from '../../platform/http/body.ts';
import type { Answer } from '../../platform/http/reply.ts';
import { type Call, type Principal, route } from '../../platform/http/route.ts';
import { type AskApi, writePath } from './tool.ts';

/** An email that the API accepts has at most 1 MiB; JSON in JSON-RPC may escape some of it. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/** The Model Context Protocol over streamable HTTP (docs/agents.md). It keeps no session: each POST is complete. */
export const mcpRoutes = [
  route({
    name: 'postMcp',
    method: 'POST',
    path: '/mcp',
    summary: 'The Model Context Protocol',
    tag: 'Agents',
    open: ({ settings }) => settings.mcp,
    content: ['application/json', 'text/event-stream'],
    body_bytes_max: BODY_BYTES_MAX,
    gives: { 200: null, 202: null },
    waits: true,
    run: serveMcp,
  }),
];

async function serveMcp(call: Call<unknown, unknown, Principal>): Promise<Answer> {
  const { request, service, client } = call;
  const body = await readBytes(request, {
    bytesMax: BODY_BYTES_MAX,
    refuse: () => fail('payload_too_large', { fields: { body: [`has more than ${BODY_BYTES_MAX} bytes`] } }),
  });
  const ask: AskApi = ({ method = 'GET', body: json, signal, ...asked }) =>
    service.ask({ request, client }, { method, path: writePath(asked), body: json, signal });
  // Half a megabyte of code, which most servers never need.
  const { answerMcp } = await import('./http.ts');
  const answer = await answerMcp(request, body, ask);
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    ...(answer.body && { bytes: answer.body }),
  };
}
