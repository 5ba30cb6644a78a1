/** Requests in one turn of the event loop from which on connections are told apart, which costs a microsecond. */
const UNTOLD_MAX = 32;
/** Requests of one connection in one turn, of those that are told apart. */
const PER_CONNECTION_MAX = 4;

/**
 * Finds connections that send requests without waiting for the responses (RFC 9112 9.3.2). Bun handles all of them that it has read,
 * half a megabyte, before any other connection has its turn: 50 connections of a stranger held up mail and requests for a minute.
 */
export class Pipelined {
  private requests = 0;
  private readonly byConnection = new Map<string, number>();

  /** Notes a request. Returns whether its connection has had its share of this turn. */
  isExcess(findPeer: () => { address: string; port: number }): boolean {
    if (this.requests === 0) setImmediate(() => this.beginTurn());
    this.requests += 1;
    if (this.requests <= UNTOLD_MAX) return false;
    const { address, port } = findPeer();
    const name = `${address} ${port}`;
    const count = (this.byConnection.get(name) ?? 0) + 1;
    this.byConnection.set(name, count);
    return count >= PER_CONNECTION_MAX;
  }

  private beginTurn(): void {
    this.requests = 0;
    this.byConnection.clear();
  }
}
