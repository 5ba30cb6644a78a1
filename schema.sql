-- The schema that the migrations in src/platform/store/migrations lead to, for reading: only a test executes this file, and
-- compares the two. Times are microseconds since 1970, in columns named …_at. `id` is the public id; `no` is the row's own
-- number, used between tables and never shown. A table's comment begins with the one folder of src that writes it.

-- accounts/: owners of inboxes. kind: standard, agent, demo; status: active, unverified, suspended, inactive.
-- deleted_at: hidden at once, erased by a job. suspended_at: null unless status is suspended. trap: its keys open SMTP
-- for every address. made_by_operator: not by a stranger, who signed up or is an agent.
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
  deleted_at INTEGER,
  suspended_at INTEGER,
  trap INTEGER NOT NULL DEFAULT 0,
  made_by_operator INTEGER NOT NULL DEFAULT 0
) STRICT;
-- idle agent accounts, oldest first (jobs)
CREATE INDEX account_agent ON account (last_active_at) WHERE kind = 'agent' AND deleted_at IS NULL;
-- whether there is a trap (SMTP AUTH)
CREATE INDEX account_trap ON account (no) WHERE trap = 1 AND deleted_at IS NULL;
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
-- sign-in by email, across accounts
CREATE INDEX user_sign_in ON user (email) WHERE password_hash IS NOT NULL;
-- a person's memberships by email, with or without a password
CREATE INDEX user_by_email ON user (email);

-- accounts/: members' identities at an identity provider (OpenID Connect). subject: the provider's permanent id of the person.
-- email: theirs at the provider, at their last sign-in; null where there was none since 0033.
CREATE TABLE identity (
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  email TEXT,
  PRIMARY KEY (user_no, issuer)
) STRICT, WITHOUT ROWID;
-- the members that an identity belongs to
CREATE INDEX identity_subject ON identity (issuer, subject);

