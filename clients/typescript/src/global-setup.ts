/** The global set-up of Vitest and Jest: one Postern for the run, unless `POSTERN_URL` names one. */
import { openForRun } from './plugins/run.js';

/** Returns the function that stops it, which Vitest calls. With Jest it ends with the run. */
export default async function startForRun(): Promise<() => Promise<void>> {
  const { stop } = await openForRun();
  return stop;
}
