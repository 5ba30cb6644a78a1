/** The writer thread, which notes the transaction of each mail and its commit. The argument is the file for the times. */
import '../../../src/app/writer-thread.ts';
import { noteCommits } from './note-commits.ts';

noteCommits(process.argv.at(-1)!);
