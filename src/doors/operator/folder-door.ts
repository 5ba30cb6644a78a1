/** Opens a data folder that no server has, with the control socket as the only door. */
import { resolve } from 'node:path';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { listenControl } from './control.ts';
import { openDataFolder } from './data-folder.ts';
import { answerTransfer } from './transfer.ts';
import { startWithoutDoors } from './without-doors.ts';

export interface FolderDoor {
  stop(): Promise<void>;
}

/** Null while another process has the folder. */
export async function openFolderDoor(loaded: LoadedSettings): Promise<FolderDoor | null> {
  const dataDir = resolve(loaded.settings.data_dir);
  const folder = await openDataFolder(dataDir);
  if (!folder) return null;
  try {
    const appliance = await startWithoutDoors(loaded, folder, false);
    const control = listenControl(
      dataDir,
      async () => ({ refused: 'A command is using the data folder; try again when it is done.' }),
      (request) => answerTransfer(appliance, request),
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
