-- events/, webhooks/: an event is a row that its cause writes if somebody listens; a delivery is one event for one webhook. A
-- webhook belongs to an inbox or to a whole account. Earlier deliveries keep their ids and their history, even if their webhook
-- has been removed since.
CREATE TABLE event (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_no INTEGER,
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  note TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_account ON event (account_no);
CREATE TABLE event_reader (
  account_no INTEGER PRIMARY KEY REFERENCES account (no) ON DELETE CASCADE,
  read_at INTEGER NOT NULL
) STRICT;
CREATE TABLE webhook_plan (
  plan TEXT PRIMARY KEY
) STRICT;
INSERT INTO webhook_plan (plan) VALUES ('pro'), ('scale'), ('business');
ALTER TABLE webhook RENAME TO earlier_webhook;
CREATE TABLE webhook (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  inbox_no INTEGER UNIQUE REFERENCES inbox (no) ON DELETE CASCADE,
  events TEXT NOT NULL,
  url TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  disabled_reason TEXT,
  secret BLOB NOT NULL,
  previous_secret BLOB,
  previous_until INTEGER,
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;
INSERT INTO webhook (id, account_no, inbox_no, events, url, is_enabled, disabled_reason, secret, previous_secret,
  previous_until, failures, failing_since, created_at, updated_at)
SELECT 'hook_' || lower(hex(randomblob(16))), i.account_no, w.inbox_no, '["email.received"]', w.url, w.is_enabled,
  w.disabled_reason, w.secret, w.previous_secret, w.previous_until, w.failures, w.failing_since, w.created_at,
  w.updated_at
FROM earlier_webhook w JOIN inbox i ON i.no = w.inbox_no
ORDER BY w.inbox_no;
DROP TABLE earlier_webhook;
INSERT INTO webhook (id, account_no, inbox_no, events, url, is_enabled, secret, failures, created_at, updated_at,
  removed_at)
SELECT 'hook_' || lower(hex(randomblob(16))), i.account_no, i.no, '["email.received"]', '', 0, x'', 0,
  min(d.created_at), max(d.created_at), max(d.created_at)
FROM delivery d JOIN inbox i ON i.no = d.inbox_no
WHERE NOT EXISTS (SELECT 1 FROM webhook w WHERE w.inbox_no = d.inbox_no)
GROUP BY i.no;
CREATE INDEX webhook_listener ON webhook (account_no, inbox_no) WHERE is_enabled = 1;
CREATE INDEX webhook_account ON webhook (account_no);
CREATE INDEX webhook_removed ON webhook (removed_at) WHERE removed_at IS NOT NULL;
-- Deliveries of the same millisecond have the same time. Each event needs its own, or a page of GET /events that ends between
-- two of them would lose the second, so later ones get a microsecond more.
INSERT INTO event (no, id, account_no, inbox_no, kind, subject_id, created_at)
SELECT no, id, account_no, inbox_no, 'email.received', message_id, rank + max(created_at - rank) OVER (ORDER BY rank)
FROM (SELECT d.*, i.account_no, row_number() OVER (ORDER BY d.created_at, d.no) AS rank
  FROM delivery d JOIN inbox i ON i.no = d.inbox_no);
UPDATE arrival SET last_at = max(last_at, coalesce((SELECT max(created_at) FROM event), 0));
ALTER TABLE delivery RENAME TO earlier_delivery;
CREATE TABLE delivery (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  event_no INTEGER NOT NULL REFERENCES event (no) ON DELETE CASCADE,
  webhook_no INTEGER NOT NULL REFERENCES webhook (no) ON DELETE CASCADE,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempts TEXT NOT NULL,
  answer TEXT
) STRICT;
INSERT INTO delivery (no, event_no, webhook_no, status, tries, due_at, created_at, attempts, answer)
SELECT d.no, d.no, w.no, d.status, d.tries, d.due_at, d.created_at, d.attempts, d.answer
FROM earlier_delivery d JOIN webhook w ON w.inbox_no = d.inbox_no;
DROP TABLE earlier_delivery;
CREATE INDEX delivery_due ON delivery (webhook_no, due_at, event_no) WHERE status = 'pending';
CREATE UNIQUE INDEX delivery_webhook ON delivery (webhook_no, event_no);
CREATE INDEX delivery_event ON delivery (event_no);
