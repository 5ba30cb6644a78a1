import { totalmem } from 'node:os';

/** JavaScriptCore reads it once at the start of a process: the memory it assumes the machine to have. */
export const HEAP_BOUND = 'BUN_JSC_forceRAMSize';

/**
 * JavaScriptCore's last and slowest compiler. In the main and writer threads, whose work is short and varied, compiling
 * with it takes 30 µs of each mail and saves less; parsers profit from it and keep it.
 */
export const WITHOUT_LAST_COMPILER = { BUN_JSC_useFTLJIT: '0' };

/**
 * Environment for a process that should keep little garbage: the engine lets garbage grow with the machine's memory,
 * and this makes it assume fewer bytes. It is not a limit: a process that needs more gets more.
 */
export function heapBound(bytes: number): Record<string, string> {
  return { [HEAP_BOUND]: String(Math.min(bytes, totalmem())) };
}
