CREATE TABLE outbound_account (
  account_no INTEGER PRIMARY KEY REFERENCES account (no) ON DELETE CASCADE,
  allowlist_on INTEGER NOT NULL,
  hour_from INTEGER NOT NULL,
  hour_recipients INTEGER NOT NULL,
  day_from INTEGER NOT NULL,
  day_recipients INTEGER NOT NULL
) STRICT;

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
  sent_at INTEGER
) STRICT;
CREATE INDEX outbound_email_account ON outbound_email (account_no);
CREATE INDEX outbound_email_queued ON outbound_email (account_no) WHERE status IN ('queued', 'sending');

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
CREATE INDEX outbound_recipient_email ON outbound_recipient (outbound_no);
CREATE INDEX outbound_recipient_due ON outbound_recipient (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX outbound_recipient_domain ON outbound_recipient (domain, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL;

CREATE TABLE outbound_mime (
  outbound_no INTEGER PRIMARY KEY REFERENCES outbound_email (no) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE suppression (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_no, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX suppression_expiry ON suppression (expires_at);

CREATE TABLE approved_recipient (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX approved_recipient_email ON approved_recipient (account_no, email);
CREATE INDEX approved_recipient_account ON approved_recipient (account_no);
