INSERT INTO event_reader (account_no, read_at) VALUES (1, 1795247000000000);
-- 11: of the whole account. 12: removed, kept for its history.
INSERT INTO webhook (no, id, account_no, inbox_no, events, url, is_enabled, disabled_reason, secret, failures, created_at, updated_at, removed_at)
  SELECT 11, 'hook_00000000000000000000000000000011', 1, NULL, '["email.received","email.sent","domain.failed"]', 'https://hooks.example.org/all', 1, NULL, bytes, 0, 1795247000000000, 1795247000000000, NULL FROM secret WHERE name = 'account webhook'
  UNION ALL SELECT 12, 'hook_00000000000000000000000000000012', 1, NULL, '["email.received"]', '', 0, NULL, x'', 0, 1795247000000000, 1795247000000000, 1795247500000000;
INSERT INTO event (no, id, account_no, inbox_no, kind, subject_id, note, created_at) VALUES
  (21, 'evt_00000000000000000000000000000021', 1, NULL, 'email.sent', 'out_00000000000000000000000000000004', NULL, 1795247100000000),
  (22, 'evt_00000000000000000000000000000022', 1, 1, 'message.deleted', 'msg_00000000000000000000000000000099', '{"id":"msg_00000000000000000000000000000099","inbox_id":"inbox_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","received_at":"2026-11-21T03:00:00.000000Z"}', 1795247100000001);
INSERT INTO delivery (no, event_no, webhook_no, status, tries, due_at, created_at, attempts, answer) VALUES
  (21, 21, 11, 'pending', 0, 1795250000000000, 1795247100000000, '[]', NULL),
  (22, 21, 12, 'failed', 1, 1795247100000000, 1795247100000000, '[{"at":1795247100100000,"response_status":410,"error":null,"duration_ms":1}]', 'gone');
UPDATE arrival SET last_at = max(last_at, 1795247100000001);
