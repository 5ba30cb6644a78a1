import type { Cancel } from '../../../platform/core/clock.ts';
import { Counts } from '../../../platform/core/counts.ts';
import { parseAddress, toInboxAddress } from '../../../platform/mail/address.ts';
import { formatCountedAddress } from '../../../platform/net/client-ip.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { diary as rules } from '../../../rules/diary.ts';
import { type RefusalReason, type ReplyName, replies } from '../../../rules/replies.ts';
import { type NewEntry, noteRefusalsOp } from './writes.ts';

/*
 * Shows users what SMTP refused, for whom and why, when mail does not arrive. Strangers decide how often that happens,
 * so nothing is written during a session: refusals are collected for some seconds, grouped if they are alike, and
 * written together. The number of entries is bounded per client and in total. Refusals beyond that are counted by
 * client and reason, and in a flood not at all. Refusals that are not written yet are lost when the process is killed.
 */

/** A refusal: with a reply from the table `replies`, or with the reply of a fault rule. */
export type Refused = RefusedMail & ({ reason: ReplyName } | { reason: 'fault_on_demand'; as: OwnAnswer });

interface RefusedMail {
  reason: RefusalReason;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` if the refusal came before a recipient was named. */
  recipient: string;
  /** In a trap: the account that gets the entry, whoever the recipient is. */
  account_no?: number;
}

interface OwnAnswer {
  /** 0 when the connection ended without a reply. */
  code: number;
  text: string;
}

export interface DiaryServices extends PlatformServices {
  readonly diary: Diary;
}

export class Diary {
  private readonly gathered = new Map<string, NewEntry>();
  private readonly ofClient = new Counts<string>();
  private alarm: Cancel | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly services: Pick<PlatformServices, 'clock' | 'store' | 'log'>) {}

  note(refused: Refused): void {
    const nowUs = this.services.clock.nowUs();
    const client = formatCountedAddress(refused.client_address);
    const { reason, envelope_from, recipient, account_no = '' } = refused;
    const answer = readAnswer(refused);
    const own = `${reason}\n${client}\n${account_no}\n${envelope_from}\n${recipient}\n${answer.code} ${answer.text}`;
    // If there is no room for an entry of its own, it is counted with this client's other refusals.
    const rest = `${reason}\n${client}\n${account_no}`;
    const known = this.gathered.get(own) ?? (this.hasRoom(client) ? undefined : this.gathered.get(rest));
    if (known) {
      known.times += 1;
      known.at = nowUs;
      return;
    }
    const isOwn = this.hasRoom(client);
    // These totals may use as much room again. Refusals of a flood from even more networks are only logged.
    if (!isOwn && this.gathered.size >= 2 * rules.entries) return;
    this.gathered.set(isOwn ? own : rest, makeEntry(refused, isOwn, nowUs));
    this.ofClient.add(client, 1);
    this.alarm ??= this.services.clock.after(rules.gatherS * 1000, () => void this.flush());
  }

  private hasRoom(client: string): boolean {
    return this.gathered.size < rules.entries && this.ofClient.of(client) < rules.entriesOfClient;
  }

  /** Writes the collected refusals. Resolves when they are stored, or when the store has refused them. */
  flush(): Promise<void> {
    this.alarm?.();
    this.alarm = null;
    if (this.gathered.size > 0) {
      const entries = [...this.gathered.values()];
      this.gathered.clear();
      this.ofClient.clear();
      this.writing = this.services.store.write(noteRefusalsOp, { entries }).catch((fault: unknown) => {
        this.services.log.warn('refusals by SMTP could not be stored', { fault: String(fault) });
      });
    }
    return this.writing;
  }
}

function readAnswer(refused: Refused): OwnAnswer {
  return refused.reason === 'fault_on_demand' ? refused.as : replies[refused.reason];
}

function makeEntry(refused: Refused, isOwn: boolean, nowUs: number): NewEntry {
  const { code, text } = readAnswer(refused);
  const recipient = isOwn ? cut(refused.recipient) : '';
  const parsed = recipient === '' ? null : parseAddress(recipient);
  return {
    first_at: nowUs,
    at: nowUs,
    times: 1,
    client_address: refused.client_address,
    helo: cut(refused.helo),
    envelope_from: isOwn ? cut(refused.envelope_from) : '',
    recipient,
    address: parsed && toInboxAddress(parsed),
    ...(refused.account_no !== undefined && { account_no: refused.account_no }),
    reason: refused.reason,
    code,
    reply: text,
  };
}

function cut(text: string): string {
  return text.slice(0, rules.textChars).toWellFormed();
}
