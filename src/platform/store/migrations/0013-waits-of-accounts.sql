-- waits/: finds the messages of an account, and those to a sub-address, without reading others.
ALTER TABLE message ADD COLUMN account_no INTEGER NOT NULL DEFAULT 0;
UPDATE message SET account_no = coalesce((SELECT i.account_no FROM inbox i WHERE i.no = message.inbox_no), 0);
CREATE INDEX message_account ON message (account_no);
CREATE INDEX message_account_unread ON message (account_no) WHERE read_at IS NULL;
CREATE INDEX message_recipient ON message (inbox_no, substr(envelope_recipient, 1, instr(envelope_recipient, '@') - 1) COLLATE NOCASE)
  WHERE instr(envelope_recipient, '+') > 0;
CREATE INDEX message_recipient_unread ON message (inbox_no, substr(envelope_recipient, 1, instr(envelope_recipient, '@') - 1) COLLATE NOCASE)
  WHERE instr(envelope_recipient, '+') > 0 AND read_at IS NULL;
