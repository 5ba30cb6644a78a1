import type { Descriptors } from './descriptors.ts';

/**
 * Listening sockets of this process that replace each other on one port (SO_REUSEPORT). Each has a queue of its own. When one
 * closes, the kernel resets the connections in its queue, and those whose handshake has begun there. To lose none, the kernel is
 * asked to direct new connections to the newest socket only, and an older one is closed once its handshakes are over.
 */
export class Succession {
  /**
   * Descriptors in the kernel's order (net/core/sock_reuseport.c of Linux): it appends a new socket, and puts the last
   * one in the place of one that closes.
   */
  private members: number[] | null = null;
  private newest = -1;

  constructor(
    private readonly descriptors: Descriptors,
    private readonly port: number,
  ) {}

  /** Opens the next socket by `open`. Returns whether new connections go to that one only from now on. */
  begin(open: () => void): boolean {
    const before = this.descriptors.findSharing(this.port);
    this.members ??= [...before];
    open();
    const joined = this.descriptors.findSharing(this.port).filter((one) => !before.includes(one));
    this.members.push(...joined);
    this.newest = joined[0] ?? -1;
    // Exactly one socket has joined the group. If others had, we could not know which is which.
    return before.length > 0 && joined.length === 1 && this.direct();
  }

  /** Closes an older socket by `close`. */
  end(close: () => void): void {
    close();
    if (this.members === null) return;
    const left = this.descriptors.findSharing(this.port);
    for (const gone of this.members.filter((one) => !left.includes(one))) {
      const last = this.members.pop()!;
      if (last !== gone) this.members[this.members.indexOf(gone)] = last;
    }
    this.direct();
  }

  private direct(): boolean {
    const place = this.members?.indexOf(this.newest) ?? -1;
    return place >= 0 && this.descriptors.directTo(this.newest, place, this.port);
  }
}
