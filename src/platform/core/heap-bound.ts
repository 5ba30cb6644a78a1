import { totalmem } from 'node:os';

/** JavaScriptCore reads it once, when a process starts: how much memory it takes the machine to have. */
export const HEAP_BOUND = 'BUN_JSC_forceRAMSize';

/**
 * For the environment of a process that is to keep little garbage: the engine lets it grow with the machine's memory,
 * and with this takes the machine for one of so many bytes. It is no limit: who needs more gets more.
 */
export function heapBound(bytes: number): Record<string, string> {
  return { [HEAP_BOUND]: String(Math.min(bytes, totalmem())) };
}
