/** The store's threads, which are entry points of their own because they are started by file name. */
export const threads = ['src/app/writer-thread.ts', 'src/app/reader-thread.ts'];

/** What the executable is built from: the program and its threads. */
export const entries = ['src/main.ts', ...threads];
