/** Has a short SMTP session with a server, bounded in time and bytes. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const TALK_MS_MAX = 10_000;
const REPLY_BYTES_MAX = 16 * 1024;

export interface Where {
  host: string;
  port: number;
  /** Implicit TLS. */
  tls?: boolean;
  /** The server's name for TLS (RFC 6066, section 3), if `host` is an address. */
  name?: string;
}

export interface Talk {
  /** Sends the text, or nothing if null. Returns the last line of the reply, or rejects if its code is not `code`. */
  say(text: string | Uint8Array | null, code: number): Promise<string>;
}

/** Connects, runs the session and disconnects. Rejects with an error text for the operator. */
export async function talk<Result>(where: Where, run: (talk: Talk) => Promise<Result>): Promise<Result> {
  const { host, port, name } = where;
  const called = name !== undefined && isIP(name) === 0 ? { servername: name } : {};
  // This check does not verify the server's identity.
  const socket = where.tls
    ? connectTls({ ...called, host, port, rejectUnauthorized: false })
    : connect({ host, port });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const timer = setTimeout(
    () => failed.reject(new Error(`no answer in ${TALK_MS_MAX / 1000} seconds`)),
    TALK_MS_MAX,
  );
  socket.on('error', (fault: NodeJS.ErrnoException) => failed.reject(new Error(fault.code ?? fault.message)));
  socket.on('close', () => failed.reject(new Error('the connection was closed')));
  const lines = readLines(socket, failed.reject);
  try {
    return await Promise.race([
      run({
        async say(text, code) {
          if (text !== null) socket.write(text);
          const line = await Promise.race([lines(), failed.promise]);
          if (!line.startsWith(String(code)))
            throw new Error(`expected ${code}, but the server answered ${line}`);
          return line;
        },
      }),
      failed.promise,
    ]);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Returns a function that resolves with the last line of the next reply (RFC 5321, section 4.2.1). */
function readLines(socket: Socket, fail: (fault: Error) => void): () => Promise<string> {
  const ready: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    if (text.length > REPLY_BYTES_MAX) fail(new Error('the reply is too long'));
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const line = text.slice(0, end).trimEnd();
      text = text.slice(end + 1);
      if (line[3] === '-') continue;
      if (waiting) waiting(line);
      else ready.push(line);
      waiting = undefined;
    }
  });
  return () => {
    const line = ready.shift();
    return line !== undefined ? Promise.resolve(line) : new Promise((resolve) => (waiting = resolve));
  };
}
