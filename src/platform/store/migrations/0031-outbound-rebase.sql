-- outbound/: a change of the wall clock that queued emails follow, until all of them have. before_at, now_at: what the clock would
-- have shown, and what it showed. last_no: the newest email then; later ones have the new time already. after_account_no, after_no:
-- the last email that followed in its turn.
CREATE TABLE outbound_rebase (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  before_at INTEGER NOT NULL,
  now_at INTEGER NOT NULL,
  last_no INTEGER NOT NULL,
  after_account_no INTEGER NOT NULL,
  after_no INTEGER NOT NULL
) STRICT;

-- outbound/: emails that followed a change of the clock before their turn, because they got a new time.
CREATE TABLE outbound_rebased (
  rebase_no INTEGER NOT NULL REFERENCES outbound_rebase (no) ON DELETE CASCADE,
  outbound_no INTEGER NOT NULL,
  PRIMARY KEY (rebase_no, outbound_no)
) STRICT, WITHOUT ROWID;
