UPDATE message SET tags = '["later"]' WHERE received_at = 1795240500000000;
INSERT INTO message_tag (account_no, tag, received_at) VALUES (1, 'later', 1795240500000000);
