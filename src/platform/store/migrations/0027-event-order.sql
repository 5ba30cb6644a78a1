-- events/, webhooks/: an account's events are read in the order of their time (GET /events, replays), and its webhooks
-- are those without an inbox.
DROP INDEX event_account;
CREATE INDEX event_account ON event (account_no, created_at);
DROP INDEX webhook_account;
CREATE INDEX webhook_account ON webhook (account_no, inbox_no);
