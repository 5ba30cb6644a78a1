-- accounts/: what a person sees of a connection to the identity provider, and what ends with it. A session that began before counts as
-- begun by the provider if the audit log has that sign-in.
ALTER TABLE identity ADD COLUMN email TEXT;
ALTER TABLE session ADD COLUMN issuer TEXT;
UPDATE session SET issuer = (
  SELECT i.issuer FROM session_member m JOIN identity i ON i.user_no = m.user_no
  WHERE m.session_no = session.no ORDER BY i.created_at DESC LIMIT 1
)
WHERE EXISTS (
  SELECT 1 FROM audit e
  WHERE e.at = session.created_at AND e.action = 'sign_in' AND json_extract(e.details, '$.method') = 'oidc'
);

-- accounts/: whether the operator made a key: together with its account, or by the audit log. All others count as made by their member.
ALTER TABLE api_key ADD COLUMN made_by_operator INTEGER NOT NULL DEFAULT 0;
UPDATE api_key SET made_by_operator = 1
WHERE created_at = (SELECT u.created_at FROM user u WHERE u.no = api_key.user_no)
  OR EXISTS (
    SELECT 1 FROM audit e
    WHERE e.at = api_key.created_at AND e.action = 'key.created' AND e.target = api_key.key_prefix AND e.actor_kind = 'operator'
  );
