INSERT INTO webhook (inbox_no, url, is_enabled, disabled_reason, secret, previous_secret, previous_until, failures, failing_since, created_at, updated_at)
  SELECT 2, 'https://hooks.example.org/größe?a=b', 1, NULL, s.bytes, p.bytes, 1795700000000000, 3, 1795247000000000, 1795200000000000, 1795247000000000
  FROM secret s, secret p WHERE s.name = 'webhook' AND p.name = 'previous webhook';
-- Two of one mail have the same time, because it had two recipients. Inbox 3 has no webhook any more.
INSERT INTO delivery (no, id, inbox_no, message_id, status, tries, due_at, created_at, attempts, answer) VALUES
  (11, 'evt_00000000000000000000000000000011', 1, 'msg_00000000000000000000000000000011', 'delivered', 1, 1795240000000000, 1795240000000000, '[{"at":1795240000100000,"response_status":204,"error":null,"duration_ms":7}]', NULL),
  (12, 'evt_00000000000000000000000000000012', 2, 'msg_00000000000000000000000000000012', 'pending', 2, 1795250000000000, 1795240000000000, '[{"at":1795240000100000,"response_status":500,"error":null,"duration_ms":7},{"at":1795240030100000,"response_status":null,"error":"connection refused","duration_ms":2}]', 'oops ✗'),
  (13, 'evt_00000000000000000000000000000013', 1, 'msg_00000000000000000000000000000013', 'failed', 8, 1795240500000000, 1795240000000000, '[]', NULL),
  (14, 'evt_00000000000000000000000000000014', 3, 'msg_00000000000000000000000000000016', 'failed', 1, 1795242000000000, 1795242000000000, '[]', NULL);
INSERT INTO job_run (name, last_at) VALUES ('messages.retention', 1795247000000000), ('a.job.of.an.earlier.version', 1);
