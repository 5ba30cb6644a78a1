-- accounts/: whether the operator made an account. An account that a stranger made counts as theirs, and so does one of which
-- the audit log no longer says who made it. The operator's own are the operator's; of others, only `postern account create` and
-- the operator's page recorded a key and no kind.
ALTER TABLE account ADD COLUMN made_by_operator INTEGER NOT NULL DEFAULT 0;
UPDATE account SET made_by_operator = 1
WHERE operator = 1
  OR EXISTS (
    SELECT 1 FROM audit e
    WHERE e.account_id = account.id AND e.action = 'account.created'
      AND json_extract(e.details, '$.key') IS NOT NULL AND json_extract(e.details, '$.kind') IS NULL
  );
