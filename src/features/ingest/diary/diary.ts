import type { Cancel } from '../../../platform/core/clock.ts';
import { inboxAddress, parseAddress } from '../../../platform/mail/address.ts';
import { countedAddress } from '../../../platform/net/client-ip.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { diary as rules } from '../../../rules/diary.ts';
import { type RefusalReason, type ReplyName, replies } from '../../../rules/replies.ts';
import { type NewEntry, noteRefusalsOp } from './writes.ts';

/*
 * "My mail did not come" answers itself: what SMTP refused, whose, and why. Strangers decide how often something is
 * refused, so nothing is written on the way: refusals are gathered for some seconds, alike ones as one, and written
 * together. Of one client, and in all, a gathering has so many entries; the rest is counted by client and reason,
 * and at last not at all. What was gathered and not written when the process is killed is lost.
 */

/** What was refused: as `replies` has it, or with a reply of its own. */
export type Refused = RefusedMail & ({ reason: ReplyName } | { reason: 'fault_on_demand'; as: OwnAnswer });

interface RefusedMail {
  reason: RefusalReason;
  client_address: string;
  helo: string;
  envelope_from: string;
  /** `""` before a recipient was named. */
  recipient: string;
}

interface OwnAnswer {
  /** 0 when the connection ended without a reply. */
  code: number;
  text: string;
  /** Whose it is, whoever the recipient is. */
  account_no: number;
}

export interface DiaryServices extends PlatformServices {
  readonly diary: Diary;
}

export class Diary {
  private readonly gathered = new Map<string, NewEntry>();
  private readonly ofClient = new Map<string, number>();
  private alarm: Cancel | null = null;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly services: Pick<PlatformServices, 'clock' | 'store' | 'log'>) {}

  note(refused: Refused): void {
    const nowUs = this.services.clock.nowUs();
    const client = countedAddress(refused.client_address);
    const { reason, envelope_from, recipient } = refused;
    const answer = answerOf(refused);
    const own = `${reason}\n${client}\n${envelope_from}\n${recipient}\n${answer.code} ${answer.text}`;
    // Where there is no room for it, it counts among the rest of this client.
    const rest = `${reason}\n${client}`;
    const known = this.gathered.get(own) ?? (this.hasRoom(client) ? undefined : this.gathered.get(rest));
    if (known) {
      known.times += 1;
      known.at = nowUs;
      return;
    }
    const isOwn = this.hasRoom(client);
    // As many again may hold the rests; a flood from more networks than that is told in the log alone.
    if (!isOwn && this.gathered.size >= 2 * rules.entries) return;
    this.gathered.set(isOwn ? own : rest, entryOf(refused, isOwn, nowUs));
    this.ofClient.set(client, (this.ofClient.get(client) ?? 0) + 1);
    this.alarm ??= this.services.clock.after(rules.gather_s * 1000, () => void this.flush());
  }

  private hasRoom(client: string): boolean {
    return this.gathered.size < rules.entries && (this.ofClient.get(client) ?? 0) < rules.entries_of_client;
  }

  /** Writes what was gathered; settles when it is in the store, or when the store refused it. */
  flush(): Promise<void> {
    this.alarm?.();
    this.alarm = null;
    if (this.gathered.size > 0) {
      const entries = [...this.gathered.values()];
      this.gathered.clear();
      this.ofClient.clear();
      this.writing = this.services.store.write(noteRefusalsOp, { entries }).catch((fault: unknown) => {
        this.services.log.warn('what SMTP refused could not be written down', { fault: String(fault) });
      });
    }
    return this.writing;
  }
}

function answerOf(refused: Refused): Omit<OwnAnswer, 'account_no'> {
  return refused.reason === 'fault_on_demand' ? refused.as : replies[refused.reason];
}

function entryOf(refused: Refused, isOwn: boolean, nowUs: number): NewEntry {
  const { code, text } = answerOf(refused);
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
    address: parsed && inboxAddress(parsed),
    ...(refused.reason === 'fault_on_demand' && { account_no: refused.as.account_no }),
    reason: refused.reason,
    code,
    reply: text,
  };
}

function cut(text: string): string {
  return text.slice(0, rules.text_chars).toWellFormed();
}
