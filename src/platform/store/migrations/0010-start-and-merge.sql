-- ingest/: mails that were begun and not stored are found at start without reading every mail there is.
CREATE INDEX raw_unfinished ON raw (no) WHERE refs = 0;
-- Some builds between 0009 and this turned it on again.
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
-- A segment is written anew when a quarter of it was deleted, not a tenth: retention has a third of the work.
INSERT INTO message_search (message_search, rank) VALUES ('deletemerge', 25);
