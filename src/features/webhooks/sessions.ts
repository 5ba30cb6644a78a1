/** Late attempts are told by the message's id alone: it stands beside the session in the log too. */
const KEPT_MAX = 10_000;

/** By which SMTP session the newest messages came: one name from its first line of the log to the attempts. */
export class Sessions {
  private readonly byMessage = new Map<string, string>();

  note(messageId: string, session: string | undefined): void {
    if (session === undefined) return;
    this.byMessage.set(messageId, session);
    if (this.byMessage.size <= KEPT_MAX) return;
    // A map keeps the order in which it was filled.
    const [oldest] = this.byMessage.keys();
    if (oldest !== undefined) this.byMessage.delete(oldest);
  }

  of(messageId: string): string | undefined {
    return this.byMessage.get(messageId);
  }
}
