CREATE TABLE webhook (
  inbox_no INTEGER PRIMARY KEY REFERENCES inbox (no) ON DELETE CASCADE,
  url TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until INTEGER,
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE delivery (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  inbox_no INTEGER NOT NULL REFERENCES inbox (no) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX delivery_due ON delivery (inbox_no, due_at) WHERE status = 'pending';
CREATE INDEX delivery_inbox ON delivery (inbox_no);
CREATE INDEX delivery_age ON delivery (created_at);

CREATE TABLE job_run (
  name TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
