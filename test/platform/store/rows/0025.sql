INSERT INTO identity (user_no, issuer, subject, created_at) VALUES
  (2, 'https://id.example', 'größe|1', 1795247000000000),
  (3, 'https://id.example', 'größe|1', 1795247000000000);
