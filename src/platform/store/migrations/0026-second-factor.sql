-- accounts/second-factor/: the authenticator app of a member, and the recovery codes that replace it when the phone is lost.
CREATE TABLE totp (
  user_no INTEGER PRIMARY KEY REFERENCES user (no) ON DELETE CASCADE,
  secret BLOB NOT NULL,
  last_step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE recovery_code (
  user_no INTEGER NOT NULL REFERENCES totp (user_no) ON DELETE CASCADE,
  code_hash BLOB NOT NULL,
  PRIMARY KEY (user_no, code_hash)
) STRICT, WITHOUT ROWID;
