INSERT INTO domain (no, id, account_no, name, status, verification_token, pending_since, failing_since, stopped_at, last_checked_at, last_error, next_check_at, catch_all, catch_all_inbox_no, created_at) VALUES
  (2, 'dom_00000000000000000000000000000002', 1, 'xn--bcher-kva.example', 'verified', 'token-2', NULL, 1795240000000000, NULL, 1795247000000000, 'no TXT record', 1795260000000000, 1, NULL, 1795000000000000),
  (3, 'dom_00000000000000000000000000000003', 1, 'waits.example', 'pending_dns', 'token-3', 1795000000000000, NULL, NULL, NULL, NULL, 1795260000000000, 0, NULL, 1795000000000000),
  (4, 'dom_00000000000000000000000000000004', 2, 'stopped.example', 'failed', 'token-4', NULL, NULL, 1795100000000000, 1795247000000000, 'MX', 1795333400000000, 0, NULL, 1795000000000000);
INSERT INTO inbox (no, id, account_no, address, routing_key, label, is_public, is_enabled, metadata, month, month_count, created_at, updated_at, deleted_at, domain_no) VALUES
  (6, 'inbox_00000000000000000000000000000006', 1, 'all@xn--bcher-kva.example', 'all', 'catch-all', 0, 1, '{}', '2026-11', 0, 1795200000000000, 1795200000000000, NULL, 2);
UPDATE domain SET catch_all_inbox_no = 6 WHERE no = 2;
INSERT INTO dkim_key (no, domain_no, selector, status, public_key, private_key, failing_since, created_at)
  SELECT 2, 2, 'pst202610a', 'verified', public_key, private_key, 1795240000000000, 1795000000000000 FROM dkim
  UNION ALL SELECT 3, 2, 'pst202611a', 'pending_dns', 'v=DKIM1; k=rsa; p=new', zeroblob(60), NULL, 1795240000000000;
