-- ingest/: unfinished mails are found at the start without reading all mail.
CREATE INDEX raw_unfinished ON raw (no) WHERE refs = 0;
-- Some builds between 0009 and this one turned automerge on again.
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
-- A segment is rewritten when a quarter of it was deleted, not a tenth: a third of the work for retention.
INSERT INTO message_search (message_search, rank) VALUES ('deletemerge', 25);
