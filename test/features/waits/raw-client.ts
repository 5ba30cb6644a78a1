/** A client on a bare socket: it may stop reading, send half a request, or disconnect at any point. */
import { connect, type Socket } from 'node:net';
import type { RunningAppliance } from '../../start.ts';
import { type Box, makeUrl, type Query } from './doors.ts';

export class RawClient {
  received = 0;
  /** By the server; we may still write. */
  closed = false;
  /** The end of the received bytes. */
  tail = '';

  private constructor(readonly socket: Socket) {
    socket.on('error', () => {});
    for (const event of ['close', 'end']) {
      socket.on(event, () => {
        this.closed = true;
      });
    }
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      this.tail = (this.tail + chunk.toString('latin1')).slice(-4096);
    });
  }

  static async connect(where: { httpPort: number }): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port: where.httpPort, allowHalfOpen: true });
    const client = new RawClient(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    return client;
  }

  /** Connects and sends the request. */
  static async ask(
    where: RunningAppliance,
    door: 'wait' | 'stream',
    box: Box,
    query: Query,
  ): Promise<RawClient> {
    const client = await RawClient.connect(where);
    client.socket.write(requestText(door, box, query));
    return client;
  }
}

export function requestText(door: 'wait' | 'stream', box: Box, query: Query | string, headers = ''): string {
  const path = makeUrl({ url: '' }, door, box, query);
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${box.holder.key}\r\n${headers}\r\n`;
}
