/**
 * Keeps connections open for a moment after a response, for the next request to the same address: a new one with TLS costs seven
 * times as much processor time as a request (measured). Each request is checked as if it had to connect (platform/net/guard.ts),
 * and uses only a connection to an address that it may dial.
 */
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Address, Target } from './guard.ts';

/** Shorter than servers keep an idle connection, usually 5 s or more. */
const IDLE_MS = 2_000;
/** Most idle connections of one name. */
const IDLE_OF_NAME_MAX = 4;
/** Most idle connections in total. Each takes a descriptor here, and memory at a stranger's server. */
const IDLE_MAX = 64;

/** Lets a request use kept connections. */
export interface KeptUse {
  connections: KeptConnections;
  /** Connections are shared only between requests of the same name. */
  name: string;
}

/** The kept connections of one part of the program, which closes them at its end. */
export class KeptConnections {
  private readonly plain = bound(new PlainAgent(options), () => this.idle);
  private readonly secure = bound(new SecureAgent(options), () => this.idle);

  /** Returns the options for a request of node:http that uses one of these connections, or opens a new one. */
  optionsFor({ host, port, isTls }: Target, { address }: Address, name: string): object {
    return { agent: isTls ? this.secure : this.plain, keptAs: `${name} ${host} ${address} ${port}` };
  }

  /** Number of idle connections. */
  get idle(): number {
    return countIdle(this.plain) + countIdle(this.secure);
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
  }
}

const options = { keepAlive: true, maxFreeSockets: IDLE_OF_NAME_MAX, timeout: IDLE_MS };

function bound<Kind extends PlainAgent>(agent: Kind, countAll: () => number): Kind {
  const keep = agent.keepSocketAlive.bind(agent);
  return Object.assign(agent, {
    getName: (request?: { keptAs?: string }) => request?.keptAs ?? '',
    keepSocketAlive: (socket: Socket) => countAll() < IDLE_MAX && keep(socket),
  });
}

function countIdle({ freeSockets }: PlainAgent): number {
  return Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}
