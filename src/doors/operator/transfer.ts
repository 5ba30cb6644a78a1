/**
 * Requests over the control socket that are no commands: mails into and out of an inbox, and the audit log, in as many
 * requests as it takes. The command line reads and writes the files as the user who runs it; the server needs no access
 * to them.
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
import { Failure } from '../../platform/core/failure.ts';
import { isId } from '../../platform/core/id.ts';
import { readPath } from '../../platform/http/paths.ts';
import { readSearch } from '../../platform/http/query.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type ControlAnswer, encodeThrown } from './control.ts';
import { unpackMails } from './packed-mails.ts';

/** Largest value of POSTERN_SMTP_MAX_SIZE: SMTP can't accept anything larger. */
export const MAIL_BYTES_MAX = 256 * 1024 ** 2;
/** Messages or audit entries per listing. */
export const LISTED_ROWS = 500;

export interface TransferOperating {
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
export async function answerTransfer(
  operating: TransferOperating,
  request: Request,
): Promise<Response | null> {
  const answer = answers[readPath(request.url)];
  if (!answer) return null;
  try {
    return await answer(operating, readSearch(request.url), request);
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
  operating: TransferOperating,
  query: URLSearchParams,
  request: Request,
) => Response | Promise<Response>;

const answers: Readonly<Record<string, Answer>> = {
  async '/import'({ services, importMails }, query, request) {
    const inbox = findNamedInbox(services, query);
    const mails = unpackMails(new Uint8Array(await request.arrayBuffer()));
    try {
      return answerWith(await importMails(inbox, mails));
    } catch (thrown) {
      if (!(thrown instanceof ImportStopped)) throw thrown;
      const { imported, reason } = thrown;
      return Response.json({ ...encodeThrown(reason), imported } satisfies ImportAnswer, { status: 409 });
    }
  },
  '/list'({ services }, query) {
    const inbox = findNamedInbox(services, query);
    const rows = listForExport(services.store, inbox.no, Number(query.get('after')), LISTED_ROWS);
    return answerWith(rows.map(({ read_at, ...row }): ListedMail => ({ ...row, read: read_at !== null })));
  },
  '/raw'({ services }, query) {
    const inbox = findNamedInbox(services, query);
    const raw = findOwnRaw(services.store, inbox.account_no, query.get('id') ?? '');
    if (!raw) throw new Failure('not_found');
    return new Response(Buffer.concat([...readPieces(services.store, raw)]));
  },
  /** A page of the audit log, oldest first: of an account, after an entry, or since a time in microseconds. */
  '/audit'({ services: { store } }, query) {
    const account = query.get('account');
    // An id also finds the entries of an account that was deleted.
    const isNamed = account !== null && !isId('account', account);
    const accountId = isNamed ? findAccount(store, account).id : account;
    const since = query.get('since');
    const after = since === null ? Number(query.get('after')) : findAuditBefore(store, Number(since));
    const rows = listAuditAfter(store, accountId, after, LISTED_ROWS);
    return answerWith({ last: rows.at(-1)?.no ?? null, entries: rows.map(viewAudit) } satisfies AuditPage);
  },
};

function findNamedInbox({ store }: PlatformServices, query: URLSearchParams): Inbox {
  return findInbox(store, query.get('inbox') ?? '');
}

function answerWith(output: unknown): Response {
  return Response.json({ output, base_url: '' } satisfies ControlAnswer);
}
