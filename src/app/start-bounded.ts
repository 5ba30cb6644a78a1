import { HEAP_BOUND, makeHeapEnv, WITHOUT_LAST_COMPILER } from '../platform/core/heap-bound.ts';
import { restart } from '../platform/system/restart.ts';

/**
 * The memory that the engine assumes the machine to have, which bounds its garbage (platform/core/heap-bound.ts). Under a flood of
 * mail the appliance uses 227 to 240 MB with it, and 251 to 305 without, at the same speed (measured; a bound of 150 MB was
 * slower). It is set here, not in the systemd unit, so that it applies however the program is started.
 */
const BYTES = 512 * 1024 * 1024;

/**
 * Restarts this program, once, with a bound on its garbage and without the last compiler: JavaScriptCore reads these options only
 * when it starts. If it fails, the program goes on unbounded.
 */
export function startBounded(): void {
  if (process.env[HEAP_BOUND] !== undefined) return;
  try {
    restart({ ...makeHeapEnv(BYTES), ...WITHOUT_LAST_COMPILER });
  } catch {
    // Not Linux.
  }
}
