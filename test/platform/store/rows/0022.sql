UPDATE inbox SET senders = 2 WHERE no = 5;
INSERT INTO sender_entry (inbox_no, entry, list) VALUES (5, '*.shop.example', 'allow'), (5, 'ann@shop.example', 'allow'), (5, 'xn--bcher-kva.example', 'block');
INSERT INTO raw (no, refs, size, envelope_from, helo, client_address, protocol, content, bytes)
  SELECT 19, 1, size, 'x@example.org', 'client.example', '192.0.2.7', 'ESMTP', content, bytes FROM mail WHERE no = 15;
INSERT INTO withheld (at, id, inbox_no, account_no, raw_no, reason, envelope_recipient, size, metadata, summary)
  SELECT 1795244000000000, 'msg_00000000000000000000000000000019', 5, 1, 19, 'not_allowed', 'off@postern.test', size, '{}',
    '{"status":"parsed","from":"x@example.org","to":[],"cc":[],"subject":"Withheld größe","otp":null,"otp_confidence":0,"magic_link":null,"links":[],"has_html":false,"attachment_count":0,"tags":["t"],"snippet":"x","ref":null,"refs":[]}'
  FROM mail WHERE no = 15;
