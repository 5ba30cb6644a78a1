/** The support program: it learns of mail by webhook, and replies to each once through the API. */
import type { Received } from '../../peers/https-receiver.ts';
import { readEvent, type Surroundings } from '../webhooks/hooked.ts';
import { makeAnswerFile } from './customers.ts';

const EVENTS = ['email.received', 'email.sent', 'email.bounced', 'email.failed'];
const PAUSE_MS = 50;

// biome-ignore lint/suspicious/noExplicitAny: an answer, as the wire has it.
type Json = any;

/** What an event said, by its id. */
export interface Heard {
  event: string;
  /** Of the message or the outbound email. */
  id: string;
  /** The message's own Message-ID; empty for an email. */
  messageId: string;
  times: number;
}

export class SupportProgram {
  readonly heard = new Map<string, Heard>();
  /** Recipients of emails that `email.bounced` named. */
  readonly bounces = new Set<string>();
  /** Ids of the emails that replied to each message. */
  readonly repliesTo = new Map<string, string>();
  /** Messages whose sender could not be answered, because an earlier reply had bounced. */
  readonly unanswerable = new Set<string>();
  readonly damaged: string[] = [];
  private inboxId = '';
  private readonly working = new Set<Promise<void>>();

  constructor(
    private readonly apiKey: string,
    private readonly findHttp: () => string,
  ) {}

  /** Creates the inbox and an account-wide webhook. */
  async listen(around: Surroundings, address: string, domain: string): Promise<void> {
    around.receiver.answer((request) => {
      this.take(request);
      return {};
    });
    const [owned] = await this.call('GET', '/domains');
    if (owned.name !== domain) throw new Error(`the account has no domain ${domain}`);
    const local = address.slice(0, address.indexOf('@'));
    ({ id: this.inboxId } = await this.call('POST', '/inboxes', { domain: owned.id, routing_key: local }));
    await this.call('POST', '/webhooks', { url: around.url, events: EVENTS });
  }

  get repliesSent(): number {
    return this.repliesTo.size;
  }

  isQuiet(): boolean {
    return this.working.size === 0;
  }

  hasHeardAllOf(messageIds: ReadonlySet<string>): boolean {
    const known = new Set([...this.heard.values()].map(({ messageId }) => messageId));
    return [...messageIds].every((id) => known.has(id));
  }

  private take(request: Received): void {
    const { id, event, data } = readEvent(request);
    const about = data.message ?? data.outbound_email;
    const known = this.heard.get(id);
    if (known) {
      known.times += 1;
      if (known.id !== about.id || known.event !== event) this.damaged.push(`event ${id} changed`);
      return;
    }
    this.heard.set(id, { event, id: about.id, messageId: data.message?.message_id ?? '', times: 1 });
    if (event === 'email.bounced')
      for (const { email, status } of about.recipients) if (status === 'bounced') this.bounces.add(email);
    if (event !== 'email.received') return;
    const work = this.reply(id, about).finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private async reply(eventId: string, message: { id: string; message_id: string }): Promise<void> {
    const content = makeAnswerFile(message.message_id).toString('base64');
    const body = { body_text: 'Because.', attachments: [{ filename: 'why.txt', content }] };
    const path = `/inboxes/${this.inboxId}/messages/${message.id}/reply`;
    const created = await this.callUntilAnswered('POST', path, body, eventId);
    if (created === null) this.unanswerable.add(message.id);
    else this.repliesTo.set(message.id, created.id);
  }

  /** Repeats a request whose connection broke, with the same Idempotency-Key. Null when the recipient is suppressed. */
  private async callUntilAnswered(
    method: string,
    path: string,
    body: unknown,
    once: string,
  ): Promise<{ id: string } | null> {
    for (;;) {
      try {
        return await this.call(method, path, body, once);
      } catch (fault) {
        if (/"recipient_rejected"/.test((fault as Error).message)) return null;
        if (/was answered (?!429|503)/.test((fault as Error).message)) {
          this.damaged.push((fault as Error).message);
          throw fault;
        }
        await Bun.sleep(PAUSE_MS);
      }
    }
  }

  private async call(method: string, path: string, body?: unknown, once?: string): Promise<Json> {
    return (await this.ask(method, path, body, once)).data;
  }

  /** Every page of a list. */
  async listAll(path: string): Promise<Json[]> {
    const found: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const sign = path.includes('?') ? '&' : '?';
      const answer: Json = await this.ask('GET', `${path}${sign}limit=100${cursor && `&cursor=${cursor}`}`);
      found.push(...(Array.isArray(answer.data) ? answer.data : answer.data.messages));
      cursor = answer.pagination.next_cursor;
    }
    return found;
  }

  private async ask(method: string, path: string, body?: unknown, once?: string): Promise<Json> {
    const answer = await fetch(`${this.findHttp()}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(once === undefined ? {} : { 'idempotency-key': once }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}
