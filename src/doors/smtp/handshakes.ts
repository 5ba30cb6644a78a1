import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { ConnectionGate } from './gate.ts';

/*
 * Bounds TLS handshakes on listeners with tls://. The gate counts a connection only once its session begins, so it
 * can't stop clients that never finish their handshake from keeping everyone else out. Handshakes have a gate of their
 * own, with the same bounds: when all places are in use, the oldest handshake makes room.
 */

interface Bounds {
  connections: number;
  perIp: number;
}

/** The library's private method for a new socket. It returns a function that stops the handshake's timer. */
interface Accepting {
  _acceptSocket(socket: Socket, hasHandshake: boolean): (() => void) | false;
}

export class Handshakes {
  private readonly gate: ConnectionGate;
  private next = 0;

  constructor(bounds: Bounds) {
    this.gate = new ConnectionGate({ ...bounds, perIpPerMinute: null });
  }

  /** Applies the bounds to this server's sockets. */
  install(server: SMTPServer): void {
    const accepting = server as unknown as Accepting;
    const accept = accepting._acceptSocket.bind(server);
    accepting._acceptSocket = (socket, hasHandshake) => {
      if (!hasHandshake) return accept(socket, hasHandshake);
      const leave = this.enter(server, socket);
      const release = leave && accept(socket, hasHandshake);
      if (leave && release) {
        return () => {
          leave();
          release();
        };
      }
      socket.on('error', () => {});
      socket.destroy();
      return false;
    };
  }

  /** Counts a handshake. Returns the function that ends the count, or null if it is refused. */
  private enter(server: SMTPServer, socket: Socket): (() => void) | null {
    const id = String(this.next++);
    const leave = () => this.gate.leave(id);
    const refused = this.gate.admit(
      {
        id,
        address: socket.remoteAddress ?? '',
        stake: () => 'nothing',
        // The TLS socket, not the one below: node:tls can't lose its socket in the middle of a handshake.
        dismiss: () => void server._pendingSockets.get(socket)?.destroy(),
      },
      0,
    );
    if (refused) return null;
    socket.once('close', leave);
    return leave;
  }
}
