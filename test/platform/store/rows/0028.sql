INSERT INTO passkey (no, id, user_no, rp_id, credential_id, public_key, user_handle, sign_count, transports, is_synced, name, created_at, used_at) VALUES
  (1, 'pkey_00000000000000000000000000000001', 2, 'mail.example', x'00ff0102', x'a5010203262001', 'AowevunR0Jw7huwoIq20Zp2G-WwoOnMaoH-yMCDnHWM', 4294967295, '["internal","hybrid"]', 1, 'Läptop 👩‍🚀', 1795247000000000, 1795247500000000),
  (2, 'pkey_00000000000000000000000000000002', 3, 'mail.example', x'00ff0102', x'a5010203262001', 'AowevunR0Jw7huwoIq20Zp2G-WwoOnMaoH-yMCDnHWM', 0, '[]', 0, '', 1795247000000000, NULL);
INSERT INTO passkey_challenge (hash, expires_at) VALUES (x'00ff00000000000000000000000000000000000000000000000000000000ee01', 1795248300000000);
