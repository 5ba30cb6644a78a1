/** Names and sizes of the data folder's files that several parts of the program open. */

/** The store: a database of SQLite. */
export const STORE_FILE = 'postern.db';
/** Its write-ahead log, and the log's index in shared memory (sqlite.org/walformat.html). */
export const STORE_LOG_FILE = `${STORE_FILE}-wal`;
export const STORE_INDEX_FILE = `${STORE_FILE}-shm`;
/** Locked by the process that has the folder; its content does not matter. */
export const LOCK_FILE = 'lock.db';
/** The key that seals the secrets in the store. */
export const SERVER_KEY_FILE = 'server.key';
export const SERVER_KEY_BYTES = 32;
