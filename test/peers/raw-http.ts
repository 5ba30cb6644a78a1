/** Sends raw bytes to an HTTP port and reads the response, for requests that no client library makes. */
import { connect } from 'node:net';

export interface RawReply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Resolves with the first response; null if the connection was closed without one, or none came within 5 seconds. */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<RawReply | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const pieces: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(readReply(Buffer.concat(pieces).toString('latin1')));
    };
    const timer = setTimeout(finish, 5_000);
    socket.on('data', (data) => {
      pieces.push(Buffer.from(data));
      if (isWhole(Buffer.concat(pieces).toString('latin1'))) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(bytes);
  });
}

function readReply(text: string): RawReply | null {
  const found = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text);
  if (!found) return null;
  const lines = (found[2] ?? '').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(found[1]), headers, body: found[3] ?? '' };
}

function isWhole(text: string): boolean {
  const reply = readReply(text);
  return (
    reply !== null && reply.body.length >= Number(reply.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  );
}
