-- accounts/passkeys/: the passkeys (WebAuthn) of members, and the challenges that were answered recently, because each works once.
CREATE TABLE passkey (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  rp_id TEXT NOT NULL,
  credential_id BLOB NOT NULL,
  public_key BLOB NOT NULL,
  user_handle TEXT NOT NULL,
  sign_count INTEGER NOT NULL,
  transports TEXT NOT NULL,
  is_synced INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id, user_no);
CREATE INDEX passkey_user ON passkey (user_no);
CREATE TABLE passkey_challenge (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX passkey_challenge_expiry ON passkey_challenge (expires_at);
