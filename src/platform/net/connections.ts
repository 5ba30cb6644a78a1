import { Counts } from '../core/counts.ts';
import type { Log } from '../core/log.ts';
import { nextTurn } from '../core/next-turn.ts';
import type { Network, Settings } from '../core/settings.ts';
import { formatCountedAddress, isIn, LOOPBACK } from './client-ip.ts';
import {
  type Acceptance,
  type AcceptedConnection,
  type Descriptors,
  openDescriptors,
} from './descriptors.ts';
import { LongTurns } from './long-turns.ts';

/*
 * Bounds HTTP connections, in total and per address. While few descriptors are open, this costs nothing: connections are not even
 * told apart. Once a bound may be near, the connection of every request is looked up, and a census of the descriptors, once a
 * second and in slices, finds the connections that send nothing. One above a bound is answered 503 and closed; earlier ones stay.
 */

export interface ConnectionBounds {
  max: number;
  /** Per address, except loopback. */
  perAddress: number;
  /** Exempt from the bound per address, because many clients share a proxy. */
  proxies: readonly Network[];
}

export interface Door {
  port: number;
  /** The response to a connection that is closed before it was sent anything; null if the connection expects TLS. */
  lastWords: (() => Uint8Array) | null;
}

interface Connection {
  address: string;
  /** Number of the last census that saw it, or of the one during which it was admitted. */
  seenIn: number;
}

/** Largest share of all descriptors that HTTP connections may have. */
export const HTTP_SHARE_MAX = 0.6;
/** Below this free share, HTTP accepts nothing until the excess connections are closed: the rest is for mail. */
const DOOR_SHARE = 0.2;
/** Below this free share, the shortage is logged and connections of strangers are closed. */
export const RESERVE_SHARE = 0.1;
/** Share of all descriptors that may wait to be accepted. Bun accepts all that wait in one turn, which could fill the rest. */
const BACKLOG_SHARE = 0.1;
const BACKLOG_MIN = 16;
const BACKLOG_MAX = 512;
/** Time between two checks: the fewer descriptors are free, the shorter. One core accepts about 20 connections per ms. */
const CHECK_MIN_MS = 10;
const CHECK_MAX_MS = 1_000;
const FREE_PER_MS = 40;
/** Requests after which the next check runs, even before its time. */
const REQUESTS_PER_CHECK = 32;
const CENSUS_EVERY_MS = 1_000;
/** Before a client is refused, a census older than this is repeated: others may have left in the meantime. */
const CENSUS_AGAIN_MS = 100;
/** Descriptors that a census reads per turn of the event loop: 0.3 to 1.5 ms. */
const SLICE = 256;
const TURNS_TO_CLOSE = 3;
/** From this many new names of trusted connections on, a census drops the closed ones. */
const TRUSTED_MIN = 1_000;
/** For how long after a shortage `/readyz` fails. */
const SHORT_FOR_MS = 10_000;

