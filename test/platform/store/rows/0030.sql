-- The text of this mail is only in its bytes.
INSERT INTO raw (no, refs, size, envelope_from, helo, client_address, protocol, content, content_size)
  SELECT 21, 1, size, 'app@example.org', 'client.example', '192.0.2.7', 'ESMTP', both, json_size FROM mail WHERE no = 21;
INSERT INTO message (received_at, id, inbox_no, account_no, raw_no, status, otp_confidence, has_html, size, attachment_count, envelope_recipient, subject, "from", "to", cc, links, metadata, snippet)
  SELECT 1795247200000000, 'msg_00000000000000000000000000000021', 1, 1, 21, 'parsed', 0.0, 0, size, 0, 'kept@postern.test', 'A text in the bytes', 'app@example.org', '["kept@postern.test"]', '[]', '[]', '{}', 'In the bytes' FROM mail WHERE no = 21;
UPDATE arrival SET last_at = max(last_at, 1795247200000000);
