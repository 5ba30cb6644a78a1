-- events/, webhooks/: indexes an account's events by time (GET /events, replays), and its webhooks by inbox.
DROP INDEX event_account;
CREATE INDEX event_account ON event (account_no, created_at);
DROP INDEX webhook_account;
CREATE INDEX webhook_account ON webhook (account_no, inbox_no);
