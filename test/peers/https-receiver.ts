/** An HTTP or HTTPS server in this process, with a certificate from a private CA. The test sets its responses. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';

export interface Received {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  /** The name in SNI; empty without one. */
  servername: string;
}

/** The response to a request; 200 by default. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Delay before the response begins. */
  delay_ms?: number;
  until?: Promise<void>;
  /** Instead of a response: none, a reset, a body that stops or never ends, or exactly these bytes. */
  how?: 'no answer' | 'reset' | 'stalled body' | 'endless body' | { raw: string | Uint8Array };
}

interface TestCa {
  pem: string;
  /** Issues a certificate for these names and addresses. */
  issue(names: readonly string[]): Promise<{ key: string; cert: string }>;
}

interface ReceiverOptions {
  /** The names in its certificate; hook.test by default. */
  names?: readonly string[];
  /** The CA that issues it; the tests' own by default. */
  ca?: TestCa;
  tls?: SecureContextOptions;
  /** `http` is without TLS; `mute` accepts connections and sends nothing. */
  kind?: 'https' | 'http' | 'mute';
  host?: string;
}

export interface Receiver {
  port: number;
  /** Sets the responses to successive requests, of which the last repeats; or a function that returns them. */
  answer(...answers: Answer[] | [(request: Received) => Answer]): void;
  readonly requests: readonly Received[];
  /** Resolves when this many requests have arrived in total. */
  received(count: number): Promise<void>;
  /** TCP connections made, including failed ones. */
  readonly connections: number;
  /** TCP connections that are open. */
  readonly open: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates a private certificate authority. */
export async function makeCa(): Promise<TestCa> {
  const name = `Test CA ${crypto.randomUUID()}`;
  const created = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return {
    pem: created.cert,
    async issue(names) {
      const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? '' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        ca: { key: created.private, cert: created.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          {
            name: 'subjectAltName',
            altNames: names.map((name) =>
              isIP(name) !== 0 ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
            ),
          },
        ],
      });
      return { key, cert };
    },
  };
}

let created: Promise<TestCa> | undefined;

/** Returns the CA that all tests of a process share. */
export function testCa(): Promise<TestCa> {
  created ??= makeCa();
  return created;
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const { names = ['hook.test'], kind = 'https', host = '127.0.0.1' } = options;
  const seen = record();
  const sockets = new Set<Socket>();
  let connections = 0;
  let next: (request: Received) => Answer = () => ({});
  const http = createHttpServer(async (request, response) => {
    const received = await read(request);
    const answer = next(received);
    seen.add(received);
    await respond(answer, request, response, () => reset(rawOf, request.socket));
  });
  const wrap = await wrapper(kind, options, names);
  const rawOf = new WeakMap<Socket, Socket>();
  // The TCP server is our own, so that connections count even if their TLS handshake failed.
  const server = createTcpServer((raw) => {
    connections += 1;
    sockets.add(raw);
    raw.on('error', () => raw.destroy());
    raw.on('close', () => sockets.delete(raw));
    if (kind === 'mute') {
      raw.resume();
      return;
    }
    const socket = wrap(raw);
    rawOf.set(socket, raw);
    socket.on('error', () => raw.destroy());
    socket.on('close', () => raw.destroy());
    http.emit('connection', socket);
  });
  await new Promise<void>((done) => server.listen(0, host, done));
  return {
    port: (server.address() as { port: number }).port,
    answer(...answers) {
      const [first] = answers;
      if (typeof first === 'function') next = first;
      else next = () => ((answers.length > 1 ? answers.shift() : answers[0]) as Answer | undefined) ?? {};
    },
    requests: seen.requests,
    received: seen.received,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function record() {
  const requests: Received[] = [];
  const waiting = new Set<() => void>();
  return {
    requests,
    add(request: Received) {
      requests.push(request);
      for (const check of waiting) check();
    },
    received: (count: number) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

async function wrapper(
  kind: ReceiverOptions['kind'],
  { ca, tls }: ReceiverOptions,
  names: readonly string[],
): Promise<(raw: Socket) => Socket> {
  if (kind !== 'https') return (raw) => raw;
  const secureContext = createSecureContext({ ...(await (ca ?? (await testCa())).issue(names)), ...tls });
  return (raw) => new TLSSocket(raw, { isServer: true, secureContext });
}

function reset(rawOf: WeakMap<Socket, Socket>, socket: Socket): void {
  (rawOf.get(socket) ?? socket).resetAndDestroy();
}

async function read(request: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { servername } = request.socket as TLSSocket;
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    body: Buffer.concat(pieces),
    servername: typeof servername === 'string' ? servername : '',
  };
}

async function respond(
  answer: Answer,
  { socket }: IncomingMessage,
  response: ServerResponse,
  resetIt: () => void,
): Promise<void> {
  const { status = 200, headers = {}, body = '', delay_ms = 0, how } = answer;
  if (delay_ms > 0) await Bun.sleep(delay_ms);
  await answer.until;
  if (socket.destroyed || how === 'no answer') return;
  if (how === 'reset') {
    resetIt();
    return;
  }
  if (typeof how === 'object') {
    socket.end(how.raw);
    return;
  }
  response.writeHead(status, headers);
  if (how === undefined) response.end(body);
  else response.write(body || 'begun');
  if (how !== 'endless body') return;
  const piece = Buffer.alloc(16 * 1024, 'endless ');
  while (!socket.destroyed) {
    // As fast as it is read.
    if (!response.write(piece)) await drained(response);
    await new Promise((done) => setImmediate(done));
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    for (const event of ['drain', 'close', 'error']) response.once(event, () => done());
  });
}
