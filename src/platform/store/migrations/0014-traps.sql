-- accounts/, inboxes/, ingest/: an account whose key opens SMTP for every address. Its inboxes are apart from the
-- server's own addresses, so two such accounts can have the same one.
ALTER TABLE account ADD COLUMN trap INTEGER NOT NULL DEFAULT 0;
CREATE INDEX account_trap ON account (no) WHERE trap = 1 AND deleted_at IS NULL;
ALTER TABLE inbox ADD COLUMN is_trap INTEGER NOT NULL DEFAULT 0;
ALTER TABLE raw ADD COLUMN smtp_user TEXT;
DROP INDEX inbox_address;
CREATE UNIQUE INDEX inbox_address ON inbox (address) WHERE deleted_at IS NULL AND is_trap = 0;
CREATE UNIQUE INDEX inbox_trap ON inbox (account_no, address) WHERE deleted_at IS NULL AND is_trap = 1;
