/** The load of a recording: mail, inboxes, emails and deletions, with each answer marked in the log as it arrives. */
import { posternJson } from '../../test/doors/operator/command-process.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { Chance } from './chance.ts';
import { makeMail, readNumber } from './mails.ts';
import type { Mark } from './promises.ts';
import { Api } from './server.ts';

const SENDERS = 5;
/** Every n-th mail has two recipients. */
const SHARED_EVERY = 6;
const OTHERS_PAUSE_MS = 15;
export const FROM_DOMAIN = 'shop.example';

/** What happens beside the mail: deletions and new inboxes, outbound emails, which need a domain, or both. */
export type Others = 'none' | 'deletions' | 'emails' | 'all';

interface Inbox {
  id: string;
  address: string;
}

/** Where answers are recorded: the log of crashfs, between the changes. */
export interface Notes {
  mark(mark: Mark): Promise<void>;
}

/** Creates an account, and a load that uses its key. */
export async function openLoad(settings: Record<string, string>, email: string, notes: Notes): Promise<Load> {
  const create = ['account', 'create', '--email', email];
  const { api_key: key } = await posternJson<{ api_key: string }>(create, settings);
  await notes.mark({ is: 'account', email, key });
  return new Load(notes, key);
}

export class Load {
  private mail = 0;
  private isOver = false;
  private readonly inboxes: Inbox[] = [];
  /** Requests that were refused but should have been accepted. */
  readonly refused: string[] = [];

  constructor(
    private readonly notes: Notes,
    readonly key: string,
  ) {}

  get begun(): number {
    return this.mail;
  }

  async makeInbox(http: string): Promise<Inbox> {
    const { status, json } = await new Api(http, this.key).call('POST', '/inboxes', {});
    if (status !== 201) throw new Error(`an inbox was answered ${status}`);
    const { id, address } = json.data as Inbox;
    await this.notes.mark({ is: 'inbox', id, address });
    this.inboxes.push({ id, address });
    return { id, address };
  }

  /** Runs until this many mails have been begun in total, or the server has ended. */
  async run(
    server: { http: string; smtpPort: number },
    until: number,
    beside: Others = 'none',
  ): Promise<void> {
    this.isOver = false;
    const others = beside === 'none' ? Promise.resolve() : this.doOthers(server.http, beside);
    const senders = Array.from({ length: SENDERS }, (_, index) =>
      this.send(server.smtpPort, until, new Chance(this.mail * SENDERS + index)),
    );
    await Promise.all(senders);
    this.isOver = true;
    await others;
  }

  /** Waits until this many mails have been begun, or the load has ended. */
  async awaitBegun(count: number): Promise<void> {
    while (this.mail < count && !this.isOver) await Bun.sleep(2);
  }

  private async send(port: number, until: number, chance: Chance): Promise<void> {
    try {
      using client = await SmtpClient.greet({ port });
      while (this.mail < until) {
        const mail = ++this.mail;
        const to = chance.sample(this.inboxes.slice(0, 6), mail % SHARED_EVERY === 0 ? 2 : 1);
        await this.notes.mark({ is: 'sending', mail, to: to.map(({ id }) => id) });
        await client.say('MAIL FROM:<load@example.org>', 250);
        for (const { address } of to) await client.say(`RCPT TO:<${address}>`, 250);
        await client.say('DATA', 354);
        client.data(makeMail(mail));
        await client.expect(250);
        await this.notes.mark({ is: 'mail', mail });
      }
    } catch (fault) {
      // A cut connection is expected after a kill; a refusal is an error.
      if (/was answered/.test((fault as Error).message)) this.refused.push((fault as Error).message);
    }
  }

  private async doOthers(http: string, others: Others): Promise<void> {
    const api = new Api(http, this.key);
    const chance = new Chance(this.mail);
    try {
      for (let turn = 1; !this.isOver; turn++) {
        if (others !== 'deletions') await this.sendEmail(api, turn);
        if (others !== 'emails') await this.changeInboxes(http, api, turn, chance);
        await Bun.sleep(OTHERS_PAUSE_MS);
      }
    } catch (fault) {
      if (/was answered/.test((fault as Error).message)) this.refused.push((fault as Error).message);
    }
  }

  private async changeInboxes(http: string, api: Api, turn: number, chance: Chance): Promise<void> {
    if (turn % 7 === 0) await this.deleteMessage(api, chance);
    if (turn % 10 !== 0) return;
    const { id } = await this.makeInbox(http);
    if (turn % 20 === 0) await this.deleteInbox(api, id);
  }

  private async sendEmail(api: Api, turn: number): Promise<void> {
    const { status, json } = await api.call('POST', '/outbound_emails', {
      from_address: `me@${FROM_DOMAIN}`,
      to: ['ann@far.test'],
      subject: `email ${turn}`,
      body_text: 'hello '.repeat(200),
    });
    if (status !== 201) throw new Error(`an email was answered ${status}`);
    const { id } = json.data as { id: string };
    await this.notes.mark({ is: 'email', id });
    if (turn % 3 !== 0) return;
    const shown = await api.call('GET', `/outbound_emails/${id}`);
    if (shown.json.data?.status === 'sent') await this.notes.mark({ is: 'email sent', id });
  }

  private async deleteMessage(api: Api, chance: Chance): Promise<void> {
    const inbox = chance.pick(this.inboxes.slice(0, 6)).id;
    const { json } = await api.call('GET', `/inboxes/${inbox}/messages?limit=25`);
    const messages = json.data as { id: string; subject: string }[];
    if (messages.length === 0) return;
    const { id, subject } = chance.pick(messages);
    const mail = readNumber(subject)!;
    await this.notes.mark({ is: 'deleting', mail, inbox });
    const { status } = await api.call('DELETE', `/messages/${id}`);
    if (status < 300) await this.notes.mark({ is: 'deleted', mail, inbox });
  }

  private async deleteInbox(api: Api, id: string): Promise<void> {
    await this.notes.mark({ is: 'inbox going', id });
    const { status } = await api.call('DELETE', `/inboxes/${id}`);
    if (status < 300) await this.notes.mark({ is: 'inbox gone', id });
  }
}
