/**
 * How many messages are remembered. Attempts for older ones are logged without their session, but the log has both ids.
 */
const KEPT_MAX = 10_000;

/** The SMTP sessions of the newest messages, so that one name links a session's first log line to its deliveries. */
export class Sessions {
  private readonly byMessage = new Map<string, string>();

  note(messageId: string, session: string | undefined): void {
    if (session === undefined) return;
    this.byMessage.set(messageId, session);
    if (this.byMessage.size <= KEPT_MAX) return;
    // A Map iterates in insertion order.
    const [oldest] = this.byMessage.keys();
    if (oldest !== undefined) this.byMessage.delete(oldest);
  }

  of(messageId: string): string | undefined {
    return this.byMessage.get(messageId);
  }
}
