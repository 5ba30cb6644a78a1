-- messages/: the beginning of a message's text, which the dashboard's lists show; null for messages from before this migration.
ALTER TABLE message ADD COLUMN snippet TEXT;
