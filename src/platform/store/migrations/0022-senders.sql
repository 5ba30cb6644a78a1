-- inboxes/: the lists of senders of an inbox. messages/: withheld mail; when From was found to be authentic, for waits that ask
-- for it. Mail that was checked before counts as authentic on arrival.
ALTER TABLE inbox ADD COLUMN senders INTEGER NOT NULL DEFAULT 0;
CREATE TABLE sender_entry (
  inbox_no INTEGER NOT NULL REFERENCES inbox (no) ON DELETE CASCADE,
  entry TEXT NOT NULL,
  list TEXT NOT NULL,
  PRIMARY KEY (inbox_no, entry)
) STRICT, WITHOUT ROWID;
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
CREATE INDEX withheld_inbox ON withheld (inbox_no);
CREATE INDEX withheld_raw ON withheld (raw_no);
ALTER TABLE message ADD COLUMN proven_at INTEGER;
UPDATE message SET proven_at = received_at WHERE raw_no IN
  (SELECT raw_no FROM authentication WHERE json_extract(verdicts, '$.dmarc.result') = 'pass');
CREATE INDEX message_proven ON message (inbox_no, proven_at) WHERE proven_at IS NOT NULL;
CREATE INDEX message_account_proven ON message (account_no, proven_at) WHERE proven_at IS NOT NULL;
