/** For commands that make many requests: uses the data folder's server, or runs one without doors in the meantime. */
import { join, resolve } from 'node:path';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { findForeignOwner } from './as-owner.ts';
import { OperatorError } from './command.ts';
import { askControl } from './control.ts';
import { requireStore, TEMPORARY_FOLDER, wasOpened } from './data-folder.ts';
import { type FolderDoor, openFolderDoor } from './folder-door.ts';
import type { FolderProcessMessage } from './folder-process.ts';
import { BUSY_MS_MAX, makeBusyError, TRY_AGAIN_MS } from './run-store-command.ts';

export type Ask = (path: string, body?: Uint8Array) => Promise<Response>;

export async function withServer<Result>(
  loaded: LoadedSettings,
  run: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  if (loaded.settings.data_dir === TEMPORARY_FOLDER) {
    throw new OperatorError(
      'The data folder is :memory:. Set POSTERN_DATA_DIR to the folder that the server prints.',
    );
  }
  const dataDir = resolve(loaded.settings.data_dir);
  const ask: Ask = async (path, body) => {
    const answer = await askControl(dataDir, path, body);
    if (!answer) throw new OperatorError('The server has stopped.');
    return answer;
  };
  const giveUpMs = performance.now() + BUSY_MS_MAX;
  while (performance.now() < giveUpMs) {
    if (await askControl(dataDir, '/ping')) return run(ask);
    if (!wasOpened(dataDir)) requireStore(dataDir);
    const door = findForeignOwner(dataDir) ? await openInProcess(loaded) : await openFolderDoor(loaded);
    if (door) return run(ask).finally(() => door.stop());
    await Bun.sleep(TRY_AGAIN_MS);
  }
  throw makeBusyError(dataDir);
}

/** Opens the folder in a process that runs as its owner. This one stays root: files on its command line may be root's. */
async function openInProcess(loaded: LoadedSettings): Promise<FolderDoor | null> {
  const compiled = import.meta.path.startsWith('/$bunfs');
  const own = [
    process.execPath,
    ...(compiled ? [] : [...process.execArgv, join(import.meta.dir, '../../main.ts')]),
  ];
  const said = Promise.withResolvers<FolderProcessMessage>();
  const child = Bun.spawn([...own, '--role=folder'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (message: FolderProcessMessage) => said.resolve(message),
    onExit: () =>
      said.resolve({ refused: 'The process that opened the data folder as its owner has ended.' }),
  });
  const stop = async () => {
    child.disconnect();
    await child.exited;
  };
  child.send(loaded);
  const answer = await said.promise;
  if ('ready' in answer && answer.ready) return { stop };
  await stop();
  if ('ready' in answer) return null;
  throw new OperatorError(answer.refused);
}
