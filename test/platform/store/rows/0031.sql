INSERT INTO outbound_rebase (no, before_at, now_at, last_no, after_account_no, after_no) VALUES (1, 1795247000000000, 1795247600000000, 5, 1, 2);
INSERT INTO outbound_rebased (rebase_no, outbound_no) VALUES (1, 5);
