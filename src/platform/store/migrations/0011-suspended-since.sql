-- accounts/: since when an account has been suspended. For those that already are, the time of this migration is used.
ALTER TABLE account ADD COLUMN suspended_at INTEGER;
UPDATE account SET suspended_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE status = 'suspended';