/** Decides which HTTP connections may stay. */
export class Connections {
  private readonly open = new Map<string, Connection>();
  private readonly byAddress = new Counts<string>();
  /** Names of the connections whose clients have presented a valid key or session (`trust`). */
  private readonly trusted = new Set<string>();
  /** Their number after the last census. */
  private trustedLeft = 0;
  private readonly max: number;
  private readonly doorFree: number;
  private readonly reserve: number;
  private door: Door | null = null;
  private listening: readonly number[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isCrowded = false;
  private requests = 0;
  private checkedMs = 0;
  private censusNumber = 0;
  private censusEndedMs = Number.NEGATIVE_INFINITY;
  private census: Promise<void> | null = null;
  private shortMs = Number.NEGATIVE_INFINITY;
  private isShut = false;
  private readonly longTurns = new LongTurns((door) => !this.isShut && this.setDoor(door));
  /** Descriptors other than HTTP connections, at the last count. */
  private others = 0;
  private stopped = false;

  /** Without bounds (capture mode), it only watches for a shortage of descriptors. */
  constructor(
    private readonly descriptors: Descriptors,
    private readonly bounds: ConnectionBounds | null,
    private readonly log: Log,
  ) {
    const { max } = descriptors;
    this.max = bounds ? Math.min(bounds.max, Math.floor(max * HTTP_SHARE_MAX)) : Number.POSITIVE_INFINITY;
    this.doorFree = max * DOOR_SHARE;
    this.reserve = max * RESERVE_SHARE;
  }

  /** Watches the connections to a port. Call it again whenever another socket listens there. */
  watch(door: Door): void {
    // Lets the handshakes at the earlier sockets go on.
    if (this.door) this.setShut(false);
    this.door = door;
    const { descriptors } = this;
    this.listening = descriptors.findListening(door.port);
    const backlog = Math.floor(Math.max(BACKLOG_MIN, descriptors.max * BACKLOG_SHARE));
    descriptors.setBacklog(this.listening, door.port, Math.min(BACKLOG_MAX, backlog));
    this.others = descriptors.countOpen() - this.open.size;
    this.check();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Returns why too few descriptors are left to accept mail and requests; null if there are enough. */
  shortage(): string | null {
    if (performance.now() - this.shortMs > SHORT_FOR_MS) return null;
    return `file descriptors are running out: at most ${this.descriptors.max} may be open`;
  }

  /** Whether the connection of a request may stay. */
  admit(peer: { address: string; port: number }): boolean | Promise<boolean> {
    this.requests += 1;
    if (this.bounds) this.longTurns.noteRequest();
    const isDue =
      this.requests % REQUESTS_PER_CHECK === 0 && performance.now() - this.checkedMs > CHECK_MIN_MS;
    if (isDue) this.check();
    if (!this.isCrowded || !this.bounds) return true;
    const address = formatCountedAddress(peer.address);
    const name = formatName(address, peer.port);
    if (this.open.has(name)) return true;
    if (this.take(name, address)) return true;
    return this.takeAfterCensus(name, address);
  }

  /**
   * Notes that the client of a connection has presented a valid key or session, so that it is closed last. Call it even while
   * few connections are open: a wait or a stream that begins now sends nothing more when there are many.
   */
  trust(peer: { address: string; port: number }): void {
    if (!this.bounds) return;
    const name = formatName(formatCountedAddress(peer.address), peer.port);
    this.trusted.add(name);
    // The census forgets the closed ones.
    if (this.trusted.size > 2 * this.trustedLeft + TRUSTED_MIN) void this.count();
  }

  private async takeAfterCensus(name: string, address: string): Promise<boolean> {
    if (performance.now() - this.censusEndedMs > CENSUS_AGAIN_MS) await this.count();
    if (this.open.has(name) || this.take(name, address)) return true;
    this.noteRefusal(address);
    return false;
  }

  /** Admits a connection. Returns false if that would exceed a bound. */
  private take(name: string, address: string): boolean {
    if (this.open.size >= this.max || this.byAddress.of(address) >= this.perAddress(address)) return false;
    this.byAddress.add(address, 1);
    this.open.set(name, { address, seenIn: this.censusNumber });
    return true;
  }

  private perAddress(address: string): number {
    const { perAddress, proxies } = this.bounds!;
    const bare = address.replace(/\/64$/, '');
    // Of an IPv6 address only the /64 is known here, so all of it counts as the proxy.
    const isShared = [...LOOPBACK, ...proxies].some(
      (network) => isIn(bare, [network]) || formatCountedAddress(network.address) === address,
    );
    return isShared ? Number.POSITIVE_INFINITY : perAddress;
  }

  private check(): void {
    clearTimeout(this.timer);
    if (this.stopped || !this.door) return;
    this.checkedMs = performance.now();
    const { descriptors, bounds } = this;
    const open = descriptors.countOpen();
    const free = descriptors.max - open;
    this.setShut(free < this.doorFree && open - this.others > this.max);
    if (free < this.reserve) this.noteShortage(open);
    if (bounds) {
      this.isCrowded = open > Math.min(this.max, bounds.perAddress) / 2;
      const isDue = this.checkedMs - this.censusEndedMs > CENSUS_EVERY_MS;
      if (this.isCrowded && (isDue || this.isShut)) void this.count();
      if (!this.isCrowded && !this.census) this.forgetAll();
    }
    const waitMs = Math.min(CHECK_MAX_MS, Math.max(CHECK_MIN_MS, free / FREE_PER_MS));
    this.timer = setTimeout(() => this.check(), waitMs);
    this.timer.unref();
  }

  private setShut(isShut: boolean): void {
    if (isShut === this.isShut) return;
    this.isShut = isShut;
    this.setDoor(isShut ? 'shut' : 'open');
  }

  private setDoor(door: Acceptance): void {
    if (this.door) this.descriptors.setDoor(this.listening, this.door.port, door);
  }

  private noteShortage(open: number): void {
    this.shortMs = performance.now();
    const { max } = this.descriptors;
    const message = 'file descriptors are running out; closing HTTP connections to keep some for mail';
    this.log.rarely('error', message, { open, max });
  }

  /** Takes a census. Concurrent callers share one. */
  private count(): Promise<void> {
    this.census ??= this.countAll().finally(() => {
      this.census = null;
      this.censusEndedMs = performance.now();
    });
    return this.census;
  }

  private async countAll(): Promise<void> {
    const census = ++this.censusNumber;
    const { descriptors, door } = this;
    const end = descriptors.readEnd();
    const newcomers: AcceptedConnection[] = [];
    const gone = new Set(this.trusted);
    for (let from = 0; from < end && !this.stopped; from += SLICE) {
      for (const found of descriptors.findAccepted(door!.port, from, Math.min(end, from + SLICE))) {
        const name = formatName(found.address, found.port);
        gone.delete(name);
        const known = this.open.get(name);
        if (known) known.seenIn = census;
        else newcomers.push(found);
      }
      await nextTurn();
    }
    if (this.stopped) return;
    for (const name of gone) this.trusted.delete(name);
    this.trustedLeft = this.trusted.size;
    for (const [name, connection] of this.open) {
      if (connection.seenIn < census) this.forget(name, connection);
    }
    this.placeNewcomers(newcomers);
    await awaitClosing();
    // Not counted again in between: closed connections may linger, and new ones have arrived.
    const wanted = await this.makeRoom(Math.ceil(this.reserve - this.countFree()), false);
    await this.makeRoom(wanted, true);
    this.others = descriptors.countOpen() - this.open.size;
  }

  /** Admits the connections that the census has found, and closes those above a bound. */
  private placeNewcomers(newcomers: readonly AcceptedConnection[]): void {
    for (const { descriptor, address, port } of newcomers) {
      const name = formatName(address, port);
      if (this.open.has(name) || this.take(name, address)) continue;
      if (this.cutOff(descriptor, name)) this.noteRefusal(address);
    }
  }

  /**
   * Closes any connections until this many more descriptors are free, trusted ones only if `mayCutTrusted`. Returns how many are
   * still wanted.
   */
  private async makeRoom(wantedNow: number, mayCutTrusted: boolean): Promise<number> {
    let wanted = wantedNow;
    if (wanted <= 0) return 0;
    const { descriptors, door } = this;
    const end = descriptors.readEnd();
    for (let from = 0; from < end && wanted > 0; from += SLICE) {
      for (const { descriptor, address, port } of descriptors.findAccepted(door!.port, from, from + SLICE)) {
        const name = formatName(address, port);
        const connection = this.open.get(name);
        if ((this.trusted.has(name) && !mayCutTrusted) || wanted <= 0) continue;
        descriptors.endConnection(descriptor, door!.lastWords?.() ?? null);
        if (connection) this.forget(name, connection);
        wanted -= 1;
      }
      await nextTurn();
    }
    await awaitClosing();
    return wanted;
  }

  private countFree(): number {
    return this.descriptors.max - this.descriptors.countOpen();
  }

  /** Closes a connection, unless its descriptor is another one by now. */
  private cutOff(descriptor: number, name: string): boolean {
    const { descriptors, door } = this;
    const [now] = descriptors.findAccepted(door!.port, descriptor, descriptor + 1);
    if (!now || formatName(now.address, now.port) !== name) return false;
    descriptors.endConnection(descriptor, door!.lastWords?.() ?? null);
    return true;
  }

  private forget(name: string, { address }: Connection): void {
    this.open.delete(name);
    this.byAddress.add(address, -1);
  }

  private forgetAll(): void {
    this.open.clear();
    this.byAddress.clear();
  }

  private noteRefusal(address: string): void {
    this.log.rarely('warn', 'HTTP connections are refused: too many are open', {
      open: this.open.size,
      max: this.max,
      address,
      of_address: this.byAddress.of(address),
    });
  }
}

const UNBOUNDED =
  'HTTP connections are not bounded on this system, and may be reset while the certificate changes: put a proxy in front';

/** Creates them with the bounds of the settings. Capture mode has none: it runs on the developer's own machine. */
export function boundConnections(settings: Settings, log: Log, isCapture: boolean): Connections {
  const { http_connections: max, http_connections_per_ip: perAddress, trusted_proxies } = settings;
  const bounds = isCapture ? null : { max, perAddress, proxies: trusted_proxies ?? [] };
  const descriptors = openDescriptors((reason) => {
    if (bounds) log.warn(UNBOUNDED, { reason });
  });
  return new Connections(descriptors, bounds, log);
}

/** Waits until Bun has read the end of the connections that were shut down, and has closed them. */
async function awaitClosing(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_CLOSE; turn++) await nextTurn();
}

function formatName(address: string, port: number): string {
  return `${address} ${port}`;
}
