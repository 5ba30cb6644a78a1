/** What the routes for Mailpit's and MailHog's clients share: the mails of capture's account, and the forms of answers. */
import type { IngestServices } from '../../features/ingest/parser-pool.ts';
import {
  findOwnMessage,
  findOwnSummary,
  type MessageRow,
  type SummaryRow,
} from '../../features/messages/sql.ts';
import { readOrElse } from '../../features/messages/unreadable.ts';
import { deleteBatchOp, markBatchOp } from '../../features/messages/writes.ts';
import { fail } from '../../platform/core/failure.ts';
import { SlotGate } from '../../platform/core/gate.ts';
import type { HeldServices } from '../../platform/services.ts';
import { readMailpitQuery, type Term } from './search.ts';
import { type FoundMails, findMail, findMails, type GroupedMail, type MailQuery } from './sql.ts';

export type CompatServices = HeldServices & IngestServices;

/** One request to a route. */
export interface CompatCall {
  door: CompatDoor;
  request: Request;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

export interface CompatRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** May contain parameters, as `:name`. */
  path: string;
  /** Needs no key even where all others do. */
  isOpen?: true;
  run: (call: CompatCall) => Response | Promise<Response>;
}

/** A mail with the row of its first message. */
export interface OpenedMail extends GroupedMail {
  row: MessageRow;
}

/** Test suites poll in parallel: only this many searches run at the same time, and the others wait. */
const SEARCHES = { insideMax: 8, waitingMax: 4_000, waitMs: 30_000 };
/** Messages changed by one write. */
const IDS_AT_ONCE = 100;
/** Mails in each batch of `changeAll`. */
const MAILS_AT_ONCE = 500;

export class CompatDoor {
  readonly startedUs: number;
  deleted = 0;
  private readonly searches: SlotGate;

  constructor(
    readonly services: CompatServices,
    readonly accountNo: number,
  ) {
    this.startedUs = services.clock.nowUs();
    this.searches = new SlotGate(services.clock, SEARCHES);
  }

  async find(query: Partial<Omit<MailQuery, 'account_no'>>, signal: AbortSignal): Promise<FoundMails> {
    const whole: MailQuery = {
      terms: [],
      start: 0,
      limit: 1,
      before: Number.MAX_SAFE_INTEGER,
      counts: false,
      ...query,
      account_no: this.accountNo,
    };
    const leave =
      (await this.searches.enter(signal)) ??
      fail('rate_limited', { text: 'Too many searches at the same time.', retryAfterS: 1 });
    try {
      return await this.services.store.read(findMails, whole, { owner: 'compat', signal });
    } finally {
      leave();
    }
  }

  open(mail: GroupedMail): OpenedMail | null {
    const row = findOwnMessage(this.services.store, this.accountNo, mail.id);
    return row && { ...mail, row };
  }

  /** Shows a mail in a list; without its content if it is damaged. Null if it has been deleted. */
  show<T>(mail: GroupedMail, shown: (opened: OpenedMail) => T, damaged: (row: SummaryRow) => T): T | null {
    const showWhole = () => {
      const opened = this.open(mail);
      return opened && shown(opened);
    };
    const showSummary = () => {
      const row = findOwnSummary(this.services.store, this.accountNo, mail.id);
      return row && damaged(row);
    };
    return readOrElse(this.services, mail.id, showWhole, showSummary);
  }

  /**
   * Finds the mail by the id of any of its messages, or by `latest`: the newest that `query` matches. Fails without
   * one.
   */
  async requireListed({ params, query, request }: CompatCall): Promise<GroupedMail> {
    const id = params.id ?? '';
    const listed =
      id === 'latest'
        ? await this.findNewest(query.get('query') ?? '', request.signal)
        : findMail(this.services.store, this.accountNo, id);
    return listed ?? fail('not_found', { text: 'Message not found' });
  }

  private async findNewest(query: string, signal: AbortSignal): Promise<GroupedMail | undefined> {
    const { mails } = await this.find({ terms: readMailpitQuery(query) }, signal);
    return mails[0];
  }

  /** As `requireListed`, with the row of its first message. Throws if the mail is damaged. */
  async requireMail(call: CompatCall): Promise<OpenedMail> {
    const listed = await this.requireListed(call);
    return this.open(listed) ?? fail('not_found', { text: 'Message not found' });
  }

  /** Returns all messages of the mails with these ids. Unknown ids are skipped. */
  listMessageIds(ids: readonly string[]): string[] {
    const mails = ids.map((id) => findMail(this.services.store, this.accountNo, id)?.ids ?? []);
    return [...new Set(mails.flat())];
  }

  async mark(ids: readonly string[], read: boolean): Promise<void> {
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const some = ids.slice(at, at + IDS_AT_ONCE);
      await this.services.store.write(markBatchOp, { account_no: this.accountNo, ids: some, read });
    }
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const some = ids.slice(at, at + IDS_AT_ONCE);
      const done = await this.services.store.write(deleteBatchOp, { account_no: this.accountNo, ids: some });
      this.deleted += done.filter(Boolean).length;
    }
  }

  /** Changes every mail that exists now and matches, in batches. Mail that arrives in the meantime is left alone. */
  async changeAll(
    terms: readonly Term[],
    signal: AbortSignal,
    change: (ids: readonly string[]) => Promise<void>,
  ): Promise<void> {
    for (let before = Number.MAX_SAFE_INTEGER; !signal.aborted; ) {
      const { mails } = await this.find({ terms, limit: MAILS_AT_ONCE, before }, signal);
      await change(mails.flatMap(({ ids }) => ids));
      if (mails.length < MAILS_AT_ONCE) return;
      before = mails.at(-1)!.received_at;
    }
  }
}

export function answerText(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

export function answerJson(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}

/** The text of a mail in a list that could not be read. */
export const DAMAGED_TEXT = 'This message could not be read: the store is damaged.';

/** What to use instead of the other tools' event streams. */
export const USE_STREAM = "Poll, or use the message stream of Postern's own API.";

/** Returns a route that answers 501, for what Postern does in another way or not at all. */
export function refuseRoute(method: CompatRoute['method'], path: string, instead: string): CompatRoute {
  return { method, path, run: () => answerText(`Not supported here. ${instead}`, 501) };
}

/** Reads a whole number from a parameter, at most `max`. Returns `standard` if it is not one, or is less than `min`. */
export function readNumber(text: string | null, standard: number, min: number, max: number): number {
  if (text === null || !/^\d{1,15}$/.test(text)) return standard;
  const value = Number(text);
  return value < min ? standard : Math.min(value, max);
}
