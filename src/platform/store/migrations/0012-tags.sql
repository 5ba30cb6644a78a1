-- messages/: words that the account, or the mail's X-Tags, put on a message. Null for none: no row is rewritten.
ALTER TABLE message ADD COLUMN tags TEXT;
