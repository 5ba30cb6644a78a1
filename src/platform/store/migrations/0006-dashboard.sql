-- Signing in to the dashboard.
CREATE INDEX user_sign_in ON user (email) WHERE password_hash IS NOT NULL;
CREATE INDEX invite_expiry ON invite (expires_at);
-- accounts/: who is signed in to the dashboard. Only the token's SHA-256 is kept. user_no: as whom, of session_member.
-- seen_at: the last request, noted every 10 minutes; browser: its User-Agent, cut.
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
-- those to forget (jobs)
CREATE INDEX session_expiry ON session (expires_at);

-- accounts/: the memberships that a session's password proved, among which it may change.
CREATE TABLE session_member (
  session_no INTEGER NOT NULL REFERENCES session (no) ON DELETE CASCADE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  PRIMARY KEY (session_no, user_no)
) STRICT, WITHOUT ROWID;
-- the sessions of a member; the cascade
CREATE INDEX session_member_user ON session_member (user_no);

-- ingest/: what SMTP refused and why, for whoever misses a mail; the last ones of each account and of nobody.
-- account_no: whose the recipient is, null for nobody's. times: alike ones from first_at to at. recipient: '' when
-- it was refused before one was named.
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
-- the last ones of an account, or of nobody; the cascade
CREATE INDEX refusal_account ON refusal (account_no, no);
-- those to forget (jobs)
CREATE INDEX refusal_age ON refusal (at);
