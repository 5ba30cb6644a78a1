-- webhooks/: removed webhooks are kept for a while, so an account that creates and removes them in a loop has very many. The list
-- and the count of its webhooks read only those that are left.
CREATE INDEX webhook_live ON webhook (account_no) WHERE inbox_no IS NULL AND removed_at IS NULL;
