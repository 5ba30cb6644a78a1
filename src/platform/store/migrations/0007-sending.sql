CREATE TABLE mta_sts (
  domain TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  policy TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mta_sts_expiry ON mta_sts (expires_at);
