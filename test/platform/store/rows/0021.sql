INSERT INTO audit (no, id, at, account_id, action, actor_kind, actor_id, actor_name, address, agent, target, details) VALUES
  (1, 'aud_00000000000000000000000000000001', 1795247000000000, 'acct_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'key.created', 'user', 'user_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'ann@example.org', '2001:db8::7', 'Mozilla/5.0 (größe)', 'key_00000000000000000000000000000002', '{"name":"Schlüssel ✓"}'),
  (2, 'aud_00000000000000000000000000000002', 1795247000000001, 'acct_00000000000000000000000000000097', 'account.deleted', 'operator', NULL, NULL, NULL, NULL, 'erased@example.org', '{}'),
  (3, 'aud_00000000000000000000000000000003', 1795247000000002, NULL, 'sign_in.failed', 'visitor', NULL, NULL, '192.0.2.7', '', 'nobody@example.org', '{"method":"password"}'),
  (4, 'aud_00000000000000000000000000000004', 1795247000000003, 'acct_00000000000000000000000000000002', 'account.created', 'operator', NULL, NULL, NULL, NULL, 'eve@example.org', '{"plan":"pro","operator":"false","key":"pst_live_0123456"}'),
  (5, 'aud_00000000000000000000000000000005', 1795247000000004, 'acct_00000000000000000000000000000004', 'account.created', 'visitor', NULL, NULL, '192.0.2.7', NULL, NULL, '{"plan":"free","kind":"agent","key":"pst_live_agentss"}');
UPDATE audit_kept SET since = 1763712000000000;
