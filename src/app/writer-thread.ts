/** The role of the writer thread: every write operation, one connection. */
import { serveWrites } from '../platform/store/group-commit.ts';
import { writes } from './writes.ts';

declare const self: Worker;
serveWrites(writes, self);
