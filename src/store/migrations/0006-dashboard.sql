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
