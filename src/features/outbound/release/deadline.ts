import type { Cancel, Clock } from '../../../platform/core/clock.ts';
import type { MailPieces } from '../../../platform/core/mail-pieces.ts';
import type { ServerReply } from '../../../platform/net/server-reply.ts';
import { sending as rules } from '../../../rules/sending.ts';
import { formatServerReply } from '../sending/outcome.ts';

/**
 * Bounds the time of a release as a whole. Once all of the mail is sent it waits longer for the reply: only that says whether the
 * smarthost has accepted it (RFC 5321 4.5.3.2.6).
 */
export class ReleaseDeadline implements Disposable {
  /** Whether all of the mail is sent, so that the smarthost may have accepted it although it did not reply. */
  isSent = false;
  private readonly controller = new AbortController();
  private readonly beganMs: number;
  private endsAfterMs: number = rules.releaseMs;
  private cancel: Cancel;

  constructor(private readonly clock: Clock) {
    this.beganMs = clock.elapsedMs();
    this.cancel = this.start();
  }

  /** Ends the session in time. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Returns the same mail, and notices when all of it was read in order to be sent. */
  watch(mail: MailPieces): MailPieces {
    const onSent = () => this.noteSent();
    return {
      ...mail,
      *read() {
        yield* mail.read();
        onSent();
      },
    };
  }

  /** Formats a reply, or the reason why there was none. */
  formatReply(reply: ServerReply): string {
    if (reply.code !== null || !this.signal.aborted) return formatServerReply(reply);
    return `it took longer than ${this.endsAfterMs / 1000} seconds`;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }

  private noteSent(): void {
    this.isSent = true;
    this.cancel();
    this.endsAfterMs = rules.releaseReplyMs;
    this.cancel = this.start();
  }

  private start(): Cancel {
    const leftMs = this.beganMs + this.endsAfterMs - this.clock.elapsedMs();
    return this.clock.after(leftMs, () => this.controller.abort());
  }
}
