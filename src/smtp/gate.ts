import type { Network } from '../core/settings.ts';
import { Windows } from '../core/window.ts';
import { countedAddress, isIn } from '../net/client-ip.ts';
import type { ReplyName } from '../rules/replies.ts';

/** Who may connect: a bound for all, and bounds for each address beyond loopback (decisions.md, SMTP). */
export interface GateBounds {
  connections: number;
  per_ip: number;
  /** New connections a minute; null when rate limits are off. */
  per_ip_per_minute: number | null;
}

export class Gate {
  private readonly open = new Map<string, number>();
  /** Session id to the address it was counted under. */
  private readonly admitted = new Map<string, string>();
  private readonly connects = new Windows();

  constructor(private readonly bounds: GateBounds) {}

  /** Counts a connection in, or says why not. `leave` undoes it. */
  admit(session_id: string, address: string, now_us: number): ReplyName | null {
    if (this.admitted.size >= this.bounds.connections) return 'too_many_connections';
    const peer = networkOf(address);
    if (peer !== 'loopback') {
      const { per_ip, per_ip_per_minute } = this.bounds;
      if ((this.open.get(peer) ?? 0) >= per_ip) return 'too_many_connections';
      if (per_ip_per_minute !== null) {
        if (this.connects.look(peer, per_ip_per_minute, 60, now_us).remaining === 0)
          return 'too_many_connections';
        this.connects.take(peer, 60, now_us);
      }
      this.open.set(peer, (this.open.get(peer) ?? 0) + 1);
    }
    this.admitted.set(session_id, peer);
    return null;
  }

  leave(session_id: string): void {
    const peer = this.admitted.get(session_id);
    this.admitted.delete(session_id);
    if (peer === undefined || peer === 'loopback') return;
    const left = (this.open.get(peer) ?? 1) - 1;
    if (left > 0) this.open.set(peer, left);
    else this.open.delete(peer);
  }
}

const LOOPBACK: readonly Network[] = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
];

/** What an address is counted as: itself, its /64, or loopback, which is not counted. */
function networkOf(address: string): string {
  return isIn(address, LOOPBACK) ? 'loopback' : countedAddress(address);
}
