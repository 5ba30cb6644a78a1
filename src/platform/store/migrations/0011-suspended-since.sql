-- accounts/: since when an account has been suspended. Of those that are already, only that it was before now is known.
ALTER TABLE account ADD COLUMN suspended_at INTEGER;
UPDATE account SET suspended_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE status = 'suspended';
