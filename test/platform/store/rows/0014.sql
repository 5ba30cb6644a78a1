INSERT INTO account (no, id, name, email, plan, kind, status, custom_domains, outbound, operator, created_at, last_active_at, deleted_at, suspended_at, trap) VALUES
  (5, 'acct_00000000000000000000000000000005', 'trap', 'trap@example.org', 'pro', 'standard', 'active', 0, 0, 0, 1795200000000000, 1795200000000000, NULL, NULL, 1);
INSERT INTO inbox (no, id, account_no, address, routing_key, label, is_public, is_enabled, metadata, month, month_count, created_at, updated_at, is_trap) VALUES
  (7, 'inbox_00000000000000000000000000000007', 5, 'kept@postern.test', '', '', 0, 1, '{}', '2026-11', 1, 1795240000000000, 1795240000000000, 1);
INSERT INTO raw (no, refs, size, envelope_from, helo, client_address, protocol, content, bytes, smtp_user)
  SELECT 18, 1, size, 'app@example.org', 'app', '127.0.0.1', 'ESMTPA', content, bytes, 'größe' FROM mail WHERE no = 16;
INSERT INTO message (received_at, id, inbox_no, account_no, raw_no, status, otp_confidence, has_html, size, attachment_count, envelope_recipient, subject, "from", "to", cc, links, metadata)
  SELECT 1795243000000000, 'msg_00000000000000000000000000000018', 7, 5, 18, 'parsed', 0.0, 0, size, 0, 'kept@postern.test', 'In a trap', 'app@example.org', '[]', '[]', '[]', '{}' FROM mail WHERE no = 16;
