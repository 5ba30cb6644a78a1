-- ingest/: mails that were begun and not stored are found at start without reading every mail there is.
CREATE INDEX raw_unfinished ON raw (no) WHERE refs = 0;
