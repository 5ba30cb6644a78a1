UPDATE message SET tags = '["alpha","b_1","alpha"]' WHERE received_at = 1795240000000000;
UPDATE message SET tags = '[]' WHERE received_at = 1795240000000001;
UPDATE message SET tags = '["in-a-deleted-inbox"]' WHERE received_at = 1795242000000000;
