-- Account 1 and its mail are in earlier-store.ts. 2: suspended. 3: deleted and not erased yet. 4: an agent's.
INSERT INTO account (no, id, name, email, plan, kind, status, custom_domains, outbound, operator, created_at, last_active_at, deleted_at) VALUES
  (2, 'acct_00000000000000000000000000000002', 'Größe 漢字 👩‍🚀', 'eve@example.org', 'pro', 'standard', 'suspended', 0, 0, 0, 1795200000000000, 1795200000000001, NULL),
  (3, 'acct_00000000000000000000000000000003', '', 'gone@example.org', 'scale', 'standard', 'active', 1, 0, 0, 1795200000000000, 1795247999000000, 1795247999000000),
  (4, 'acct_00000000000000000000000000000004', 'an agent', NULL, 'free', 'agent', 'active', 0, 0, 0, 1795247000000000, 1795247000000000, NULL);
-- argon2id of `correct horse battery`
INSERT INTO user (no, id, account_no, email, role, password_hash, created_at) VALUES
  (2, 'user_00000000000000000000000000000002', 1, 'bob@example.org', 'member', '$argon2id$v=19$m=8,t=1,p=1$Y7YwxxLkgnTISdhYaDy237vWl+iB+R5+Wlwe4SGUZEY$zChMU73qo0atg62RJzuFYMna1uit+IcZ5y6J8njVtcw', 1795200000000000),
  (3, 'user_00000000000000000000000000000003', 2, 'eve@example.org', 'owner', NULL, 1795200000000000),
  (4, 'user_00000000000000000000000000000004', 3, 'gone@example.org', 'owner', NULL, 1795200000000000);
-- one that is still good, and one that has expired
INSERT INTO invite (token_hash, user_no, created_at, expires_at) VALUES
  (x'00ff00000000000000000000000000000000000000000000000000000000aa01', 2, 1795200000000000, 1795700000000000),
  (x'00ff00000000000000000000000000000000000000000000000000000000aa02', 3, 1790000000000000, 1790604800000000);
INSERT INTO api_key (no, id, account_no, user_no, hash, key_prefix, name, role, created_at, revoked_at) VALUES
  (2, 'key_00000000000000000000000000000002', 1, 2, x'00ff00000000000000000000000000000000000000000000000000000000bb02', 'pst_live_member0', 'Schlüssel ✓', 'member', 1795200000000000, NULL),
  (3, 'key_00000000000000000000000000000003', 1, 1, x'00ff00000000000000000000000000000000000000000000000000000000bb03', 'pst_live_revoked', '', 'owner', 1795200000000000, 1795247000000000),
  (4, 'key_00000000000000000000000000000004', 4, NULL, x'00ff00000000000000000000000000000000000000000000000000000000bb04', 'pst_live_agentss', '', 'owner', 1795247000000000, NULL);
INSERT INTO usage (account_no, month, messages_received, webhook_attempts, outbound_recipients, verifications) VALUES
  (1, '2026-10', 9007199254740991, 2147483648, 3, 4),
  (2, '2026-11', 1, 0, 0, 100);
INSERT INTO idempotency (scope, key, body_hash, output, created_at) VALUES
  ('acct_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb POST /api/v1/inboxes', '00',
   x'd827049039f82a8b65a9b0f52e637cf3bc5d1e0dec7d6198edf901a5e3dcae7d',
   '{"no":1,"id":"inbox_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","account_no":1,"address":"kept@postern.test","routing_key":"kept","label":"Kept","is_public":0,"is_enabled":1,"metadata":"{}","month":"2026-11","month_count":0,"created_at":1795248000000000,"updated_at":1795248000000000}', 1795248000000000);
INSERT INTO claim (address, account_no, blocked_until) VALUES
  ('eve@postern.test', 2, NULL),
  ('erased@postern.test', NULL, 4102444800000000),
  ('left@postern.test', 1, NULL);
-- 2: public, with the longest label and much metadata. 3: deleted and not erased yet. 4: of the suspended account. 5: switched off.
INSERT INTO inbox (no, id, account_no, address, routing_key, label, is_public, is_enabled, metadata, month, month_count, created_at, updated_at, deleted_at) VALUES
  (2, 'inbox_00000000000000000000000000000002', 1, 'public@postern.test', 'public', printf('%.120c', 'L'), 1, 1, json_object('ключ', json_array('👩‍🚀', NULL, 1e300, 1), 'filler', printf('%.3900c', 'x')), '2026-11', 3, 1795200000000000, 1795200000000001, NULL),
  (3, 'inbox_00000000000000000000000000000003', 1, 'left@postern.test', 'left', '', 0, 0, '{}', '2026-10', 7, 1795200000000000, 1795247900000000, 1795247900000000),
  (4, 'inbox_00000000000000000000000000000004', 2, 'eve@postern.test', 'eve', '', 0, 1, '{}', '2026-11', 1, 1795200000000000, 1795200000000000, NULL),
  (5, 'inbox_00000000000000000000000000000005', 1, 'off@postern.test', 'off', 'ü', 0, 0, '{}', '', 0, 1, 1, NULL);
