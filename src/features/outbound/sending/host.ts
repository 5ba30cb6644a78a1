import { type Cancel, type Clock, SECOND_US } from '../../../platform/core/clock.ts';
import type { Security, SmtpSession } from '../../../platform/net/smtp-client.ts';
import { sending as rules } from '../../../rules/sending.ts';
import type { TlsMemory } from './tls-fallback.ts';

/** What the dispatcher knows about a mail server: its connections, whether it asked for a pause, and whether its TLS fails. */
export class Host implements TlsMemory {
  /** Connections in use. */
  private inUse = 0;
  /** Idle connections, kept for another mail. */
  private readonly idle: { session: SmtpSession; security: Security; end: Cancel }[] = [];
  /** Called one after another when a connection is free. */
  private readonly waiting = new Set<() => boolean>();
  private pausedUntilUs = 0;
  private pauseReason = '';
  private pauses = 0;
  /** Until when TLS counts as broken, on the monotonic clock. */
  private tlsBrokenUntilMs = 0;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
  ) {}

  get isFull(): boolean {
    return this.inUse >= rules.atOnceOfHost;
  }

  /** Whether it has no state that is worth keeping. */
  get isForgettable(): boolean {
    const isInUse = this.inUse + this.idle.length + this.waiting.size > 0;
    return !isInUse && this.pauseUs === 0 && !this.isTlsBroken;
  }

  /** Whether TLS failed lately: a server that falls silent after STARTTLS costs each connection `setupMs`. */
  get isTlsBroken(): boolean {
    return this.clock.elapsedMs() < this.tlsBrokenUntilMs;
  }

  /** Microseconds until it may be dialled; 0 if it may be now. */
  get pauseUs(): number {
    return Math.max(0, this.pausedUntilUs - this.clock.nowUs());
  }

  /** Why it is paused and until when, for the senders of the waiting mail. */
  get pauseText(): string {
    const until = new Date(this.pausedUntilUs / 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    return `${this.name} is paused until ${until}: ${this.pauseReason}`;
  }

  /**
   * Takes an idle connection with the requested security. Returns null if there is none, so a new one must be dialled.
   */
  take(security: Security): SmtpSession | null {
    this.inUse += 1;
    const found = this.idle.find((one) => one.security === security && one.session.isOpen);
    if (found) {
      this.idle.splice(this.idle.indexOf(found), 1);
      found.end();
      return found.session;
    }
    if (this.inUse + this.idle.length > rules.atOnceOfHost) this.closeIdle();
    return null;
  }

  /** Releases a connection. If it is still open, it is kept for a while for another mail. */
  release(session: SmtpSession | null, security: Security): void {
    this.inUse -= 1;
    if (
      session?.isOpen &&
      session.mails < rules.mailsOfConnection &&
      this.inUse + this.idle.length < rules.atOnceOfHost
    ) {
      const end = this.clock.after(rules.idleMs, () => this.drop(session));
      this.idle.push({ session, security, end });
    } else {
      session?.close();
    }
    this.offer();
  }

  /** Offers a free connection, if there is one, to the next waiter. */
  offer(): void {
    for (const onFree of this.waiting) {
      if (this.isFull) return;
      this.waiting.delete(onFree);
      if (onFree()) return;
    }
  }

  /**
   * Calls `onFree` once when a connection is free. It returns false, or later calls `offer`, to pass the connection on.
   */
  whenFree(onFree: () => boolean): void {
    this.waiting.add(onFree);
  }

  /** Pauses at the server's request. Each pause in a row is longer. */
  pause(reason: string): void {
    // The server has already asked on its other connection.
    if (this.pauseUs > 0) return;
    const seconds = Math.min(rules.hostPauseS * 2 ** this.pauses, rules.hostPauseMaxS);
    this.pauses += 1;
    this.pauseReason = reason;
    this.pausedUntilUs = this.clock.nowUs() + seconds * SECOND_US;
  }

  /** Pauses after the server could not be reached: for a moment, other lanes need not try either. */
  pauseBriefly(reason: string): void {
    if (this.pauseUs === 0) this.pauseReason = reason;
    this.pausedUntilUs = Math.max(this.pausedUntilUs, this.clock.nowUs() + rules.hostPauseS * SECOND_US);
  }

  /** Notes that the server accepted a mail: the next pause is short again. A running pause stays. */
  noteSuccess(): void {
    this.pauses = 0;
  }

  noteBrokenTls(): void {
    this.tlsBrokenUntilMs = this.clock.elapsedMs() + rules.brokenTlsS * 1000;
  }

  /** The server accepts no mail without TLS, so the next connection tries TLS again. */
  forgetBrokenTls(): void {
    this.tlsBrokenUntilMs = 0;
  }

  rebase(byUs: number): void {
    if (this.pausedUntilUs > 0) this.pausedUntilUs += byUs;
  }

  closeIdle(): void {
    for (const { session } of [...this.idle]) this.drop(session);
  }

  private drop(session: SmtpSession): void {
    const index = this.idle.findIndex((one) => one.session === session);
    const [one] = index < 0 ? [] : this.idle.splice(index, 1);
    one?.end();
    session.close();
  }
}
