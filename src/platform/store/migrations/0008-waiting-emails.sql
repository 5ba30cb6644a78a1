-- outbound/: an email waits while one of its recipients does, whatever its status is by the others.
ALTER TABLE outbound_email ADD COLUMN waiting INTEGER NOT NULL DEFAULT 1;
UPDATE outbound_email SET waiting = 0 WHERE no NOT IN (SELECT outbound_no FROM outbound_mime);
DROP INDEX outbound_email_queued;
CREATE INDEX outbound_email_waiting ON outbound_email (account_no) WHERE waiting = 1;
