/** A server that answers as a case wants, and checks the requests (clients/contract/README.md, Where it runs). */
import { createServer, type Server, type Socket } from 'node:net';
import { compare, fill, type Values } from './values.ts';

interface Answer {
  expect?: { method?: string; path?: string; query?: Values; headers?: Values; body?: unknown };
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  delay_ms?: number;
  cut?: 'before' | 'middle';
}

interface AskedRequest {
  method: string;
  path: string;
  query: Values;
  headers: Record<string, string>;
  body: unknown;
}

/** The delay between the last bytes and a cut. */
const CUT_MS = 100;

export class ScriptedPeer {
  /** Requests that differed from what was expected, a line each. */
  readonly faults: string[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private at = 0;

  constructor(
    private readonly answers: readonly Answer[],
    private readonly values: Values,
    private readonly remembered: Map<string, unknown>,
  ) {
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
    const left = this.answers.length - this.at;
    if (left > 0) this.faults.push(`${left} answers were not asked for`);
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const request = readRequest(bytes);
      if (!request) return;
      bytes = Buffer.alloc(0);
      void this.answer(socket, request);
    });
  }

  private async answer(socket: Socket, request: AskedRequest): Promise<void> {
    const number = ++this.at;
    const answer = this.answers[number - 1] ?? {
      status: 500,
      body: { error: { code: 'server_error', message: 'The case has no further answer.', fields: {} } },
    };
    if (number > this.answers.length)
      this.faults.push(`request ${number} was not expected: ${request.method} ${request.path}`);
    const expected = fill(answer.expect ?? {}, this.values);
    const fault = compare(request, expected, this.remembered, `request ${number}`);
    if (fault) this.faults.push(fault);
    if (answer.delay_ms) await new Promise((done) => setTimeout(done, answer.delay_ms));
    if (answer.cut === 'before') socket.destroy();
    else if (answer.cut === undefined) socket.end(render(answer, request.method));
    else {
      socket.write(render(answer, request.method));
      // Bun's fetch drops what it has not handed over when the connection breaks.
      setTimeout(() => socket.destroy(), CUT_MS);
    }
  }
}

function render({ status = 200, headers = {}, body, text, cut }: Answer, method: string): Buffer {
  const content = Buffer.from(text ?? (body === undefined ? '' : JSON.stringify(body)));
  const isStream = headers['content-type'] === 'text/event-stream';
  const all: Record<string, string> = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  // A stream that is not cut ends with its connection.
  if (!isStream || cut) all['content-length'] = String(content.length + (cut ? 1 : 0));
  if (status === 204) delete all['content-length'];
  Object.assign(all, headers, { connection: 'close' });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`);
  return method === 'HEAD' ? head : Buffer.concat([head, content]);
}

/** Parses a request; null while it is not complete. */
function readRequest(bytes: Buffer): AskedRequest | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const length = Number(headers['content-length'] ?? 0);
  if (bytes.length < end + 4 + length) return null;
  const [method = '', target = ''] = line.split(' ');
  const url = new URL(target, 'http://peer');
  const text = bytes.subarray(end + 4, end + 4 + length).toString();
  const query = Object.fromEntries(url.searchParams);
  const body = text === '' ? undefined : JSON.parse(text);
  return { method, path: url.pathname, query, headers, body };
}
