-- The first schema. schema.sql, in the project's root, is the one that all migrations lead to, with a comment on every table.
-- Like those of every migration, its statements never change.

-- accounts/: owners of inboxes. kind: standard, agent, demo; status: active, unverified, suspended, inactive.
-- deleted_at: hidden at once, erased by a job.
CREATE TABLE account (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  email TEXT,
  plan TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  custom_domains INTEGER NOT NULL,
  outbound INTEGER NOT NULL,
  operator INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
-- idle agent accounts, oldest first (jobs)
CREATE INDEX account_agent ON account (last_active_at) WHERE kind = 'agent' AND deleted_at IS NULL;
-- accounts to erase (jobs)
CREATE INDEX account_deleted ON account (deleted_at) WHERE deleted_at IS NOT NULL;

-- accounts/: members of an account. role: owner, member.
CREATE TABLE user (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL
) STRICT;
-- a member by address
CREATE UNIQUE INDEX user_email ON user (account_no, email);

-- accounts/: one-time links to set a member's password. Only the token's SHA-256 is stored.
CREATE TABLE invite (
  token_hash BLOB PRIMARY KEY,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- the cascade from user
CREATE INDEX invite_user ON invite (user_no);

-- accounts/: API keys. Only the SHA-256 is stored. role: that of the user who created it; owner for an agent's.
CREATE TABLE api_key (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  user_no INTEGER REFERENCES user (no) ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  key_prefix TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
-- the keys of an account; the cascades
CREATE INDEX api_key_account ON api_key (account_no);
CREATE INDEX api_key_user ON api_key (user_no);

-- accounts/: usage by calendar month (UTC), such as `2026-11`.
CREATE TABLE usage (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  month TEXT NOT NULL,
  messages_received INTEGER NOT NULL DEFAULT 0,
  webhook_attempts INTEGER NOT NULL DEFAULT 0,
  outbound_recipients INTEGER NOT NULL DEFAULT 0,
  verifications INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_no, month)
) STRICT, WITHOUT ROWID;

-- http/: results of POSTs with an Idempotency-Key, kept 24 h. scope: the account and the route. key: the SHA-256 of the
-- Idempotency-Key, hexadecimal. `output` is the operation's result as JSON; secrets in it are sealed with the server's key.
CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash BLOB NOT NULL,
  output TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
-- expired rows (jobs)
CREATE INDEX idempotency_age ON idempotency (created_at);

-- inboxes/: a claimed address of the shared domain; it outlives the inbox. account_no null: the account is gone, and the claim
-- blocks the address until blocked_until.
CREATE TABLE claim (
  address TEXT PRIMARY KEY,
  account_no INTEGER REFERENCES account (no) ON DELETE SET NULL,
  blocked_until INTEGER
) STRICT, WITHOUT ROWID;
-- the claims of a removed account
CREATE INDEX claim_account ON claim (account_no);
-- claims whose block is over (jobs)
CREATE INDEX claim_blocked ON claim (blocked_until) WHERE blocked_until IS NOT NULL;

-- inboxes/: address is lower case, local@domain. deleted_at: hidden at once, erased by a job.
CREATE TABLE inbox (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  address TEXT NOT NULL,
  routing_key TEXT NOT NULL,
  label TEXT NOT NULL,
  is_public INTEGER NOT NULL,
  is_enabled INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  month TEXT NOT NULL,
  month_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
-- the verdict at RCPT; public read; `?address=`
CREATE UNIQUE INDEX inbox_address ON inbox (address) WHERE deleted_at IS NULL;
-- the list of an account's inboxes, newest first; its count against the cap
CREATE INDEX inbox_account ON inbox (account_no, no) WHERE deleted_at IS NULL;
-- inboxes to erase (jobs)
CREATE INDEX inbox_deleted ON inbox (deleted_at) WHERE deleted_at IS NOT NULL;
-- the cascade from account
CREATE INDEX inbox_owner ON inbox (account_no);

-- ingest/: one received mail: its bytes (zstd), shared by its recipients' messages, and the parsed content that a list does not
-- show (zstd of JSON). refs: number of its messages. bytes null: they are in raw_chunk, in order. protocol: as in a Received
-- line (ESMTP, ESMTPS, …).
CREATE TABLE raw (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  refs INTEGER NOT NULL,
  size INTEGER NOT NULL,
  envelope_from TEXT NOT NULL,
  helo TEXT NOT NULL,
  client_address TEXT NOT NULL,
  protocol TEXT NOT NULL,
  content BLOB NOT NULL,
  bytes BLOB
) STRICT;

-- ingest/: a large mail's bytes in pieces, each compressed separately.
CREATE TABLE raw_chunk (
  raw_no INTEGER NOT NULL REFERENCES raw (no) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (raw_no, part)
) STRICT;

-- messages/: a message in an inbox, with the columns of lists and filters. received_at is the row's number, set at the commit,
-- strictly increasing over the whole store. status: parsed, failed. Inserted by ingest/ through messages/writes.ts.
CREATE TABLE message (
  received_at INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  inbox_no INTEGER NOT NULL REFERENCES inbox (no),
  raw_no INTEGER NOT NULL REFERENCES raw (no),
  status TEXT NOT NULL,
  read_at INTEGER,
  otp TEXT,
  otp_confidence REAL NOT NULL,
  magic_link TEXT,
  has_html INTEGER NOT NULL,
  size INTEGER NOT NULL,
  attachment_count INTEGER NOT NULL,
  envelope_recipient TEXT NOT NULL,
  subject TEXT NOT NULL,
  "from" TEXT NOT NULL,
  "to" TEXT NOT NULL,
  cc TEXT NOT NULL,
  links TEXT NOT NULL,
  metadata TEXT NOT NULL
) STRICT;
-- an inbox's messages, newest first; one index per filter set (rowid is received_at)
CREATE INDEX message_inbox ON message (inbox_no);
CREATE INDEX message_unread ON message (inbox_no) WHERE read_at IS NULL;
CREATE INDEX message_read ON message (inbox_no) WHERE read_at IS NOT NULL;
CREATE INDEX message_otp ON message (inbox_no) WHERE otp IS NOT NULL;
CREATE INDEX message_otp_unread ON message (inbox_no) WHERE otp IS NOT NULL AND read_at IS NULL;
CREATE INDEX message_otp_read ON message (inbox_no) WHERE otp IS NOT NULL AND read_at IS NOT NULL;
-- messages of one mail; the check of raw's foreign key
CREATE INDEX message_raw ON message (raw_no);

-- messages/: the latest received_at that was given (one row), so that none is given twice, and none is earlier when the clock
-- steps back.
CREATE TABLE arrival (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last_at INTEGER NOT NULL
) STRICT;
INSERT INTO arrival (one, last_at) VALUES (1, 0);

-- messages/: an erased message, kept 30 days: its id still works as `since`, and deleting it again in a batch reports `deleted`
-- again.
CREATE TABLE deleted_message (
  id TEXT PRIMARY KEY,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_no INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- expired rows (jobs); the cascade
CREATE INDEX deleted_message_age ON deleted_message (deleted_at);
CREATE INDEX deleted_message_account ON deleted_message (account_no);

-- messages/: substrings of subject and From, in lower case; a job fills it after the mail is stored. rowid is received_at; `inbox`
-- is three characters that encode inbox_no (messages/search.ts).
CREATE VIRTUAL TABLE message_search USING fts5 (
  inbox, subject, sender,
  content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);

-- messages/: every trigram ever added to message_search: a search for one or two characters is expanded to these.
CREATE TABLE search_term (
  term TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- messages/: the received_at up to which message_search is filled (one row).
CREATE TABLE search_state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  indexed_to INTEGER NOT NULL
) STRICT;
INSERT INTO search_state (one, indexed_to) VALUES (1, 0);
