/**
 * The process role `folder`: opens another user's data folder as that user, for a command that root runs. The command
 * itself stays root, because its files may be root's.
 */
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { actAsOwner } from './as-owner.ts';
import { type FolderDoor, openFolderDoor } from './folder-door.ts';

/** `ready: false` means that another process has the folder at the moment. */
export type FolderProcessMessage = { ready: boolean } | { refused: string };

let door: FolderDoor | null | undefined;

process.once('message', async (loaded: LoadedSettings) => {
  const say = (said: FolderProcessMessage) => process.send!(said);
  try {
    await actAsOwner(loaded.settings.data_dir);
    door = await openFolderDoor(loaded);
    say({ ready: door !== null });
  } catch (fault) {
    say({ refused: readReason(fault) });
  }
});
// Ctrl-C reaches this process too, but a mail may be half stored. The command decides when to stop, and disconnects.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
// The command has finished or died.
process.on('disconnect', () => void Promise.resolve(door?.stop()).finally(() => process.exit(0)));
