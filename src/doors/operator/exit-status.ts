/** Exit statuses that mean the same for every command. `--help` explains them. */
export const DONE = 0;
export const FAILED = 1;
export const WRONG_USAGE = 2;
/** Of a command that waited in vain. */
export const TIMED_OUT = 4;
