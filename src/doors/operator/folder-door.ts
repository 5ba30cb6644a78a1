/** Opens a data folder that no server has, with the control socket as the only door. */
import { resolve } from 'node:path';
import { systemClock } from '../../platform/core/clock.ts';
import { createLog } from '../../platform/core/log.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { answerBulk } from './bulk.ts';
import { listenControl } from './control.ts';
import { openDataFolder, requireStore } from './data-folder.ts';

export interface FolderDoor {
  stop(): Promise<void>;
}

/** Null while another process has the folder. */
export async function openFolderDoor({
  settings,
  limits,
  plans,
}: LoadedSettings): Promise<FolderDoor | null> {
  const dataDir = resolve(settings.data_dir);
  const folder = await openDataFolder(dataDir);
  if (!folder) return null;
  try {
    // Another process opened the folder, but has created no store.
    requireStore(dataDir);
    const { startAppliance } = await import('../../app/app.ts');
    const write = (text: string) => process.stderr.write(text);
    const log = createLog({
      form: 'pretty',
      level: 'warn',
      colour: false,
      write,
      nowUs: systemClock.nowUs,
    });
    for (const warning of folder.warnings) log.warn(warning);
    const options = { settings, limits, plans, log, doors: false, dataDir: folder.path, key: folder.key };
    const appliance = await startAppliance({ ...options, hasReserve: true });
    const control = listenControl(
      dataDir,
      async () => ({ refused: 'A command is using the data folder; try again when it is done.' }),
      (request) => answerBulk(appliance, request),
    );
    return {
      async stop() {
        try {
          await control.stop();
          await appliance.stop();
        } finally {
          folder.release();
        }
      },
    };
  } catch (fault) {
    folder.release();
    throw fault;
  }
}
