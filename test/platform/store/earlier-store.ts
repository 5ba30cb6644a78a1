/**
 * Stores of earlier schema versions: the first migrations, with an account, mail, a webhook, a domain and an email in them. They are
 * stored in test/corpus/stores (scripts/earlier-stores.ts), so that the store of a released version stays the same even if this file
 * changes.
 */
import { Database } from 'bun:sqlite';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSecret } from '../../../src/platform/core/id.ts';
import { ServerKey } from '../../../src/platform/core/sealed.ts';
import { addRows, offerBlobs, packed } from './earlier-rows.ts';

const root = join(import.meta.dir, '../../..');
const migrationsDir = join(root, 'src/platform/store/migrations');

export const storesDir = join(root, 'test/corpus/stores');
export const storeKey = new Uint8Array(32).fill(7);
export const apiKey = `pst_live_${'e'.repeat(43)}`;
export const mail = {
  id: `msg_${'a'.repeat(32)}`,
  raw: 'From: app@example.org\r\nTo: kept@postern.test\r\nSubject: Kept\r\n\r\nYour code is 482913\r\n',
};

/** A mail in the form of schema 16: one frame for its content and its bytes. */
export const oneFrameMail = {
  id: `msg_${'c'.repeat(32)}`,
  raw: 'From: app@example.org\r\nTo: kept@postern.test\r\nSubject: One frame\r\n\r\nYour code is 571204\r\n',
};

const AT = Date.UTC(2026, 10, 21, 8) * 1000;
const id = (prefix: string) => `${prefix}_${'b'.repeat(32)}`;

export function migrationFiles(): string[] {
  return readdirSync(migrationsDir).sort();
}

/** Returns the bytes of a store of this schema version: from the corpus, or created now. */
export function earlierStore(version: number): Uint8Array {
  const kept = join(storesDir, `schema-${version}.db.zst`);
  return existsSync(kept) ? Bun.zstdDecompressSync(readFileSync(kept)) : makeEarlierStore(version);
}

export function makeEarlierStore(version: number): Uint8Array {
  const file = join(tmpdir(), `postern-earlier-${process.pid}-${version}.db`);
  const store = new Database(file, { create: true });
  try {
    store.run('PRAGMA auto_vacuum = INCREMENTAL');
    store.run('PRAGMA foreign_keys = ON');
    offerBlobs(store, new ServerKey(storeKey));
    for (const [index, name] of migrationFiles().slice(0, version).entries()) {
      store.run(readFileSync(join(migrationsDir, name), 'utf8'));
      fill[name.slice(0, 4)]?.(store);
      addRows(store, name.slice(0, 4));
      store.run(`PRAGMA user_version = ${index + 1}`);
    }
    store.run('VACUUM');
    store.close();
    return readFileSync(file);
  } finally {
    rmSync(file, { force: true });
  }
}

/** The first rows of a migration, by its number; rows/ has the others. */
const fill: Record<string, (store: Database) => void> = {
  '0001': (store) => {
    fillAccount((table, row) => insertInto(store, table, row));
    fillMail((table, row) => insertInto(store, table, row));
    store.run('UPDATE arrival SET last_at = ?', [AT]);
  },
  '0002': (store) => {
    const secret = new ServerKey(storeKey).seal('whsec_kept', `webhook secret ${id('inbox')}`);
    insertInto(store, 'webhook', {
      inbox_no: 1,
      url: 'https://hooks.example.org/',
      is_enabled: 0,
      disabled_reason: 'operator',
      secret,
      failures: 0,
      created_at: AT,
      updated_at: AT,
    });
    insertInto(store, 'delivery', {
      no: 1,
      id: id('evt'),
      inbox_no: 1,
      message_id: mail.id,
      status: 'pending',
      tries: 0,
      due_at: AT,
      created_at: AT,
      attempts: '[]',
    });
  },
  '0003': (store) => {
    insertInto(store, 'outbound_email', {
      no: 1,
      id: id('out'),
      account_no: 1,
      inbox_id: null,
      kind: 'send',
      status: 'sent',
      from_domain: 'shop.example',
      from_address: 'a@shop.example',
      to: '["b@example.org"]',
      cc: '[]',
      bcc: '[]',
      subject: 'Kept',
      message_id: '<1@shop.example>',
      attempts: 1,
      created_at: AT,
      expires_at: AT,
      sent_at: AT,
    });
    insertInto(store, 'outbound_recipient', {
      no: 1,
      outbound_no: 1,
      email: 'b@example.org',
      domain: 'example.org',
      status: 'sent',
      attempts: 1,
    });
    insertInto(store, 'suppression', {
      account_no: 1,
      email: 'c@example.org',
      reason: 'bounced',
      created_at: AT,
      expires_at: 2 * AT,
    });
    insertInto(store, 'approved_recipient', {
      no: 1,
      id: id('apr'),
      account_no: 1,
      email: 'b@example.org',
      created_at: AT,
    });
  },
  '0004': (store) => {
    insertInto(store, 'domain', {
      no: 1,
      id: id('dom'),
      account_no: 1,
      name: 'shop.example',
      status: 'disabled',
      verification_token: 'token',
      catch_all: 0,
      created_at: AT,
    });
    insertInto(store, 'dkim_key', {
      no: 1,
      domain_no: 1,
      selector: 'pst202611a',
      status: 'verified',
      public_key: 'v=DKIM1',
      private_key: new Uint8Array(60),
      created_at: AT,
    });
  },
  '0016': (store) => {
    fillOneFrame((table, row) => insertInto(store, table, row));
    store.run('UPDATE arrival SET last_at = ?', [AT + 1]);
  },
};

