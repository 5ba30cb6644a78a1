/**
 * Connections that stay open for a moment after an answer, for the next request of the same kind to the same address:
 * a new one with TLS costs seven times as much processor time as a request (measured). Each request is judged as if it
 * had to connect (platform/net/guard.ts), and takes only a connection to an address that it may dial.
 */
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Address, Target } from './guard.ts';

/** Shorter than what servers keep an idle connection for, usually 5 s or more. */
const IDLE_MS = 2_000;
/** Idle connections of one name. */
const IDLE_OF_NAME_MAX = 4;
/** Idle connections in total; each takes a descriptor here and memory at a stranger's server. */
const IDLE_MAX = 64;

/** What a request needs to use them; each name has connections of its own. */
export interface KeptUse {
  connections: KeptConnections;
  name: string;
}

/** The open connections of one sender of requests; close it at the end. */
export class KeptConnections {
  private readonly plain = bound(new PlainAgent(options), () => this.idle);
  private readonly secure = bound(new SecureAgent(options), () => this.idle);

  /** The options of a request (node:http) that uses one of these connections, or opens one for them. */
  optionsFor({ host, port, isTls }: Target, { address }: Address, name: string): object {
    return { agent: isTls ? this.secure : this.plain, keptAs: `${name} ${host} ${address} ${port}` };
  }

  /** How many are open and unused. */
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
