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
CREATE INDEX domain_account ON domain (account_no, no);
CREATE INDEX domain_due ON domain (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX domain_catch_all ON domain (catch_all_inbox_no) WHERE catch_all_inbox_no IS NOT NULL;

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
CREATE UNIQUE INDEX dkim_key_selector ON dkim_key (domain_no, selector);

ALTER TABLE inbox ADD COLUMN domain_no INTEGER REFERENCES domain (no) ON DELETE SET NULL;
CREATE INDEX inbox_domain ON inbox (domain_no) WHERE domain_no IS NOT NULL;
