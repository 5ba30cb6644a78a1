/** The role of the reader thread: runs every read that may take long. */

import { serveReads } from '../platform/store/read-thread.ts';
import { reads } from './reads.ts';

declare const self: Worker;
serveReads(reads, self);
