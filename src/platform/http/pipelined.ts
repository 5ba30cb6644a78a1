/** The first requests of a turn of the event loop are not counted by connection, because that costs a microsecond each. */
const UNCOUNTED_MAX = 32;
/** A connection is closed after this many counted requests in one turn. */
const PER_CONNECTION_MAX = 4;

/**
 * Finds connections that send requests without waiting for the responses (RFC 9112 9.3.2). Bun handles all of them that it has read,
 * half a megabyte, before any other connection has its turn: 50 connections of a stranger held up mail and requests for a minute.
 */
export class Pipelined {
  private requests = 0;
  private readonly byConnection = new Map<string, number>();

  /** Counts a request. Returns whether its connection has had its share of this turn. */
  noteRequest(findPeer: () => { address: string; port: number }): boolean {
    if (this.requests === 0) setImmediate(() => this.beginTurn());
    this.requests += 1;
    if (this.requests <= UNCOUNTED_MAX) return false;
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
