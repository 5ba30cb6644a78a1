import { Counts } from '../../platform/core/counts.ts';
import { Windows } from '../../platform/core/window.ts';
import { formatCountedAddress, formatCountedSite, isLoopback } from '../../platform/net/client-ip.ts';
import type { ReplyName } from '../../rules/replies.ts';

/** Bounds on connections: in total, and per network except for loopback (docs/decisions.md, SMTP). */
export interface ConnectionGateBounds {
  connections: number;
  perIp: number;
  /** New connections per minute; null when rate limits are off. */
  perIpPerMinute: number | null;
}

/**
 * A /48 of IPv6 may have this many times the connections of one address: 80 by default. A single customer can own all
 * of its 65,536 /64 networks, and could fill the server from them. The bound is no smaller because a large provider
 * sends from many networks of one /48.
 */
const SITE_FACTOR = 4;
/** How many sessions are checked to find room: strangers decide how many there are. */
const CHECKED_MAX = 1_000;
/** Silence after which a session with an unfinished envelope may be ended for another client. */
const ENVELOPE_IDLE_MS = 10_000;

export interface GateVisitor {
  id: string;
  address: string;
  /** What would be lost if it ended now: nothing, an envelope, or a mail. */
  stake(): 'nothing' | 'envelope' | 'mail';
  dismiss(): void;
}

interface Admitted {
  visitor: GateVisitor;
  /** The networks it counts towards. */
  networks: readonly CountedNetwork[];
  activeMs: number;
}

interface CountedNetwork {
  name: string;
  factor: number;
}

export class ConnectionGate {
  /** Connections by network. */
  private readonly open = new Counts<string>();
  /** By session id; the longest silent comes first. */
  private readonly admitted = new Map<string, Admitted>();
  private readonly connects = new Windows();

  constructor(
    private readonly bounds: ConnectionGateBounds,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Admits and counts a connection until `leave`, or returns the reply that refuses it. */
  admit(visitor: GateVisitor, nowUs: number): ReplyName | null {
    const networks = listNetworks(visitor.address);
    const { perIp, perIpPerMinute } = this.bounds;
    for (const { name, factor } of networks) {
      if (this.open.of(name) >= perIp * factor) return 'too_many_connections';
      if (perIpPerMinute === null) continue;
      if (this.connects.look(name, perIpPerMinute * factor, 60, nowUs).remaining === 0)
        return 'too_many_connects';
    }
    if (this.admitted.size >= this.bounds.connections && !this.makeRoom()) return 'server_full';
    for (const { name } of networks) {
      if (perIpPerMinute !== null) this.connects.take(name, 60, nowUs);
      this.open.add(name, 1);
    }
    this.admitted.set(visitor.id, { visitor, networks, activeMs: this.nowMs() });
    return null;
  }

  touch(sessionId: string): void {
    const known = this.admitted.get(sessionId);
    if (!known) return;
    known.activeMs = this.nowMs();
    this.admitted.delete(sessionId);
    this.admitted.set(sessionId, known);
  }

  leave(sessionId: string): void {
    const known = this.admitted.get(sessionId);
    this.admitted.delete(sessionId);
    for (const { name } of known?.networks ?? []) this.open.add(name, -1);
  }

  /**
   * Ends the longest silent session that loses nothing, or else one with only an unfinished envelope that has been
   * silent for long. Never ends one with a mail in transfer. Returns false if there is none to end.
   */
  private makeRoom(): boolean {
    let checked = 0;
    let fallback: Admitted | null = null;
    for (const one of this.admitted.values()) {
      const stake = one.visitor.stake();
      if (stake === 'nothing') return this.dismiss(one);
      const isStale = this.nowMs() - one.activeMs >= ENVELOPE_IDLE_MS;
      if (stake === 'envelope' && isStale) fallback ??= one;
      if (++checked >= CHECKED_MAX) break;
    }
    return fallback !== null && this.dismiss(fallback);
  }

  private dismiss({ visitor }: Admitted): boolean {
    // Its socket may take a moment to close, but its place is free at once.
    this.leave(visitor.id);
    visitor.dismiss();
    return true;
  }
}

/** Returns the networks that an address counts towards: itself or its /64, and its /48. None for loopback. */
function listNetworks(address: string): CountedNetwork[] {
  if (isLoopback(address)) return [];
  const site = formatCountedSite(address);
  const own = { name: formatCountedAddress(address), factor: 1 };
  return site === null ? [own] : [own, { name: site, factor: SITE_FACTOR }];
}
