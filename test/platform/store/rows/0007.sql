INSERT INTO mta_sts (domain, id, policy, expires_at) VALUES
  ('far.example', '20261101', '{"mode":"enforce","mx":["mx.far.example","*.far.example"]}', 1797840000000000),
  ('old.example', '1', '{"mode":"none","mx":[]}', 2);
