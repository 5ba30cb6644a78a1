-- audit/: who did what, from where. Entries outlive their account. Append-only: no entry can be changed, and only the job deletes
-- some, after it has stored the time before which entries may be deleted.
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
CREATE INDEX audit_account ON audit (account_id, no);
CREATE INDEX audit_at ON audit (at);
CREATE TABLE audit_kept (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  since INTEGER NOT NULL
) STRICT;
INSERT INTO audit_kept (one, since) VALUES (1, 0);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN old.at >= (SELECT since FROM audit_kept)
BEGIN
  SELECT raise(ABORT, 'the audit log is append-only');
END;
