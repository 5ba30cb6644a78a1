-- ingest/: the bytes of a small mail and its content share a zstd frame. A job repacks the mails that are stored now, up to
-- last_no.
ALTER TABLE raw ADD COLUMN content_size INTEGER NOT NULL DEFAULT 0;
CREATE TABLE repacking (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  done_no INTEGER NOT NULL,
  last_no INTEGER NOT NULL
) STRICT;
INSERT INTO repacking (one, done_no, last_no) SELECT 1, 0, coalesce(max(no), 0) FROM raw;
