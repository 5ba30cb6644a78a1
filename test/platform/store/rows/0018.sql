-- Half done: the sent emails are in their threads, and the messages up to the first two.
INSERT INTO thread (no, id, account_no, last_at, messages, mentions, into_no)
  SELECT at, 'thr_' || substr(id, 5), account_no, at, 1, 1, NULL FROM (SELECT *, created_at + 2 * (no = 1) AS at FROM outbound_email)
  UNION ALL SELECT 1795240000000000, 'thr_00000000000000000000000000000011', 1, 1795240000000001, 2, 0, NULL;
INSERT INTO thread_sent (thread_no, at, outbound_no) SELECT t.no, t.no, e.no FROM outbound_email e JOIN thread t ON t.id = 'thr_' || substr(e.id, 5);
INSERT INTO thread_ref (account_no, ref, thread_no)
  SELECT e.account_no, r.ref, t.no FROM outbound_email e JOIN thread t ON t.id = 'thr_' || substr(e.id, 5) JOIN reference r ON r.id = e.message_id;
UPDATE message SET thread_no = 1795240000000000, ref = (SELECT ref FROM reference WHERE id = '<t1@shop.example>') WHERE received_at IN (1795240000000000, 1795240000000001);
UPDATE threading SET done_no = last_no, done_at = 1795240000000001;
UPDATE outbound_email SET reply_text = 'Grüße', in_reply_to = '<t1@shop.example>', "references" = '["<t1@shop.example>"]' WHERE no = 2;
