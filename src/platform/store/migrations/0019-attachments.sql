-- outbound/: the attachments of an email as the API lists them (JSON), and the bytes of its mail. Larger mails are
-- stored in pieces, so that no write is long. Emails of one status are listed.
ALTER TABLE outbound_email ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';
ALTER TABLE outbound_email ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbound_email_status ON outbound_email (account_no, status);
CREATE TABLE outbound_large (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  outbound_no INTEGER UNIQUE REFERENCES outbound_email (no) ON DELETE CASCADE
) STRICT;
CREATE TABLE outbound_chunk (
  large_no INTEGER NOT NULL REFERENCES outbound_large (no) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (large_no, part)
) STRICT;
