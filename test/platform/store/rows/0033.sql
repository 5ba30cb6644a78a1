UPDATE identity SET email = 'größe@example.org' WHERE user_no = 2;
UPDATE session SET issuer = 'https://id.example' WHERE no = 1;
UPDATE api_key SET made_by_operator = 1 WHERE no = 1;