-- accounts/: one-time links to set a member's password. Only the token's SHA-256 is stored.
CREATE TABLE invite (
  token_hash BLOB PRIMARY KEY,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- the cascade from user
CREATE INDEX invite_user ON invite (user_no);
-- expired rows (jobs)
CREATE INDEX invite_expiry ON invite (expires_at);

-- accounts/: dashboard sessions. Only the token's SHA-256 is stored. user_no: the current member, one of
-- session_member. seen_at: the last request, updated every 10 minutes; browser: its User-Agent, cut. issuer: the identity
-- provider by which it began; null for any other way.
CREATE TABLE session (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  browser TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  issuer TEXT
) STRICT;
-- the cascade from user
CREATE INDEX session_user ON session (user_no);
-- expired rows (jobs)
CREATE INDEX session_expiry ON session (expires_at);

-- accounts/: memberships that a session's password proved; the session may switch between them.
CREATE TABLE session_member (
  session_no INTEGER NOT NULL REFERENCES session (no) ON DELETE CASCADE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  PRIMARY KEY (session_no, user_no)
) STRICT, WITHOUT ROWID;
-- the sessions of a member; the cascade
CREATE INDEX session_member_user ON session_member (user_no);

-- accounts/second-factor/: the authenticator app of a member, whose codes (RFC 6238) a sign-in with the password also needs.
-- secret: sealed with the server's key. last_step: the latest time step whose code was used, because each code works once.
CREATE TABLE totp (
  user_no INTEGER PRIMARY KEY REFERENCES user (no) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  last_step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- accounts/second-factor/: recovery codes, each of which replaces a code of the app once. Only the SHA-256 is stored.
CREATE TABLE recovery_code (
  user_no INTEGER NOT NULL REFERENCES totp (user_no) ON DELETE CASCADE,
  code_hash BLOB NOT NULL,
  PRIMARY KEY (user_no, code_hash)
) STRICT, WITHOUT ROWID;

-- accounts/passkeys/: the passkeys (WebAuthn) of members. A passkey has a row for each membership that the session had proved
-- when it was added. rp_id: the host name that it is bound to. user_handle: the user that it names. sign_count: its counter of
-- signatures, 0 if it has none. transports: JSON, as the browser reported them.
CREATE TABLE passkey (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  rp_id TEXT NOT NULL,
  credential_id BLOB NOT NULL,
  public_key BLOB NOT NULL,
  user_handle TEXT NOT NULL,
  sign_count INTEGER NOT NULL,
  transports TEXT NOT NULL,
  is_synced INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
-- signing in with a passkey
CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id, user_no);
-- the passkeys of a member; the cascade
CREATE INDEX passkey_user ON passkey (user_no);

-- accounts/passkeys/: SHA-256 of the challenges that a passkey has answered, until they expire, because each works once.
CREATE TABLE passkey_challenge (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- expired rows (jobs)
CREATE INDEX passkey_challenge_expiry ON passkey_challenge (expires_at);

-- accounts/: API keys. Only the SHA-256 is stored. role: that of the user who created it; owner for an agent's.
-- made_by_operator: whether the operator made it for that user.
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
  revoked_at INTEGER,
  made_by_operator INTEGER NOT NULL DEFAULT 0
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

-- http/: results of requests with an Idempotency-Key, kept 24 h. scope: the account, or the client's address without one, and the
-- route. key: the SHA-256 of the Idempotency-Key, hexadecimal. `output` is the operation's result as JSON; secrets in it are
-- sealed with the server's key.
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

-- inboxes/: a claimed address of the shared domain; it outlives the inbox. account_no null: the account is gone, and
-- the claim blocks the address until blocked_until.
CREATE TABLE claim (
  address TEXT PRIMARY KEY,
  account_no INTEGER REFERENCES account (no) ON DELETE SET NULL,
  blocked_until INTEGER
) STRICT, WITHOUT ROWID;
-- the claims of a removed account
CREATE INDEX claim_account ON claim (account_no);
-- claims whose block is over (jobs)
CREATE INDEX claim_blocked ON claim (blocked_until) WHERE blocked_until IS NOT NULL;

-- inboxes/: address is in lower case, local@domain. deleted_at: hidden at once, erased by a job. domain_no: null on the
-- shared domain. is_trap: created by mail to a trap of its account (account.trap); other accounts may have the same address.
-- senders: how its lists of senders apply to mail (0: not at all, 1: blocked ones are kept out, 2: only allowed ones come in).
-- holds_outbound: members' emails from its address wait for an owner's approval.
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
  deleted_at INTEGER,
  domain_no INTEGER REFERENCES domain (no) ON DELETE SET NULL,
  is_trap INTEGER NOT NULL DEFAULT 0,
  senders INTEGER NOT NULL DEFAULT 0,
  holds_outbound INTEGER NOT NULL DEFAULT 0
) STRICT;
-- the verdict at RCPT; public read; `?address=`
CREATE UNIQUE INDEX inbox_address ON inbox (address) WHERE deleted_at IS NULL AND is_trap = 0;
-- the same in an account's trap
CREATE UNIQUE INDEX inbox_trap ON inbox (account_no, address) WHERE deleted_at IS NULL AND is_trap = 1;
-- the list of an account's inboxes, newest first; their count for the cap
CREATE INDEX inbox_account ON inbox (account_no, no) WHERE deleted_at IS NULL;
-- inboxes to erase (jobs)
CREATE INDEX inbox_deleted ON inbox (deleted_at) WHERE deleted_at IS NOT NULL;
-- the cascade from account
CREATE INDEX inbox_owner ON inbox (account_no);
-- inboxes on a domain; the cascade from it
CREATE INDEX inbox_domain ON inbox (domain_no) WHERE domain_no IS NOT NULL;

-- inboxes/: the lists of senders of an inbox. list: allow, block. entry: an address, a domain, or `*.` and a domain, as
-- features/inboxes/senders/entry.ts reads it.
CREATE TABLE sender_entry (
  inbox_no INTEGER NOT NULL REFERENCES inbox (no) ON DELETE CASCADE,
  entry TEXT NOT NULL,
  list TEXT NOT NULL,
  PRIMARY KEY (inbox_no, entry)
) STRICT, WITHOUT ROWID;

-- domains/: an account's own domain; name in lower-case ASCII. status: pending_dns, verified, failed, disabled.
-- pending_since: start of pending_dns. failing_since: since when every check of a verified domain has failed.
-- stopped_at: when a verified domain stopped being verified. next_check_at null: disabled. catch_all_inbox_no: the
-- catch-all's target, kept while catch_all is 0; that inbox may be deleted.
CREATE TABLE domain (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  verification_token TEXT NOT NULL,
  pending_since INTEGER,
  failing_since INTEGER,
  stopped_at INTEGER,
  last_checked_at INTEGER,
  last_error TEXT,
  next_check_at INTEGER,
  catch_all INTEGER NOT NULL,
  catch_all_inbox_no INTEGER REFERENCES inbox (no) ON DELETE SET NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- an account's domains, newest first; their count for the cap; the cascade
CREATE INDEX domain_account ON domain (account_no, no);
-- domains to check (jobs)
CREATE INDEX domain_due ON domain (next_check_at) WHERE next_check_at IS NOT NULL;
-- inboxes that are a catch-all's target; the check of the foreign key
CREATE INDEX domain_catch_all ON domain (catch_all_inbox_no) WHERE catch_all_inbox_no IS NOT NULL;

-- domains/: a domain's DKIM keys. The newest is shown; the newest verified one signs. status: pending_dns, verified,
-- failed. public_key: the TXT record's value. private_key: PKCS #8 (DER), sealed with the server's key.
-- failing_since: since when every check of a verified key has failed.
CREATE TABLE dkim_key (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  domain_no INTEGER NOT NULL REFERENCES domain (no) ON DELETE CASCADE,
  selector TEXT NOT NULL,
  status TEXT NOT NULL,
  public_key TEXT NOT NULL,
  private_key BLOB NOT NULL,
  failing_since INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
-- a domain's keys
CREATE UNIQUE INDEX dkim_key_selector ON dkim_key (domain_no, selector);

-- ingest/: one received mail: its bytes (zstd), shared by its recipients' messages, and the parsed content that a
-- list does not show (zstd of JSON). refs: number of its messages. content_size: of a small mail, the bytes of JSON in
-- its one frame, `content`, in which the mail follows them, with texts that the JSON only points to; 0 for two frames
-- (platform/mail/stored-mail.ts). Both bytes null and content_size 0: the mail is in raw_chunk, in order. protocol: as
-- in a Received line (ESMTP, …).
CREATE TABLE raw (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  refs INTEGER NOT NULL,
  size INTEGER NOT NULL,
  envelope_from TEXT NOT NULL,
  helo TEXT NOT NULL,
  client_address TEXT NOT NULL,
  protocol TEXT NOT NULL,
  content BLOB NOT NULL,
  bytes BLOB,
  smtp_user TEXT,
  content_size INTEGER NOT NULL DEFAULT 0
) STRICT;
-- unfinished mails (ingest/, at start)
CREATE INDEX raw_unfinished ON raw (no) WHERE refs = 0;

-- ingest/: a large mail's bytes in pieces, each compressed separately.
CREATE TABLE raw_chunk (
  raw_no INTEGER NOT NULL REFERENCES raw (no) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (raw_no, part)
) STRICT;

-- ingest/: progress of repacking the mails of earlier versions (one row): done up to done_no, and complete at last_no, the
-- newest mail at the migration.
CREATE TABLE repacking (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  done_no INTEGER NOT NULL,
  last_no INTEGER NOT NULL
) STRICT;
INSERT INTO repacking (one, done_no, last_no) VALUES (1, 0, 0);

-- ingest/: mails whose sender is checked (SPF, DKIM, DMARC) after they are stored. verdicts: JSON
-- (src/platform/mail/authentication.ts); null until checked.
CREATE TABLE authentication (
  raw_no INTEGER PRIMARY KEY REFERENCES raw (no) ON DELETE CASCADE,
  verdicts TEXT
) STRICT;
-- mails not checked yet, newest first
CREATE INDEX authentication_due ON authentication (raw_no) WHERE verdicts IS NULL;

-- messages/: a message in an inbox, with the columns of lists and filters. received_at is the row's number, set at the
-- commit, strictly increasing over the whole store. status: parsed, failed. tags: a JSON array; null for none.
-- account_no: the inbox's. snippet: the beginning of the text; null before schema 17. thread_no: null while the message is
-- alone. ref: the number of its Message-ID (platform/mail/message-ids.ts); null without one. proven_at: when its From was found
-- to be authentic, of the same sequence as received_at; null until then. Inserted by ingest/ through
-- features/messages/writes.ts.
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
  metadata TEXT NOT NULL,
  tags TEXT,
  account_no INTEGER NOT NULL DEFAULT 0,
  snippet TEXT,
  thread_no INTEGER,
  ref INTEGER,
  proven_at INTEGER
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
-- an account's messages, in order of arrival (waits/)
CREATE INDEX message_account ON message (account_no);
-- the unread ones of them
CREATE INDEX message_account_unread ON message (account_no) WHERE read_at IS NULL;
-- the messages of a thread, in order of arrival (most messages are alone and have none)
CREATE INDEX message_thread ON message (account_no, thread_no) WHERE thread_no IS NOT NULL;
-- a message by its Message-ID
CREATE INDEX message_ref ON message (account_no, ref) WHERE ref IS NOT NULL;
-- an inbox's messages to one of its sub-addresses (most messages are to none), by the local part. The domain is the inbox's,
-- and is left out because an IDN has two forms
CREATE INDEX message_recipient ON message (inbox_no, substr(envelope_recipient, 1, instr(envelope_recipient, '@') - 1) COLLATE NOCASE)
  WHERE instr(envelope_recipient, '+') > 0;
-- the unread ones of them
CREATE INDEX message_recipient_unread ON message (inbox_no, substr(envelope_recipient, 1, instr(envelope_recipient, '@') - 1) COLLATE NOCASE)
  WHERE instr(envelope_recipient, '+') > 0 AND read_at IS NULL;
-- messages whose From is authentic, of an inbox and of an account, in the order in which that was found
CREATE INDEX message_proven ON message (inbox_no, proven_at) WHERE proven_at IS NOT NULL;
CREATE INDEX message_account_proven ON message (account_no, proven_at) WHERE proven_at IS NOT NULL;

-- messages/: a mail that an inbox's lists of senders withhold. When it is accepted, it becomes a message, with a received_at
-- of that moment. at: when it arrived, of the same sequence. reason: src/rules/senders.ts. summary: JSON
-- (platform/mail/parsed.ts). The other columns are those of the message.
CREATE TABLE withheld (
  at INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  inbox_no INTEGER NOT NULL REFERENCES inbox (no),
  account_no INTEGER NOT NULL,
  raw_no INTEGER NOT NULL REFERENCES raw (no),
  reason TEXT NOT NULL,
  envelope_recipient TEXT NOT NULL,
  size INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  summary TEXT NOT NULL
) STRICT;
-- an inbox's withheld mail, newest first
CREATE INDEX withheld_inbox ON withheld (inbox_no);
-- the rows of one mail, when its sender has been checked; the check of raw's foreign key
CREATE INDEX withheld_raw ON withheld (raw_no);

-- messages/: a conversation of at least two messages, or with a sent email. A message that is alone has no row: its thread is
-- found by the message's own id. no: the received_at of its first message, or thread_sent.at. last_at: the time of its latest
-- message. messages: their number, including sent emails. mentions: number of its rows in thread_ref. into_no: the thread that it
-- is merged into (last_at is then 0): a job moves its messages there; 0 if it has no messages left, and the job only removes its
-- mentions.
CREATE TABLE thread (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  last_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  mentions INTEGER NOT NULL,
  into_no INTEGER
) STRICT;
-- the list, newest first; the cascade
CREATE INDEX thread_account ON thread (account_no, last_at);
-- threads to merge or to remove (jobs)
CREATE INDEX thread_moving ON thread (into_no) WHERE into_no IS NOT NULL;

-- messages/: the Message-IDs that the messages of a thread refer to, and those of the account's sent emails. thread_no: the
-- received_at of a message that is alone, or thread.no.
CREATE TABLE thread_ref (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  ref INTEGER NOT NULL,
  thread_no INTEGER NOT NULL,
  PRIMARY KEY (account_no, ref)
) STRICT, WITHOUT ROWID;
-- the Message-IDs of a thread that ends or is merged
CREATE INDEX thread_ref_thread ON thread_ref (thread_no);

-- messages/: the sent emails of a thread. at: as message.received_at, of the same sequence.
CREATE TABLE thread_sent (
  thread_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outbound_no INTEGER NOT NULL REFERENCES outbound_email (no) ON DELETE CASCADE,
  PRIMARY KEY (thread_no, at)
) STRICT, WITHOUT ROWID;
-- the thread of an email; the cascade
CREATE UNIQUE INDEX thread_sent_outbound ON thread_sent (outbound_no);

-- messages/: progress of finding the threads of earlier versions' mail (one row): messages up to done_at, complete at last_at;
-- sent emails up to done_no, complete at last_no.
CREATE TABLE threading (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  done_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  done_no INTEGER NOT NULL,
  last_no INTEGER NOT NULL
) STRICT;
INSERT INTO threading (one, done_at, last_at, done_no, last_no) VALUES (1, 0, 0, 0, 0);

-- events/: the latest time that a message or an event was given (one row), so that none is given twice, and none is earlier when
-- the clock steps back.
CREATE TABLE arrival (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  last_at INTEGER NOT NULL
) STRICT;
INSERT INTO arrival (one, last_at) VALUES (1, 0);

-- messages/: an erased message, kept 30 days: its id still works as `since`, and deleting it again in a batch reports
-- `deleted` again.
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

-- messages/: substrings of subject and From, in lower case; a job fills it after the mail is stored. rowid is
-- received_at; `inbox` is three characters that encode inbox_no (features/messages/search.ts).
CREATE VIRTUAL TABLE message_search USING fts5 (
  inbox, subject, sender,
  content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
-- merged by jobs, a little at a time (features/messages/index-search.ts); a segment is rewritten when a quarter of it
-- was deleted
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
INSERT INTO message_search (message_search, rank) VALUES ('deletemerge', 25);

-- messages/: every trigram ever added to message_search: a search for one or two characters is expanded to these.
CREATE TABLE search_term (
  term TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- messages/: the received_at up to which message_search and message_search_text are filled (one row).
CREATE TABLE search_state (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  indexed_to INTEGER NOT NULL,
  text_indexed_to INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO search_state (one, indexed_to) VALUES (1, 0);

-- messages/: the numbers of messages in message_search_text, in the order of received_at. They have no gaps, which makes the
-- index a quarter of the size.
CREATE TABLE search_row (
  no INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL UNIQUE
) STRICT;

-- messages/: the index of `search`: texts in lower case, each cut (features/messages/query/document.ts); a job fills it. rowid is
-- search_row.no. The columns from `inbox` on hold marks for filters. Trigrams are stored without their positions.
CREATE VIRTUAL TABLE message_search_text USING fts5 (
  subject, sender, recipients, cc, code, filenames, body,
  inbox, account, size, has_code, has_link, has_attachment, has_html,
  content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
-- merged as message_search is
INSERT INTO message_search_text (message_search_text, rank) VALUES ('automerge', 0);
INSERT INTO message_search_text (message_search_text, rank) VALUES ('deletemerge', 25);

-- messages/: every trigram ever added to message_search_text that has a character beyond ASCII, as in search_term.
CREATE TABLE search_text_term (
  term TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- messages/: the messages of an account by tag (message.tags), newest last.
CREATE TABLE message_tag (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  received_at INTEGER NOT NULL REFERENCES message (received_at) ON DELETE CASCADE,
  PRIMARY KEY (account_no, tag, received_at)
) STRICT, WITHOUT ROWID;
-- the cascade from message
CREATE INDEX message_tag_message ON message_tag (received_at);

-- ingest/: what SMTP refused and why: the latest refusals of each account, and of recipients that no account has. account_no:
-- the recipient's account; null if no account has it. times: how often between first_at and at. recipient: '' if refused before
-- RCPT.
CREATE TABLE refusal (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER REFERENCES account (no) ON DELETE CASCADE,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  client_address TEXT NOT NULL,
  helo TEXT NOT NULL,
  envelope_from TEXT NOT NULL,
  recipient TEXT NOT NULL,
  reason TEXT NOT NULL,
  code INTEGER NOT NULL,
  reply TEXT NOT NULL
) STRICT;
-- the latest refusals of an account, or of none; the cascade
CREATE INDEX refusal_account ON refusal (account_no, no);
-- expired rows (jobs)
CREATE INDEX refusal_age ON refusal (at);

-- events/: what happened, if somebody listens: a webhook for this kind, or a reader of GET /events. Written in the transaction
-- of its cause. kind: a row of src/rules/events.ts. subject_id: the message, outbound email, domain or webhook that it is about,
-- which may have been deleted since. inbox_no: null if it is about no inbox; not a foreign key. note: JSON, details that can't be
-- read from the subject later. created_at: the time of the cause, strictly increasing with no.
CREATE TABLE event (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_no INTEGER,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL
) STRICT;
-- an account's events, oldest first (GET /events, replays); the cascade
CREATE INDEX event_account ON event (account_no, created_at);

-- events/: accounts that read GET /events, and when they last did. All their events are recorded.
CREATE TABLE event_reader (
  account_no INTEGER PRIMARY KEY REFERENCES account (no) ON DELETE CASCADE,
  read_at INTEGER NOT NULL
) STRICT;

-- events/: the plans that include webhooks, by the settings of the last start. Write operations can't read settings.
CREATE TABLE webhook_plan (
  plan TEXT PRIMARY KEY
) STRICT;
INSERT INTO webhook_plan (plan) VALUES ('pro'), ('scale'), ('business');

-- webhooks/: where events are posted. inbox_no: its inbox, which has at most one; null for a webhook of the whole account.
-- events: a JSON array of the kinds it is for. Secrets are sealed with the server's key; the previous one also signs until
-- previous_until. failures: failed attempts in a row; failing_since: the time of the first. disabled_reason: operator, gone
-- (410), failing (for five days). removed_at: when it was removed; the row is kept for its history, with is_enabled 0 and empty
-- url and secret.
CREATE TABLE webhook (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_no INTEGER UNIQUE REFERENCES inbox (no) ON DELETE CASCADE,
  events TEXT NOT NULL,
  url TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until INTEGER,
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
-- the webhooks of an account and an inbox, for each event
CREATE INDEX webhook_listener ON webhook (account_no, inbox_no) WHERE is_enabled = 1;
-- an account's webhooks; the cascade
CREATE INDEX webhook_account ON webhook (account_no, inbox_no);
-- webhooks of a whole account that are not removed, newest first; their count for the cap
CREATE INDEX webhook_live ON webhook (account_no) WHERE inbox_no IS NULL AND removed_at IS NULL;
-- removed webhooks to erase (jobs)
CREATE INDEX webhook_removed ON webhook (removed_at) WHERE removed_at IS NOT NULL;

-- webhooks/: one event for one webhook, written with the event. status: pending, delivered, failed. tries: attempts in this
-- round of the schedule. due_at: by the wall clock. attempts: JSON, the latest ones. answer: the receiver's response to a failed
-- attempt, cut.
CREATE TABLE delivery (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  event_no INTEGER NOT NULL REFERENCES event (no) ON DELETE CASCADE,
  webhook_no INTEGER NOT NULL REFERENCES webhook (no) ON DELETE CASCADE,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  answer TEXT
) STRICT;
-- due deliveries of a webhook, oldest first (dispatcher)
CREATE INDEX delivery_due ON delivery (webhook_no, due_at, event_no) WHERE status = 'pending';
-- the history of a webhook, newest first; the cascade
CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_no, event_no);
-- the deliveries of an event; the cascade
CREATE INDEX delivery_event ON delivery (event_no);

-- outbound/: an account's sending state. Without a row it has never sent, and its allowlist and hold are off. allowlist_on: it
-- may send to approved recipients only. hold_on: members' emails wait for an owner's approval. …_recipients: recipients in the
-- hour and the day (fixed windows) that began at …_from.
CREATE TABLE outbound_account (
  account_no INTEGER PRIMARY KEY REFERENCES account (no) ON DELETE CASCADE,
  allowlist_on INTEGER NOT NULL,
  hour_from INTEGER NOT NULL,
  hour_recipients INTEGER NOT NULL,
  day_from INTEGER NOT NULL,
  day_recipients INTEGER NOT NULL,
  hold_on INTEGER NOT NULL DEFAULT 0
) STRICT;

-- outbound/: an email sent by an account. kind: send, reply, forward, compose. status: that of its worst recipient (held,
-- queued, sending, sent, failed, rejected, bounced). inbox_id: not a foreign key, because the inbox may be deleted. to, cc, bcc:
-- JSON arrays, as in the API. from_domain: that of from_address in lower-case ASCII; its DKIM key signs. message_id,
-- in_reply_to, references (a JSON array): with angle brackets. expires_at: the end of its attempts; of a held email, when it is
-- rejected. held_by: who asked for a held email, an email address or the start of a key. waiting: 1 while a recipient waits for
-- an attempt, whatever the status. reply_text: the text without its quotes; null before schema 18. attachments: a JSON array, as
-- in the API. size: bytes of the composed mail; 0 before schema 19.
CREATE TABLE outbound_email (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_id TEXT,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  from_domain TEXT NOT NULL,
  from_address TEXT NOT NULL,
  "to" TEXT NOT NULL,
  cc TEXT NOT NULL,
  bcc TEXT NOT NULL,
  reply_to TEXT,
  subject TEXT NOT NULL,
  message_id TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  sent_at INTEGER,
  waiting INTEGER NOT NULL DEFAULT 1,
  in_reply_to TEXT,
  "references" TEXT NOT NULL DEFAULT '[]',
  reply_text TEXT,
  attachments TEXT NOT NULL DEFAULT '[]',
  size INTEGER NOT NULL DEFAULT 0,
  held_by TEXT
) STRICT;
-- an account's emails, newest first; the cascade
CREATE INDEX outbound_email_account ON outbound_email (account_no);
-- the number of waiting emails, for the cap
CREATE INDEX outbound_email_waiting ON outbound_email (account_no) WHERE waiting = 1;
-- an account's emails of one status, newest first
CREATE INDEX outbound_email_status ON outbound_email (account_no, status);
-- held emails whose time is over (jobs)
CREATE INDEX outbound_email_held ON outbound_email (expires_at) WHERE status = 'held';

-- outbound/: a recipient of an email, without duplicates. email: as in RCPT, with the domain in lower-case ASCII (IDNA). status:
-- one of an email's. next_attempt_at: null when finished. response: the receiving server's last reply.
CREATE TABLE outbound_recipient (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  outbound_no INTEGER NOT NULL REFERENCES outbound_email (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  domain TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  response TEXT
) STRICT;
-- the recipients of an email; the cascade
CREATE INDEX outbound_recipient_email ON outbound_recipient (outbound_no);
-- due recipients of all domains (dispatcher)
CREATE INDEX outbound_recipient_due ON outbound_recipient (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
-- due recipients of one domain (dispatcher)
CREATE INDEX outbound_recipient_domain ON outbound_recipient (domain, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;

-- outbound/: the email's bytes (zstd) as composed at the POST; the DKIM-Signature is added when they are sent.
-- Deleted when no recipient waits any more.
CREATE TABLE outbound_mime (
  outbound_no INTEGER PRIMARY KEY REFERENCES outbound_email (no) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

-- outbound/: a large email's bytes, in pieces instead. outbound_no: null until the email is queued, which never happens if the
-- server has started since. Deleted like outbound_mime.
CREATE TABLE outbound_large (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  outbound_no INTEGER UNIQUE REFERENCES outbound_email (no) ON DELETE CASCADE
) STRICT;
-- outbound/: a piece of a large email (zstd).
CREATE TABLE outbound_chunk (
  large_no INTEGER NOT NULL REFERENCES outbound_large (no) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (large_no, part)
) STRICT;

-- outbound/: a change of the wall clock that queued emails follow, until all of them have. before_at, now_at: what the clock would
-- have shown, and what it showed. last_no: the newest email then; later ones have the new time already. after_account_no, after_no:
-- the last email that followed in its turn.
CREATE TABLE outbound_rebase (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  before_at INTEGER NOT NULL,
  now_at INTEGER NOT NULL,
  last_no INTEGER NOT NULL,
  after_account_no INTEGER NOT NULL,
  after_no INTEGER NOT NULL
) STRICT;

-- outbound/: emails that followed a change of the clock before their turn, because they got a new time.
CREATE TABLE outbound_rebased (
  rebase_no INTEGER NOT NULL REFERENCES outbound_rebase (no) ON DELETE CASCADE,
  outbound_no INTEGER NOT NULL,
  PRIMARY KEY (rebase_no, outbound_no)
) STRICT, WITHOUT ROWID;

-- outbound/: addresses that refused mail permanently; the account can't send to them until expires_at. email: in
-- lower case.
CREATE TABLE suppression (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_no, email)
) STRICT, WITHOUT ROWID;
-- expired rows (jobs)
CREATE INDEX suppression_expiry ON suppression (expires_at);

-- outbound/: the allowlist of an account. email: in lower case.
CREATE TABLE approved_recipient (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
-- whether an address is approved
CREATE UNIQUE INDEX approved_recipient_email ON approved_recipient (account_no, email);
-- the list, newest first; its count; the cascade
CREATE INDEX approved_recipient_account ON approved_recipient (account_no);

-- outbound/: a domain's MTA-STS policy as fetched (RFC 8461). id: of its TXT record; policy: JSON.
CREATE TABLE mta_sts (
  domain TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  policy TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- expired rows, removed whenever one is stored
CREATE INDEX mta_sts_expiry ON mta_sts (expires_at);

-- audit/: who did what, from where (src/rules/audit.ts). Entries outlive their account. account_id: null if it is about no
-- account. actor_kind: user, key, operator, capture, visitor, system. actor_name: an email address or the start of a key.
-- details: JSON. Append-only: no entry can be changed, and none of audit_kept.since or later can be deleted.
CREATE TABLE audit (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  account_id TEXT,
  action TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  address TEXT,
  agent TEXT,
  target TEXT,
  details TEXT NOT NULL
) STRICT;
-- the entries of an account, newest first
CREATE INDEX audit_account ON audit (account_id, no);
-- old entries (jobs)
CREATE INDEX audit_at ON audit (at);

-- audit/: the time before which entries may be deleted (one row). The job stores it before it deletes.
CREATE TABLE audit_kept (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  since INTEGER NOT NULL
) STRICT;
INSERT INTO audit_kept (one, since) VALUES (1, 0);

-- audit/: no entry can be changed
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'the audit log is append-only');
END;
-- audit/: no entry can be deleted before the job has stored that it may be
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN old.at >= (SELECT since FROM audit_kept)
BEGIN
  SELECT raise(ABORT, 'the audit log is append-only');
END;

-- mail-rules/: the rules of an account, applied in the order of position to every mail that is stored. conditions, actions:
-- JSON (src/features/mail-rules/rule.ts).
CREATE TABLE mail_rule (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  conditions TEXT NOT NULL,
  actions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
-- the list; the cascade
CREATE INDEX mail_rule_account ON mail_rule (account_no, position);
-- whether an account has rules, and which (ingest/)
CREATE INDEX mail_rule_enabled ON mail_rule (account_no, position) WHERE is_enabled = 1;

-- mail-rules/: what rules did with a message when it was stored. Most messages have no row. done: JSON, in order. delete_at: when a
-- rule deletes the message; null for never.
CREATE TABLE ruled_message (
  received_at INTEGER PRIMARY KEY REFERENCES message (received_at) ON DELETE CASCADE,
  done TEXT NOT NULL,
  delete_at INTEGER
) STRICT;
-- messages to delete (jobs)
CREATE INDEX ruled_message_delete ON ruled_message (delete_at) WHERE delete_at IS NOT NULL;

-- mail-rules/: a forward or a notice of one message that a rule asks for, written with the message and carried out afterwards.
-- The rule may be changed or deleted meanwhile. kind: forward, notify. target: an address, or the id of the rule that has the URL.
-- status: pending, done, failed, refused. at: time of the last change. due_at: null when finished. outbound_id: the email of a
-- forward.
CREATE TABLE errand (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  received_at INTEGER NOT NULL REFERENCES message (received_at) ON DELETE CASCADE,
  rule_id TEXT NOT NULL,
  rule_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER,
  reason TEXT,
  outbound_id TEXT
) STRICT;
-- the errands of a message, for its diary; the cascade
CREATE INDEX errand_message ON errand (received_at);
-- the cascade from account
CREATE INDEX errand_account ON errand (account_no);
-- due errands, by account and kind, which take turns
CREATE INDEX errand_due ON errand (account_no, kind, due_at) WHERE due_at IS NOT NULL;

-- store/: time of each job's last run, so that a job that came due while the server was down runs soon after the start.
CREATE TABLE job_run (
  name TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
