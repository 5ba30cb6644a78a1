/** The role of the reader thread: reads that may take long. */
import { reads } from './reads.ts';
import { serveReads } from './store/read-thread.ts';

declare const self: Worker;
serveReads(reads, self);
