import { totalmem } from 'node:os';

/** JavaScriptCore reads it once at the start of a process: the memory it assumes the machine to have. */
export const HEAP_BOUND = 'BUN_JSC_forceRAMSize';

/**
 * Environment for a process that should keep little garbage: the engine lets garbage grow with the machine's memory,
 * and this makes it assume fewer bytes. It is not a limit: a process that needs more gets more.
 */
export function heapBound(bytes: number): Record<string, string> {
  return { [HEAP_BOUND]: String(Math.min(bytes, totalmem())) };
}