function fillOneFrame(insert: Insert): void {
  const json = JSON.stringify({ ...content, text: 'Your code is 571204' });
  insert('raw', {
    no: 20,
    refs: 1,
    size: oneFrameMail.raw.length,
    envelope_from: 'app@example.org',
    helo: 'client.example',
    client_address: '192.0.2.7',
    protocol: 'ESMTP',
    bytes: null,
    content: packed(`${json}${oneFrameMail.raw}`),
    content_size: json.length,
  });
  insert('message', {
    received_at: AT + 1,
    id: oneFrameMail.id,
    inbox_no: 1,
    account_no: 1,
    raw_no: 20,
    status: 'parsed',
    otp: '571204',
    otp_confidence: 0.9,
    has_html: 0,
    size: oneFrameMail.raw.length,
    attachment_count: 0,
    envelope_recipient: 'kept@postern.test',
    subject: 'One frame',
    from: 'app@example.org',
    to: '["kept@postern.test"]',
    cc: '[]',
    links: '[]',
    metadata: '{}',
  });
}

type Row = Record<string, string | number | Uint8Array | null>;
type Insert = (table: string, row: Row) => void;

function fillAccount(insert: Insert): void {
  insert('account', {
    no: 1,
    id: id('acct'),
    name: '',
    email: 'ann@example.org',
    plan: 'business',
    kind: 'standard',
    status: 'active',
    custom_domains: 1,
    outbound: 1,
    operator: 1,
    created_at: AT,
    last_active_at: AT,
  });
  insert('user', {
    no: 1,
    id: id('user'),
    account_no: 1,
    email: 'ann@example.org',
    role: 'owner',
    created_at: AT,
  });
  insert('api_key', {
    no: 1,
    id: id('key'),
    account_no: 1,
    user_no: 1,
    hash: hashSecret(apiKey),
    key_prefix: apiKey.slice(0, 16),
    name: '',
    role: 'owner',
    created_at: AT,
  });
  insert('usage', { account_no: 1, month: '2026-11', messages_received: 1 });
  insert('claim', { address: 'kept@postern.test', account_no: 1 });
  insert('inbox', {
    no: 1,
    id: id('inbox'),
    account_no: 1,
    address: 'kept@postern.test',
    routing_key: 'kept',
    label: 'Kept',
    is_public: 0,
    is_enabled: 1,
    metadata: '{"a":1}',
    month: '2026-11',
    month_count: 1,
    created_at: AT,
    updated_at: AT,
  });
}

function fillMail(insert: Insert): void {
  insert('raw', {
    no: 1,
    refs: 1,
    size: mail.raw.length,
    envelope_from: 'app@example.org',
    helo: 'client.example',
    client_address: '192.0.2.7',
    protocol: 'ESMTP',
    content: packed(JSON.stringify(content)),
    bytes: packed(mail.raw),
  });
  insert('message', {
    received_at: AT,
    id: mail.id,
    inbox_no: 1,
    raw_no: 1,
    status: 'parsed',
    otp: '482913',
    otp_confidence: 0.9,
    has_html: 0,
    size: mail.raw.length,
    attachment_count: 0,
    envelope_recipient: 'kept@postern.test',
    subject: 'Kept',
    from: 'app@example.org',
    to: '["kept@postern.test"]',
    cc: '[]',
    links: '[]',
    metadata: '{"a":1}',
  });
}

const content = {
  message_id: null,
  reply_to: null,
  sent_at: null,
  text: 'Your code is 482913',
  html: '',
  otp_context: null,
  otp_candidates: [],
  attachments: [],
  truncated: false,
};

function insertInto(
  store: Database,
  table: string,
  row: Record<string, string | number | Uint8Array | null>,
): void {
  const names = Object.keys(row);
  const places = names.map(() => '?').join(', ');
  store.run(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places})`,
    Object.values(row),
  );
}
