CREATE TABLE authentication (
  raw_no INTEGER PRIMARY KEY REFERENCES raw (no) ON DELETE CASCADE,
  verdicts TEXT
) STRICT;
CREATE INDEX authentication_due ON authentication (raw_no) WHERE verdicts IS NULL;
