INSERT INTO session (no, id, token_hash, user_no, browser, created_at, seen_at, expires_at) VALUES
  (1, 'sess_00000000000000000000000000000001', (SELECT bytes FROM secret WHERE name = 'session'), 2, 'Mozilla/5.0 (größe)', 1795247000000000, 1795247000000000, 1797840000000000),
  (2, 'sess_00000000000000000000000000000002', x'00ff00000000000000000000000000000000000000000000000000000000cc02', 3, '', 1, 1, 2);
INSERT INTO session_member (session_no, user_no) VALUES (1, 2), (2, 3);
INSERT INTO refusal (no, account_no, first_at, at, times, client_address, helo, envelope_from, recipient, reason, code, reply) VALUES
  (1, NULL, 1795240000000000, 1795241000000000, 1000000, '2001:db8::7', 'größe', 'x@example.org', 'nobody@postern.test', 'unknown_recipient', 550, '5.1.1 No such inbox'),
  (2, 1, 1795240000000000, 1795240000000000, 1, '192.0.2.7', '', '', '', 'too_large', 552, '5.3.4 Message too large');
-- of `POST /inboxes` with `{}` and the Idempotency-Key `k-1`
INSERT INTO idempotency (scope, key, body_hash, output, created_at) VALUES
  ('acct_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb POST /api/v1/inboxes', '7c35c5a1785d20704e44d5de4beb81c1fce91b6fe48ed7c3159af6f7f832078b',
   x'd827049039f82a8b65a9b0f52e637cf3bc5d1e0dec7d6198edf901a5e3dcae7d',
   '{"no":1,"id":"inbox_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","account_no":1,"address":"kept@postern.test","routing_key":"kept","label":"Kept","is_public":0,"is_enabled":1,"metadata":"{}","month":"2026-11","month_count":0,"created_at":1795248000000000,"updated_at":1795248000000000,"domain_id":null,"is_catch_all":0}', 1795248000000000);
