-- From now on jobs merge the index, a little at a time (messages/index-search.ts).
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 0);
