INSERT INTO outbound_account (account_no, allowlist_on, hour_from, hour_recipients, day_from, day_recipients) VALUES
  (1, 1, 1795247000000000, 7, 1795200000000000, 70);
-- 2: one recipient has it, one waits. 3: bounced. 4: sent from an inbox that is gone.
INSERT INTO outbound_email (no, id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc, reply_to, subject, message_id, attempts, last_error, created_at, expires_at, sent_at) VALUES
  (2, 'out_00000000000000000000000000000002', 1, NULL, 'send', 'bounced', 'shop.example', 'Größe <a@shop.example>', '["ok@far.example","later@far.example"]', '["cc@xn--bcher-kva.example"]', '["bcc@far.example"]', 'reply@shop.example', 'Grüße 👩‍🚀', '<2@shop.example>', 2, '451 4.2.1 später', 1795247000000000, 1795420000000000, NULL),
  (3, 'out_00000000000000000000000000000003', 1, NULL, 'send', 'bounced', 'shop.example', 'a@shop.example', '["c@example.org"]', '[]', '[]', NULL, '', '<3@shop.example>', 1, '550 5.1.1 no such user', 1795247000000001, 1795420000000000, NULL),
  (4, 'out_00000000000000000000000000000004', 1, 'inbox_00000000000000000000000000000098', 'reply', 'sent', 'shop.example', 'a@shop.example', '["ann@shop.example"]', '[]', '[]', NULL, 'Re: Größe 漢字 👩‍🚀 invoice', '<4@shop.example>', 1, NULL, 1795240200000000, 1795420000000000, 1795240300000000);
INSERT INTO outbound_recipient (no, outbound_no, email, domain, status, attempts, next_attempt_at, response) VALUES
  (2, 2, 'ok@far.example', 'far.example', 'sent', 1, NULL, '250 2.0.0 ok'),
  (3, 2, 'later@far.example', 'far.example', 'queued', 2, 1795250000000000, '451 4.2.1 später'),
  (4, 2, 'cc@xn--bcher-kva.example', 'xn--bcher-kva.example', 'sending', 1, 1795249000000000, NULL),
  (5, 2, 'bcc@far.example', 'far.example', 'bounced', 1, NULL, '550 5.1.1 no such user'),
  (6, 3, 'c@example.org', 'example.org', 'bounced', 1, NULL, '550 5.1.1 no such user'),
  (7, 4, 'ann@shop.example', 'shop.example', 'sent', 1, NULL, NULL);
INSERT INTO outbound_mime (outbound_no, bytes) SELECT 2, bytes FROM mail WHERE no = 12;
INSERT INTO suppression (account_no, email, reason, created_at, expires_at) VALUES
  (1, 'größe@example.org', '550 5.1.1 existiert nicht', 1795000000000000, 1797592000000000),
  (1, 'old@example.org', 'bounced', 1, 2);
INSERT INTO approved_recipient (no, id, account_no, email, created_at) VALUES
  (2, 'apr_00000000000000000000000000000002', 1, 'fwd@far.example', 1795200000000000);
