-- messages/: the tags of a message, from the account or the mail's X-Tags. Null for none, so that no row is rewritten.
ALTER TABLE message ADD COLUMN tags TEXT;
