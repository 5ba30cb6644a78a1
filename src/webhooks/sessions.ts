/** Late attempts are told by the message's id alone: it stands beside the session in the log too. */
const KEPT_MAX = 10_000;

/** By which SMTP session the newest messages came: one name from its first line of the log to the attempts. */
export class Sessions {
  private readonly by_message = new Map<string, string>();

  note(message_id: string, session: string | undefined): void {
    if (session === undefined) return;
    this.by_message.set(message_id, session);
    if (this.by_message.size <= KEPT_MAX) return;
    // A map keeps the order in which it was filled.
    const [oldest] = this.by_message.keys();
    if (oldest !== undefined) this.by_message.delete(oldest);
  }

  of(message_id: string): string | undefined {
    return this.by_message.get(message_id);
  }
}
