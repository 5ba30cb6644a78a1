/** Reads the store's file with another SQLite than the server's. */
import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateKey } from '../../src/features/domains/dkim-key.ts';
import { listSigningSecrets } from '../../src/features/webhooks/secret.ts';
import type { Webhook } from '../../src/features/webhooks/sql.ts';
import { ServerKey } from '../../src/platform/core/sealed.ts';
import {
  findWholeMail,
  type MailColumns,
  readContent,
  readStoredPiece,
} from '../../src/platform/mail/stored-mail.ts';
import type { Findings } from './findings.ts';
import { makeMail, readNumber } from './mails.ts';
import { nameCopy, type Promises } from './promises.ts';

const INTEGRITY_LINES = 3;

/** What is deleted with a message, although no foreign key does it. */
const leftovers = {
  'search entries': 'SELECT id FROM message_search_docsize EXCEPT SELECT received_at FROM message',
  'rows of the text index': 'SELECT received_at FROM search_row EXCEPT SELECT received_at FROM message',
  'text entries': 'SELECT id FROM message_search_text_docsize EXCEPT SELECT no FROM search_row',
};

/** The store as a plan looks at it. */
export type Store = Database;

/** Returns the number that a statement selects. */
export function selectNumber(store: Store, sql: string): number {
  return Number(store.query(sql).values()[0]?.[0]);
}

/** Inspects a store; `data` may belong to a running server. */
export function withStore<Result>(file: string, look: (store: Store) => Result): Result {
  const store = new Database(file, { readonly: true });
  try {
    return look(store);
  } finally {
    store.close();
  }
}

export function checkSound(store: Store, findings: Findings): void {
  const lines = store.query(`PRAGMA integrity_check(${INTEGRITY_LINES})`).values().flat();
  if (lines.join() !== 'ok') findings.add('damaged', `integrity_check: ${lines.join('; ')}`);
  if (store.query('PRAGMA foreign_key_check').values().length > 0) {
    findings.add('damaged', 'a foreign key has no target');
  }
  const refs = `SELECT count(*) FROM raw
    WHERE refs <> (SELECT count(*) FROM message WHERE raw_no = raw.no) + (SELECT count(*) FROM withheld WHERE raw_no = raw.no)`;
  const wrong = selectNumber(store, refs);
  if (wrong > 0) findings.add('damaged', `${wrong} mails whose count of messages is wrong`);
  for (const [what, query] of Object.entries(leftovers)) {
    const rows = selectNumber(store, `SELECT count(*) FROM (${query})`);
    if (rows > 0) findings.add('damaged', `${rows} ${what} without a message`);
  }
}

/** Checks that the key beside a store opens every secret in it. */
export function checkKey(dataDir: string, store: Store, findings: Findings): void {
  try {
    const key = new ServerKey(readFileSync(join(dataDir, 'server.key')));
    listWebhookSecrets(key, store);
    const pairs = store
      .query(
        `SELECT domain.id, public_key, private_key FROM dkim_key JOIN domain ON domain.no = dkim_key.domain_no
         WHERE length(private_key) > 60`,
      )
      .all() as { id: string; public_key: string; private_key: Uint8Array }[];
    for (const pair of pairs) openPrivateKey(key, pair.id, pair);
  } catch (fault) {
    findings.add('key', `server.key does not open what the store sealed: ${(fault as Error).message}`);
  }
}

/** Returns the secrets that sign for each inbox, newest first. */
export function listWebhookSecrets(key: ServerKey, store: Store): Map<string, string[]> {
  const hooks = store
    .query(
      'SELECT webhook.*, inbox.id AS inbox_id FROM webhook JOIN inbox ON inbox.no = webhook.inbox_no WHERE removed_at IS NULL',
    )
    .all() as (Webhook & { inbox_id: string })[];
  return new Map(hooks.map((hook) => [hook.inbox_id, listSigningSecrets(key, hook, 0)]));
}

/** Checks promised webhook deliveries and emails. `ids`: message ids of the existing copies. */
export function checkQueues(
  store: Store,
  promises: Promises,
  ids: ReadonlyMap<string, string>,
  findings: Findings,
): void {
  const delivered = new Set(
    store.query('SELECT subject_id FROM event JOIN delivery ON event_no = event.no').values().flat(),
  );
  for (const mail of promises.mails) {
    for (const inbox of promises.sending.get(mail)!) {
      const copy = nameCopy(mail, inbox);
      const id = ids.get(copy);
      if (promises.deliveries.has(copy) && id !== undefined && !delivered.has(id)) {
        findings.add('lost', `the delivery of mail ${mail} to its webhook`);
      }
    }
  }
  const emails = new Map(
    (
      store
        .query(
          `SELECT id, status, waiting,
             (SELECT count(*) FROM outbound_mime WHERE outbound_no = outbound_email.no) AS bytes
           FROM outbound_email`,
        )
        .all() as { id: string; status: string; waiting: number; bytes: number }[]
    ).map((email) => [email.id, email]),
  );
  for (const id of promises.emails) {
    const email = emails.get(id);
    if (!email) findings.add('lost', `the email ${id}`);
    else if (email.waiting === 1 && email.bytes === 0) findings.add('lost', `the bytes of email ${id}`);
    else if (!/^(queued|sending|sent)$/.test(email.status)) {
      findings.add('other', `the email ${id} is ${email.status}`);
    } else if (promises.emailsSent.has(id) && email.status !== 'sent') {
      findings.add('lost', `the sending of email ${id}: it is ${email.status} again`);
    }
  }
}

/** Returns the number of rows in each table with user data. */
export function countRows(store: Store): Record<string, number> {
  const names = store
    .query(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name`)
    .values()
    .flat()
    .map(String)
    .filter((name) => !/^(sqlite_|message_search|search_|job_run|arrival|usage)/.test(name));
  return Object.fromEntries(
    names.map((name) => [name, selectNumber(store, `SELECT count(*) FROM "${name}"`)]),
  );
}

/** Returns how many mails of an earlier version are repacked, and how many are left. */
export function countRepacked(store: Store): { done: number; left: number } {
  const row = store.query('SELECT done_no AS done, last_no - done_no AS left FROM repacking').get();
  return row as { done: number; left: number };
}

/** Checks that every mail has readable content and exactly its bytes, in whichever form they are stored. */
export function checkFrames(store: Store, findings: Findings): void {
  const mails = store.query(
    `SELECT no, content, content_size, size, bytes,
       (SELECT subject FROM message WHERE raw_no = raw.no) AS subject
     FROM raw WHERE refs > 0`,
  );
  const chunks = store.query('SELECT bytes AS frame FROM raw_chunk WHERE raw_no = ? ORDER BY part');
  for (const row of mails.all() as (MailColumns & { no: number; subject: string })[]) {
    try {
      readContent(row);
      const whole = findWholeMail(row);
      const pieces = whole ? [whole] : (chunks.all(row.no) as { frame: Uint8Array }[]);
      const bytes = Buffer.concat(pieces.map(({ frame }) => readStoredPiece({ ...row, frame })));
      const mail = makeMail(readNumber(row.subject)!);
      if (!bytes.equals(mail)) findings.add('damaged', `the stored bytes of the mail ${row.subject}`);
    } catch (fault) {
      findings.add('damaged', `the mail ${row.subject} can't be read: ${(fault as Error).message}`);
    }
  }
}
