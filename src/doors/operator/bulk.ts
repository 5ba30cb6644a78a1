/**
 * Mails over the control socket: many per import request, one per export answer. The command line reads and writes
 * the files as the user who runs it; the server needs no access to them.
 */

import { findAccount } from '../../features/accounts/find.ts';
import { findAuditBefore, listAuditAfter } from '../../features/audit/sql.ts';
import { viewAudit } from '../../features/audit/view.ts';
import type { AuditEntryView } from '../../features/audit/wire.ts';
import { findInbox } from '../../features/inboxes/find.ts';
import type { Inbox } from '../../features/inboxes/sql.ts';
import { ImportStopped, type MailToImport } from '../../features/ingest/import.ts';
import { readPieces } from '../../features/messages/raw.ts';
import { findOwnRaw, listForExport } from '../../features/messages/sql.ts';
import { viewBytes } from '../../platform/core/bytes.ts';
import { Failure } from '../../platform/core/failure.ts';
import { isId } from '../../platform/core/id.ts';
import { readPath } from '../../platform/http/paths.ts';
import { readSearch } from '../../platform/http/query.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { ControlAnswer } from './control.ts';
import { encodeThrown } from './control.ts';

/** Largest value of POSTERN_SMTP_MAX_SIZE: SMTP can't accept anything larger. */
export const MAIL_BYTES_MAX = 256 * 1024 ** 2;
/** Messages per listing. */
export const PAGE = 500;

export interface BulkOperating {
  services: PlatformServices;
  importMails(inbox: Inbox, mails: readonly MailToImport[]): Promise<string[]>;
}

export interface ListedMail {
  id: string;
  /** In microseconds. */
  received_at: number;
  read: boolean;
  envelope_from: string;
}

/** Answers `/import`, `/list`, `/raw` and `/audit`; null for another path. */
export async function answerBulk(operating: BulkOperating, request: Request): Promise<Response | null> {
  const query = readSearch(request.url);
  if (readPath(request.url) === '/audit') return answerAudit(operating, query);
  const answer = bulkAnswers[readPath(request.url)];
  if (!answer) return null;
  try {
    const inbox = findInbox(operating.services.store, query.get('inbox') ?? '');
    return await answer(operating, inbox, query, request);
  } catch (thrown) {
    return Response.json(encodeThrown(thrown), { status: 409 });
  }
}

/** A page of the audit log, oldest first: of an account, after an entry, or since a time in microseconds. */
function answerAudit({ services: { store } }: BulkOperating, query: URLSearchParams): Response {
  try {
    const account = query.get('account');
    // An id also finds the entries of an account that was deleted.
    const isNamed = account !== null && !isId('account', account);
    const accountId = isNamed ? findAccount(store, account).id : account;
    const since = query.get('since');
    const after = since === null ? Number(query.get('after')) : findAuditBefore(store, Number(since));
    const rows = listAuditAfter(store, accountId, after, PAGE);
    return answerWith({ last: rows.at(-1)?.no ?? null, entries: rows.map(viewAudit) } satisfies AuditPage);
  } catch (thrown) {
    return Response.json(encodeThrown(thrown), { status: 409 });
  }
}

export interface AuditPage {
  /** The number after which the next page begins; null when this one is empty. */
  last: number | null;
  entries: AuditEntryView[];
}

export type ImportAnswer = ControlAnswer & {
  /** After an error, how many of the request's mails were stored before the one that failed. */
  imported?: number;
};

type Answer = (
  operating: BulkOperating,
  inbox: Inbox,
  query: URLSearchParams,
  request: Request,
) => Promise<Response>;

const bulkAnswers: Record<string, Answer> = {
  async '/import'({ importMails }, inbox, _, request) {
    const mails = unpack(new Uint8Array(await request.arrayBuffer()));
    try {
      return answerWith(await importMails(inbox, mails));
    } catch (thrown) {
      if (!(thrown instanceof ImportStopped)) throw thrown;
      const { imported, reason } = thrown;
      return Response.json({ ...encodeThrown(reason), imported } satisfies ImportAnswer, { status: 409 });
    }
  },
  async '/list'({ services }, inbox, query) {
    const rows = listForExport(services.store, inbox.no, Number(query.get('after')), PAGE);
    return answerWith(rows.map(({ read_at, ...row }): ListedMail => ({ ...row, read: read_at !== null })));
  },
  async '/raw'({ services }, inbox, query) {
    const raw = findOwnRaw(services.store, inbox.account_no, query.get('id') ?? '');
    if (!raw) throw new Failure('not_found');
    return new Response(Buffer.concat([...readPieces(services.store, raw)]));
  },
};

function answerWith(output: unknown): Response {
  return Response.json({ output, base_url: '' } satisfies ControlAnswer);
}

/** Encodes mails as one body. Each is its description (JSON) and its bytes, both preceded by their length. */
export function pack(mails: readonly MailToImport[]): Buffer {
  return Buffer.concat(
    mails.flatMap(({ raw, ...head }) => {
      const json = Buffer.from(JSON.stringify(head));
      return [encodeLength(json), json, encodeLength(raw), raw];
    }),
  );
}

function encodeLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

function unpack(packed: Uint8Array): MailToImport[] {
  const bytes = viewBytes(packed);
  const mails: MailToImport[] = [];
  let at = 0;
  const next = () => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    return bytes.subarray(start, at);
  };
  while (at < bytes.length) {
    const head = JSON.parse(next().toString()) as Omit<MailToImport, 'raw'>;
    mails.push({ ...head, raw: next() });
  }
  return mails;
}
