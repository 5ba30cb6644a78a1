INSERT INTO authentication (raw_no, verdicts) VALUES
  (11, '{"spf":{"result":"pass","domain":"shop.example","reason":null},"dkim":[{"result":"pass","domain":"shop.example","selector":"s1","reason":null,"aligned":true}],"dmarc":{"result":"pass","domain":"shop.example","reason":null,"policy":"reject"}}'),
  (12, '{"spf":{"result":"none","domain":"example.org","reason":"größe"},"dkim":[],"dmarc":{"result":"fail","domain":"example.org","reason":null,"policy":"none"}}'),
  (16, NULL);
