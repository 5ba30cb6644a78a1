/** Starts the program on a data folder that no server has, without any doors. */
import type { Appliance } from '../../app/app.ts';
import { systemClock } from '../../platform/core/clock.ts';
import { createLog } from '../../platform/core/log.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { type DataFolder, requireStore } from './data-folder.ts';

/**
 * Starts an appliance for a command. Its warnings go to standard error, because standard output is for the command.
 *
 * @param mayMakeStore Without it, throws if the folder has no store: another process may have opened the folder and
 *   created none.
 */
export async function startWithoutDoors(
  { settings, limits, plans }: LoadedSettings,
  folder: DataFolder,
  mayMakeStore: boolean,
): Promise<Appliance> {
  const { startAppliance } = await import('../../app/app.ts');
  const write = (text: string) => process.stderr.write(text);
  const log = createLog({ form: 'pretty', level: 'warn', colour: false, write, nowUs: systemClock.nowUs });
  for (const warning of folder.warnings) log.warn(warning);
  if (!mayMakeStore) requireStore(folder.path);
  return startAppliance({
    settings,
    limits,
    plans,
    log,
    doors: false,
    dataDir: folder.path,
    hasReserve: true,
    key: folder.key,
  });
}
