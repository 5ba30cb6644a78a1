import { type AskApi, ServerGone, writePath } from '../../mcp/tool.ts';
import type { LocalCommand } from '../command.ts';
import { makeRemote, type Remote, Unreachable } from './remote.ts';

export const mcp: LocalCommand = {
  name: 'mcp',
  meaning:
    'serve the API as tools for an agent, over the Model Context Protocol on standard input and output',
  takesSettings: 'client',
  examples: ['claude mcp add postern -- postern mcp', 'POSTERN_URL=https://mail.example.org postern mcp'],
  async runHere({ loaded }) {
    const [{ serveStdio }, { makeMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../../mcp/server.ts'),
    ]);
    const ask = askOver(makeRemote(loaded.settings));
    const ended = Promise.withResolvers<void>();
    process.stdin.once('close', ended.resolve);
    process.stdin.once('end', ended.resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve());
    const onerror = (fault: Error) => process.stderr.write(`${fault.message}\n`);
    const reportFault = (tool: string, fault: unknown) => process.stderr.write(`${tool}: ${fault}\n`);
    const served = serveStdio(() => makeMcpServer({ ask, reportFault }), { onerror });
    await ended.promise;
    await served.close();
    return 0;
  },
};

function askOver(remote: Remote): AskApi {
  return async ({ method = 'GET', body, signal, ...asked }) => {
    try {
      return await remote.request(writePath(asked), {
        method,
        signal,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
    } catch (fault) {
      throw fault instanceof Unreachable ? new ServerGone(fault.message) : fault;
    }
  };
}
