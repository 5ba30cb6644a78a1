/** Runs a command where the store is open: in the server that has it, or here, without any doors. */
import { resolve } from 'node:path';
import { actAs, OPERATOR } from '../../platform/core/actor.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { actAsOwner } from './as-owner.ts';
import { findBaseUrl } from './base-url.ts';
import { type Input, type Operating, OperatorError, type StoreCommand } from './command.ts';
import { callControl, type Ran } from './control.ts';
import { type DataFolder, openDataFolder, requireStore, TEMPORARY_FOLDER, wasOpened } from './data-folder.ts';
import { startWithoutDoors } from './without-doors.ts';

/** How long to wait for a server that has the folder but does not answer, because it is starting or stopping. */
export const BUSY_MS_MAX = 10_000;
export const TRY_AGAIN_MS = 50;

export async function runStoreCommand(
  command: StoreCommand,
  input: Input,
  loaded: LoadedSettings,
): Promise<Ran> {
  const { data_dir } = loaded.settings;
  if (data_dir === TEMPORARY_FOLDER) {
    throw new OperatorError(
      'The data folder is :memory:, which only the server itself can access. Set POSTERN_DATA_DIR to the folder ' +
        'that the server prints when it starts.',
    );
  }
  const giveUpMs = performance.now() + BUSY_MS_MAX;
  while (performance.now() < giveUpMs) {
    const answer = await callControl(resolve(data_dir), { command: command.name, input });
    if (answer) return answer;
    if (!command.makesStore && !wasOpened(data_dir)) requireStore(data_dir);
    await actAsOwner(data_dir);
    try {
      const folder = await openDataFolder(data_dir);
      if (folder) return await runHere(command, input, loaded, folder);
    } catch (fault) {
      if (!command.cannotOpen) throw fault;
      return { output: command.cannotOpen(fault), base_url: findBaseUrl(loaded.settings, null) };
    }
    await Bun.sleep(TRY_AGAIN_MS);
  }
  throw makeBusyError(resolve(data_dir));
}

/** Returns the error for a folder whose process does not answer within BUSY_MS_MAX. */
export function makeBusyError(dataDir: string): OperatorError {
  return new OperatorError(
    `Another Postern is using the data folder ${dataDir} and does not answer. Wait for it, or stop it.`,
  );
}

async function runHere(
  command: StoreCommand,
  input: Input,
  loaded: LoadedSettings,
  folder: DataFolder,
): Promise<Ran> {
  try {
    const appliance = await startWithoutDoors(loaded, folder, command.makesStore === true);
    try {
      if (folder.isNew) process.stderr.write(`Created a new store in ${folder.path}.\n`);
      const operating = { services: appliance.services, base_url: findBaseUrl(loaded.settings, null) };
      return await runAsOperator(command, operating, input);
    } finally {
      await appliance.stop();
    }
  } finally {
    folder.release();
  }
}

/** Runs a command in the process that has the store open. */
export async function runAsOperator(command: StoreCommand, operating: Operating, input: Input): Promise<Ran> {
  const output = await actAs(OPERATOR, () => command.run(operating, input));
  const warning = command.warn?.(operating, output as never) ?? null;
  return { output, base_url: operating.base_url, ...(warning !== null && { warning }) };
}
