import { totalmem } from 'node:os';

/** The memory that JavaScriptCore assumes the machine to have. It reads the variable once, when a process starts. */
export const HEAP_BOUND = 'BUN_JSC_forceRAMSize';

/**
 * Turns off JavaScriptCore's last and slowest compiler. The work of the main and writer threads is short and varied, so
 * compiling with it costs 30 µs per mail and saves less. Parsers profit from it and keep it.
 */
export const WITHOUT_LAST_COMPILER = { BUN_JSC_useFTLJIT: '0' };

/**
 * Returns the environment of a process that should keep little garbage. The engine lets garbage grow with the machine's
 * memory, and this makes it assume less of that. It is not a limit: a process that needs more gets more.
 */
export function makeHeapEnv(bytes: number): Record<string, string> {
  return { [HEAP_BOUND]: String(Math.min(bytes, totalmem())) };
}
