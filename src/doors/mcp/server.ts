import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { version } from '../../../package.json' with { type: 'json' };
import { mailTools } from './mail.ts';
import { readArguments } from './read-arguments.ts';
import { sendingTools } from './sending.ts';
import { UNTRUSTED_NOTE } from './shown.ts';
import { type AskApi, ServerGone, type Tool, type ToolCall, ToolRefused, type ToolResult } from './tool.ts';
import { waitTools } from './waiting.ts';

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [...mailTools, ...waitTools, ...sendingTools];

const INSTRUCTIONS =
  'Postern gives you email inboxes. To sign up or sign in somewhere, call create_inbox, enter its address there, then ' +
  'call wait_for_code or wait_for_link with that inbox. A wait tool returns the moment the email arrives, so never poll. ' +
  UNTRUSTED_NOTE;

/** What the tools need from the transport. */
export interface ServedBy {
  ask: AskApi;
  /** Aborts when the client cancels or hangs up, for transports where the library does not notice. */
  stop?: AbortSignal;
  /** Called when a tool failed in a way that the operator should know about. */
  reportFault(tool: string, fault: unknown): void;
}

/** Creates a server for one request or one connection. That is enough, because tools keep no state. */
export function makeMcpServer(by: ServedBy): McpServer {
  const server = new McpServer(
    { name: 'postern', title: 'Postern', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  for (const tool of tools) {
    const { name, title, description, args, isReadOnly = false, isOpenWorld = false } = tool;
    const annotations = {
      readOnlyHint: isReadOnly,
      destructiveHint: false,
      idempotentHint: isReadOnly,
      openWorldHint: isOpenWorld,
    };
    const inputSchema = showOnly(args);
    server.registerTool(name, { title, description, inputSchema, annotations }, (given, context) => {
      const { _meta, notify } = context.mcpReq;
      const signal = by.stop ? AbortSignal.any([context.mcpReq.signal, by.stop]) : context.mcpReq.signal;
      const token = _meta?.progressToken;
      const report = async (doneS: number, totalS: number) => {
        if (token === undefined) return;
        const params = { progressToken: token, progress: Math.round(doneS), total: totalS };
        await notify({ method: 'notifications/progress', params });
      };
      return runTool(tool, { args: given, ask: by.ask, signal, report }, by.reportFault);
    });
  }
  return server;
}

/**
 * Returns a schema that clients see but that accepts anything. We check it ourselves: the library's errors have no
 * code.
 */
function showOnly(args: Tool['args']): StandardSchemaWithJSON<unknown> {
  return { '~standard': { ...args['~standard'], validate: (value: unknown) => ({ value }) } };
}

/** Runs a tool. Its JSON is also sent as text, which every client shows to its model. */
async function runTool(tool: Tool, call: ToolCall<unknown>, reportFault: ServedBy['reportFault']) {
  try {
    const args = readArguments(tool, call.args) as never;
    const { json, files = [] }: ToolResult = await tool.run({ ...call, args });
    return {
      content: [
        { type: 'text' as const, text: JSON.stringify(json) },
        ...files.map(({ uri, mimeType, base64 }) => ({
          type: 'resource' as const,
          resource: { uri, mimeType, blob: base64 },
        })),
      ],
      structuredContent: json,
    };
  } catch (fault) {
    if (fault instanceof ToolRefused) return refuse(fault.error);
    if (fault instanceof ServerGone) return refuse({ code: 'server_unreachable', message: fault.message });
    // The client no longer reads this, but it ends the response.
    if (call.signal.aborted) return refuse({ code: 'cancelled', message: 'The call was cancelled.' });
    reportFault(tool.name, fault);
    return refuse({ code: 'server_error', message: 'Something went wrong on our side.' });
  }
}

function refuse(error: Record<string, unknown>) {
  return { isError: true, content: [{ type: 'text' as const, text: JSON.stringify({ error }) }] };
}
