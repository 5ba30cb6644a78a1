-- accounts/: members' identities at an identity provider (OpenID Connect). subject: the provider's permanent id of the person.
CREATE TABLE identity (
  user_no INTEGER NOT NULL REFERENCES user (no) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_no, issuer)
) STRICT, WITHOUT ROWID;
CREATE INDEX identity_subject ON identity (issuer, subject);
CREATE INDEX user_by_email ON user (email);
