/** An agent: the official MCP client, over HTTP or through `postern mcp`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { program } from '../../program.ts';
import { environment } from '../operator/command-process.ts';

export interface ToolAnswer {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results as a model does.
  json: any;
  /** Bytes of the files in the result. */
  files: Buffer[];
}

export class Agent implements AsyncDisposable {
  private constructor(readonly client: Client) {}

  static async overHttp(url: string, key?: string): Promise<Agent> {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
    );
    return new Agent(client);
  }

  static async overStdio(url: string, key?: string): Promise<Agent> {
    const client = new Client({ name: 'test', version: '1' });
    const env = environment({ POSTERN_URL: url, ...(key !== undefined && { POSTERN_API_KEY: key }) });
    const [command = '', ...args] = [...program, 'mcp'];
    await client.connect(new StdioClientTransport({ command, args, env: env as Record<string, string> }));
    return new Agent(client);
  }

  async use(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolAnswer> {
    const options = { timeout: 60_000, ...(signal && { signal }) };
    const { isError = false, content } = await this.client.callTool({ name, arguments: args }, options);
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const files = content.flatMap((part) =>
      part.type === 'resource' && 'blob' in part.resource ? [Buffer.from(part.resource.blob, 'base64')] : [],
    );
    return { isError, json: JSON.parse(texts.join('')), files };
  }

  [Symbol.asyncDispose]() {
    return this.client.close();
  }
}
