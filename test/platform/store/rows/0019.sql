INSERT INTO outbound_email (no, id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc, subject, message_id, attempts, created_at, expires_at, waiting, reply_text, attachments, size) VALUES
  (5, 'out_00000000000000000000000000000005', 1, 'inbox_00000000000000000000000000000006', 'compose', 'queued', 'xn--bcher-kva.example', 'all@xn--bcher-kva.example', '["later@far.example"]', '[]', '[]', 'Large', '<5@xn--bcher-kva.example>', 0, 1795247500000000, 1795420000000000, 1, '', '[{"filename":"grün.pdf","content_type":"application/pdf","size":3000000}]', 4200000);
INSERT INTO outbound_recipient (no, outbound_no, email, domain, status, attempts, next_attempt_at) VALUES
  (8, 5, 'later@far.example', 'far.example', 'queued', 0, 1795250000000000);
-- 2 was being written when the server was killed.
INSERT INTO outbound_large (no, outbound_no) VALUES (1, 5), (2, NULL);
INSERT INTO outbound_chunk (large_no, part, bytes) SELECT 1, part, bytes FROM piece UNION ALL SELECT 2, 0, bytes FROM piece WHERE part = 0;
INSERT INTO thread (no, id, account_no, last_at, messages, mentions, into_no) VALUES (1795247500000005, 'thr_00000000000000000000000000000005', 1, 1795247500000005, 1, 1, NULL);
INSERT INTO thread_sent (thread_no, at, outbound_no) VALUES (1795247500000005, 1795247500000005, 5);
INSERT INTO thread_ref (account_no, ref, thread_no) SELECT 1, ref, 1795247500000005 FROM reference WHERE id = '<5@xn--bcher-kva.example>';
