import type { Cancel, Clock } from '../../../platform/core/clock.ts';
import type { Security, SmtpSession } from '../../../platform/net/smtp-client.ts';
import { sending as rules } from '../../../rules/sending.ts';

const SECOND_US = 1_000_000;

/** A server as the dispatcher knows it: its connections, and whether it wants to be left alone. */
export class Host {
  /** Connections: those in use, and those that wait for another mail. */
  private inUse = 0;
  private readonly idle: { session: SmtpSession; security: Security; end: Cancel }[] = [];
  /** Told, one after the other, when a connection becomes free. */
  private readonly waiting = new Set<() => boolean>();
  private pausedUntilUs = 0;
  private pauseReason = '';
  private pauses = 0;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
  ) {}

  get isFull(): boolean {
    return this.inUse >= rules.at_once_of_host;
  }

  /** Nothing is known of it that another could not be told. */
  get isForgettable(): boolean {
    return (
      this.inUse + this.idle.length + this.waiting.size === 0 && this.pausedUntilUs <= this.clock.nowUs()
    );
  }

  /** Microseconds until it may be dialled; 0 is now. */
  get pauseUs(): number {
    return Math.max(0, this.pausedUntilUs - this.clock.nowUs());
  }

  /** Why it is left alone, and until when; for the owners of the mail that waits. */
  get pauseText(): string {
    const until = new Date(this.pausedUntilUs / 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    return `${this.name} is left alone until ${until}: ${this.pauseReason}`;
  }

  /** Takes one of its connections: an open one when there is one that is as secure as was asked for. */
  take(security: Security): SmtpSession | null {
    this.inUse += 1;
    const found = this.idle.find((one) => one.security === security && one.session.isOpen);
    if (found) {
      this.idle.splice(this.idle.indexOf(found), 1);
      found.end();
      return found.session;
    }
    if (this.inUse + this.idle.length > rules.at_once_of_host) this.closeIdle();
    return null;
  }

  /** Gives it back; what is still open waits a while for another mail. */
  give(session: SmtpSession | null, security: Security): void {
    this.inUse -= 1;
    if (
      session?.isOpen &&
      session.mails < rules.mails_of_connection &&
      this.inUse + this.idle.length < rules.at_once_of_host
    ) {
      const end = this.clock.after(rules.idle_ms, () => this.drop(session));
      this.idle.push({ session, security, end });
    } else {
      session?.close();
    }
    this.tell();
  }

  /** Tells the next one that waits that there is a connection free, if there is. */
  tell(): void {
    for (const tell of this.waiting) {
      if (this.isFull) return;
      this.waiting.delete(tell);
      if (tell()) return;
    }
  }

  /** Tells once, when a connection has become free; who has no use for it says false, or has the next one told. */
  whenFree(tell: () => boolean): void {
    this.waiting.add(tell);
  }

  /** It asked to be left alone: longer each time in a row. */
  pause(reason: string): void {
    // Its other connection was told the same.
    if (this.pauseUs > 0) return;
    const seconds = Math.min(rules.host_pause_s * 2 ** this.pauses, rules.host_pause_max_s);
    this.pauses += 1;
    this.pauseReason = reason;
    this.pausedUntilUs = this.clock.nowUs() + seconds * SECOND_US;
  }

  /** It could not be reached: others need not try just now. */
  pauseBriefly(reason: string): void {
    if (this.pauseUs === 0) this.pauseReason = reason;
    this.pausedUntilUs = Math.max(this.pausedUntilUs, this.clock.nowUs() + rules.host_pause_s * SECOND_US);
  }

  /** It took a mail: the next pause is a short one. One that it has just asked for on its other connection stays. */
  praise(): void {
    this.pauses = 0;
  }

  /** The wall clock was set. */
  rebase(byUs: number): void {
    if (this.pausedUntilUs > 0) this.pausedUntilUs += byUs;
  }

  /** Ends what waits for another mail. */
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
