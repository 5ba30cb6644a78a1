-- Half done: mail 11 is repacked.
UPDATE raw SET content = (SELECT both FROM mail WHERE no = 11), content_size = (SELECT json_size FROM mail WHERE no = 11), bytes = NULL WHERE no = 11;
UPDATE repacking SET done_no = 11;
