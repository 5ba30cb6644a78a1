-- messages/: the beginning of a message's text, which the dashboard's lists show; null for messages stored before.
ALTER TABLE message ADD COLUMN snippet TEXT;
