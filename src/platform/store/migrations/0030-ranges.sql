-- ingest/: the JSON in the one frame of a mail (0016) may point to a text in the mail's bytes instead of holding it, which earlier
-- programs can't read. Nothing that is stored changes; the number of the schema keeps those programs away.
SELECT 1;
