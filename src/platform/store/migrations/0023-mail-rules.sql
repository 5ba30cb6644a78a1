-- mail-rules/: the rules of an account, in order. Conditions and actions are JSON (src/features/mail-rules/rule.ts).
CREATE TABLE mail_rule (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  is_enabled INTEGER NOT NULL,
  conditions TEXT NOT NULL,
  actions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_rule_account ON mail_rule (account_no, position);
CREATE INDEX mail_rule_enabled ON mail_rule (account_no, position) WHERE is_enabled = 1;

-- mail-rules/: what rules did with a message as it was stored, and when they delete it.
CREATE TABLE ruled_message (
  received_at INTEGER PRIMARY KEY REFERENCES message (received_at) ON DELETE CASCADE,
  done TEXT NOT NULL,
  delete_at INTEGER
) STRICT;
CREATE INDEX ruled_message_delete ON ruled_message (delete_at) WHERE delete_at IS NOT NULL;

-- mail-rules/: what a rule sends: a forward or a notice of one message, written with it and carried out afterwards.
CREATE TABLE errand (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  received_at INTEGER NOT NULL REFERENCES message (received_at) ON DELETE CASCADE,
  rule_id TEXT NOT NULL,
  rule_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  due_at INTEGER,
  reason TEXT,
  outbound_id TEXT
) STRICT;
CREATE INDEX errand_message ON errand (received_at);
CREATE INDEX errand_account ON errand (account_no);
CREATE INDEX errand_due ON errand (account_no, kind, due_at) WHERE due_at IS NOT NULL;
