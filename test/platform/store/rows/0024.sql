UPDATE outbound_account SET hold_on = 1;
UPDATE inbox SET holds_outbound = 1 WHERE no = 6;
INSERT INTO outbound_email (no, id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc, subject, message_id, attempts, created_at, expires_at, waiting, size, held_by) VALUES
  (6, 'out_00000000000000000000000000000006', 1, NULL, 'send', 'held', 'shop.example', 'a@shop.example', '["held@far.example"]', '[]', '[]', 'Held', '<6@shop.example>', 0, 1795247500000000, 1795500000000000, 0, 100, 'bob@example.org');
INSERT INTO outbound_recipient (no, outbound_no, email, domain, status, attempts, next_attempt_at) VALUES
  (9, 6, 'held@far.example', 'far.example', 'held', 0, NULL);
INSERT INTO outbound_mime (outbound_no, bytes) SELECT 6, bytes FROM mail WHERE no = 12;
INSERT INTO thread (no, id, account_no, last_at, messages, mentions, into_no) VALUES (1795247500000006, 'thr_00000000000000000000000000000006', 1, 1795247500000006, 1, 1, NULL);
INSERT INTO thread_sent (thread_no, at, outbound_no) VALUES (1795247500000006, 1795247500000006, 6);
INSERT INTO thread_ref (account_no, ref, thread_no) SELECT 1, ref, 1795247500000006 FROM reference WHERE id = '<6@shop.example>';
