/** The role of the writer thread: runs every write operation, on one connection. */
import { serveWrites } from '../platform/store/write-loop.ts';
import { writes } from './writes.ts';

declare const self: Worker;
serveWrites(writes, self);