-- 11: for two inboxes. 12: an answer to it. 13: in pieces. 14: unreadable. 15: in the deleted inbox. 16: of the suspended account.
-- 17: begun, not finished.
INSERT INTO raw (no, refs, size, envelope_from, helo, client_address, protocol, content, bytes)
  SELECT m.no, m.refs, b.size, m.envelope_from, m.helo, m.client, m.protocol, b.content, CASE WHEN m.no = 13 THEN NULL ELSE b.bytes END
  FROM (SELECT 11 AS no, 2 AS refs, 'ann@shop.example' AS envelope_from, 'mx.shop.example' AS helo, '192.0.2.7' AS client, 'ESMTPS' AS protocol
    UNION ALL SELECT 12, 1, 'bob@example.org', '[2001:db8::1]', '2001:db8::1', 'UTF8SMTPS'
    UNION ALL SELECT 13, 1, '', 'client.example', '192.0.2.7', 'ESMTP'
    UNION ALL SELECT 14, 1, 'x@example.org', '', '192.0.2.7', 'SMTP'
    UNION ALL SELECT 15, 1, 'x@example.org', 'client.example', '192.0.2.7', 'ESMTP'
    UNION ALL SELECT 16, 1, 'x@example.org', 'client.example', '192.0.2.7', 'ESMTP'
    UNION ALL SELECT 17, 0, 'x@example.org', 'client.example', '192.0.2.7', 'ESMTP') m
  JOIN mail b ON b.no = m.no;
INSERT INTO raw_chunk (raw_no, part, bytes) SELECT raw_no, part, bytes FROM piece;
INSERT INTO message (received_at, id, inbox_no, raw_no, status, read_at, otp, otp_confidence, magic_link, has_html, size, attachment_count, envelope_recipient, subject, "from", "to", cc, links, metadata)
  SELECT m.at, 'msg_' || printf('%032d', m.no), m.inbox, m.raw, m.status, m.read_at, m.otp, m.confidence, m.link, m.html, b.size, m.attachments, m.rcpt, m.subject, m.sender, m.recipients, m.cc, m.links, m.metadata
  FROM (SELECT 1795240000000000 AS at, 11 AS no, 1 AS inbox, 11 AS raw, 'parsed' AS status, 1795240001000000 AS read_at, NULL AS otp, 0.0 AS confidence,
      'https://app.example/magic?token=abc' AS link, 1 AS html, 0 AS attachments, 'kept+Tag@postern.test' AS rcpt, 'Größe 漢字 👩‍🚀 invoice' AS subject,
      'Ann Shop <ann@shop.example>' AS sender, '["kept+Tag@postern.test","public@postern.test"]' AS recipients, '["cc@example.org"]' AS cc, '["https://app.example/magic?token=abc"]' AS links, '{"ключ":["👩‍🚀",null]}' AS metadata
    UNION ALL SELECT 1795240000000001, 12, 2, 11, 'parsed', NULL, NULL, 0.0, 'https://app.example/magic?token=abc', 1, 0, 'public@postern.test', 'Größe 漢字 👩‍🚀 invoice', 'Ann Shop <ann@shop.example>', '["kept+Tag@postern.test","public@postern.test"]', '["cc@example.org"]', '["https://app.example/magic?token=abc"]', '{}'
    UNION ALL SELECT 1795240500000000, 13, 1, 12, 'parsed', NULL, '001234', 0.125, NULL, 0, 0, 'kept@postern.test', 'Re: Größe 漢字 👩‍🚀 invoice', 'Bob <bob@example.org>', '["kept@postern.test"]', '[]', '[]', '{}'
    UNION ALL SELECT 1795241000000000, 14, 2, 13, 'parsed', NULL, NULL, 0.0, NULL, 0, 1, 'public@postern.test', printf('%.900c', 's'), '', '[]', '[]', '[]', '{}'
    UNION ALL SELECT 1795241500000000, 15, 2, 14, 'failed', NULL, NULL, 0.0, NULL, 0, 0, 'public@postern.test', '', '', '[]', '[]', '[]', '{}'
    UNION ALL SELECT 1795242000000000, 16, 3, 15, 'parsed', NULL, NULL, 0.0, NULL, 0, 0, 'left@postern.test', 'In a deleted inbox', 'x@example.org', '[]', '[]', '[]', '{}'
    UNION ALL SELECT 1795242500000000, 17, 4, 16, 'parsed', NULL, NULL, 0.0, NULL, 0, 0, 'eve@postern.test', 'Of a suspended account', 'x@example.org', '[]', '[]', '[]', '{}') m
  JOIN mail b ON b.no = m.raw;
INSERT INTO deleted_message (id, account_no, inbox_no, received_at, deleted_at) VALUES
  ('msg_00000000000000000000000000000099', 1, 1, 1795230000000000, 1795247000000000);
-- The index is filled up to the first of them.
INSERT INTO message_search (rowid, inbox, subject, sender) SELECT 1795240000000000, inbox, subject, sender FROM indexed;
INSERT INTO search_term (term) SELECT term FROM indexed_term;
UPDATE search_state SET indexed_to = 1795240000000000;
