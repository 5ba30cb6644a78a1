-- Signing in to the dashboard.
CREATE INDEX user_sign_in ON user (email) WHERE password_hash IS NOT NULL;
CREATE INDEX invite_expiry ON invite (expires_at);
-- accounts/: dashboard sessions. Only the token's SHA-256 is stored. user_no: the current member, one of session_member.
-- seen_at: the last request, updated every 10 minutes; browser: its User-Agent, cut.
CREATE TABLE session (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  browser TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
-- the cascade from user
CREATE INDEX session_user ON session (user_no);
-- expired rows (jobs)
CREATE INDEX session_expiry ON session (expires_at);

-- accounts/: memberships that a session's password proved; the session may switch between them.
CREATE TABLE session_member (
  session_no INTEGER NOT NULL REFERENCES session (no) ON DELETE CASCADE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  PRIMARY KEY (session_no, user_no)
) STRICT, WITHOUT ROWID;
-- the sessions of a member; the cascade
CREATE INDEX session_member_user ON session_member (user_no);

-- ingest/: what SMTP refused and why: the latest refusals of each account, and of recipients that no account has. account_no: the
-- recipient's account; null if no account has it. times: how often between first_at and at. recipient: '' if refused before RCPT.
CREATE TABLE refusal (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_no INTEGER REFERENCES account (no) ON DELETE CASCADE,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  client_address TEXT NOT NULL,
  helo TEXT NOT NULL,
  envelope_from TEXT NOT NULL,
  recipient TEXT NOT NULL,
  reason TEXT NOT NULL,
  code INTEGER NOT NULL,
  reply TEXT NOT NULL
) STRICT;
-- the latest refusals of an account, or of none; the cascade
CREATE INDEX refusal_account ON refusal (account_no, no);
-- expired rows (jobs)
CREATE INDEX refusal_age ON refusal (at);
