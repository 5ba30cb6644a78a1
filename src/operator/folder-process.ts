/**
 * The role `folder`: opens the data folder of another user for a command of root's, as that user. The command itself
 * stays root, since the files that it reads or writes may be root's own.
 */
import type { LoadedSettings } from '../core/settings.ts';
import { actAsOwner } from './as-owner.ts';
import { type FolderDoor, openFolderDoor } from './folder-door.ts';

export type FolderProcessSays = { ready: true } | { refused: string };

let door: FolderDoor | undefined;

process.once('message', async (loaded: LoadedSettings) => {
  const say = (said: FolderProcessSays) => process.send!(said);
  try {
    await actAsOwner(loaded.settings.data_dir);
    door = await openFolderDoor(loaded);
    say({ ready: true });
  } catch (fault) {
    say({ refused: fault instanceof Error ? fault.message : String(fault) });
  }
});
// The command is done, or was ended.
process.on('disconnect', () => void Promise.resolve(door?.stop()).finally(() => process.exit(0)));
