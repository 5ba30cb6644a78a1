-- messages/: the index of texts, recipients, codes and the names of attachments. A job fills it, also with older mail.
CREATE TABLE search_row (
  no INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL UNIQUE
) STRICT;
CREATE VIRTUAL TABLE message_search_text USING fts5 (
  subject, sender, recipients, cc, code, filenames, body,
  inbox, account, size, has_code, has_link, has_attachment, has_html,
  content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
INSERT INTO message_search_text (message_search_text, rank) VALUES ('automerge', 0);
INSERT INTO message_search_text (message_search_text, rank) VALUES ('deletemerge', 25);
CREATE TABLE search_text_term (
  term TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
ALTER TABLE search_state ADD COLUMN text_indexed_to INTEGER NOT NULL DEFAULT 0;
CREATE TABLE message_tag (
  account_no INTEGER NOT NULL REFERENCES account (no) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  received_at INTEGER NOT NULL REFERENCES message (received_at) ON DELETE CASCADE,
  PRIMARY KEY (account_no, tag, received_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_tag_message ON message_tag (received_at);
INSERT INTO message_tag (account_no, tag, received_at)
  SELECT DISTINCT m.account_no, t.value, m.received_at
  FROM message m, json_each(m.tags) t
  WHERE m.tags IS NOT NULL AND m.account_no IN (SELECT no FROM account);
