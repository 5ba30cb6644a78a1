-- messages/: conversations. A job finds those of the mail that is stored now, up to last_at and last_no.
ALTER TABLE message ADD COLUMN thread_no INTEGER;
ALTER TABLE message ADD COLUMN ref INTEGER;
CREATE INDEX message_thread ON message (account_no, thread_no) WHERE thread_no IS NOT NULL;
CREATE INDEX message_ref ON message (account_no, ref) WHERE ref IS NOT NULL;
ALTER TABLE outbound_email ADD COLUMN in_reply_to TEXT;
ALTER TABLE outbound_email ADD COLUMN "references" TEXT NOT NULL DEFAULT '[]';
ALTER TABLE outbound_email ADD COLUMN reply_text TEXT;
CREATE TABLE thread (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  last_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  mentions INTEGER NOT NULL,
  into_no INTEGER
) STRICT;
CREATE INDEX thread_account ON thread (account_no, last_at);
CREATE INDEX thread_moving ON thread (into_no) WHERE into_no IS NOT NULL;
CREATE TABLE thread_ref (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  ref INTEGER NOT NULL,
  thread_no INTEGER NOT NULL,
  PRIMARY KEY (account_no, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_ref_thread ON thread_ref (thread_no);
CREATE TABLE thread_sent (
  thread_no INTEGER NOT NULL,
  at INTEGER NOT NULL,
  outbound_no INTEGER NOT NULL REFERENCES outbound_email (no) ON DELETE CASCADE,
  PRIMARY KEY (thread_no, at)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX thread_sent_outbound ON thread_sent (outbound_no);
CREATE TABLE threading (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  done_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  done_no INTEGER NOT NULL,
  last_no INTEGER NOT NULL
) STRICT;
INSERT INTO threading (one, done_at, last_at, done_no, last_no)
  SELECT 1, 0, coalesce((SELECT max(received_at) FROM message), 0),
    0, coalesce((SELECT max(no) FROM outbound_email), 0);
