/** For commands that ask many times: the server of the data folder, or for as long as they run one without doors. */
import { lchownSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import type { LoadedSettings } from '../core/settings.ts';
import { answerBulk } from './bulk.ts';
import { OperatorError } from './command.ts';
import { askControl, listenControl } from './control.ts';
import { NOWHERE, openDataFolder, requireStore } from './data-folder.ts';

export type Ask = (path: string, body?: Uint8Array) => Promise<Response>;

export async function withServer<Result>(
  { settings, limits, plans }: LoadedSettings,
  run: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  if (settings.data_dir === NOWHERE) {
    throw new OperatorError(
      'The data folder is :memory:. Set POSTERN_DATA_DIR to the folder that the server names.',
    );
  }
  const data_dir = resolve(settings.data_dir);
  const ask: Ask = async (path, body) => {
    const answer = await askControl(data_dir, path, body);
    if (!answer) throw new OperatorError('The server ended meanwhile.');
    return answer;
  };
  if (await askControl(data_dir, '/ping')) return run(ask);
  requireStore(data_dir);
  const folder = await openDataFolder(data_dir);
  if (!folder)
    throw new OperatorError(`Another Postern has the data folder ${data_dir} and does not answer.`);
  try {
    const { startAppliance } = await import('../app.ts');
    const write = (text: string) => process.stderr.write(text);
    const log = createLog({
      form: 'pretty',
      level: 'warn',
      colour: false,
      write,
      now_us: systemClock.now_us,
    });
    const options = { settings, limits, plans, log, doors: false, data_dir: folder.path, key: folder.key };
    const appliance = await startAppliance(options);
    const control = listenControl(
      data_dir,
      async () => ({ refused: 'A command has the data folder; try again when it is done.' }),
      (request) => answerBulk(appliance, request),
    );
    try {
      return await run(ask);
    } finally {
      await control.stop();
      await appliance.stop();
      giveToOwner(data_dir);
    }
  } finally {
    folder.release();
  }
}

/** Root stays root here, since the files that it names may be its own; what it made in the folder is given away. */
function giveToOwner(data_dir: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(data_dir);
  if (uid === 0) return;
  const made = ['lock.db', 'postern.db', 'server.key', 'spool', 'tls', 'run', 'migration-copy'];
  for (const name of readdirSync(data_dir, { recursive: true, encoding: 'utf8' })) {
    if (!made.some((own) => name.startsWith(own))) continue;
    try {
      lchownSync(join(data_dir, name), uid, gid);
    } catch {
      // Gone meanwhile.
    }
  }
}
