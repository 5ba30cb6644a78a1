-- accounts/, inboxes/, ingest/: traps, accounts whose keys open SMTP for every address. Their inboxes are separate from the
-- server's own addresses, so two traps can have the same address.
ALTER TABLE account ADD COLUMN trap INTEGER NOT NULL DEFAULT 0;
CREATE INDEX account_trap ON account (no) WHERE trap = 1 AND deleted_at IS NULL;
ALTER TABLE inbox ADD COLUMN is_trap INTEGER NOT NULL DEFAULT 0;
ALTER TABLE raw ADD COLUMN smtp_user TEXT;
DROP INDEX inbox_address;
CREATE UNIQUE INDEX inbox_address ON inbox (address) WHERE deleted_at IS NULL AND is_trap = 0;
CREATE UNIQUE INDEX inbox_trap ON inbox (account_no, address) WHERE deleted_at IS NULL AND is_trap = 1;
