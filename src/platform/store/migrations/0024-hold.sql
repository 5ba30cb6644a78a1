-- outbound/: members' emails wait for an owner's approval, in an account or from an inbox. held_by: who asked for one.
ALTER TABLE outbound_account ADD COLUMN hold_on INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN holds_outbound INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbound_email ADD COLUMN held_by TEXT;
CREATE INDEX outbound_email_held ON outbound_email (expires_at) WHERE status = 'held';
