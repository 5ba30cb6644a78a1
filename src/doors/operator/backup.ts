/** Backups are made in this process, beside a running server, so that its answers are not delayed. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { isoTime, isoTimeOrNull, systemClock } from '../../platform/core/clock.ts';
import { readCode } from '../../platform/core/thrown.ts';
import { type Contents, makeBackup } from '../../platform/store/backup.ts';
import { deleteOldest, setAside } from '../../platform/store/kept-backups.ts';
import { explainFullDisk } from '../../platform/store/reserve.ts';
import { type OpenBackup, openBackup, type Restored, restoreBackup } from '../../platform/store/restore.ts';
import { formatAmount } from './amount.ts';
import { actAsOwner, openAsOwner } from './as-owner.ts';
import { given, type LocalCommand, OperatorError, readCount } from './command.ts';
import { openForBackup, openForRestore, TEMPORARY_FOLDER } from './data-folder.ts';
import { requireParent } from './file-fault.ts';
import { makeProgressLine } from './progress.ts';
import { formatFields } from './table.ts';

/** Stops a mistyped number from keeping backups until the disk is full. */
const KEEP_MAX = 1_000;
const readKeep = (text: string) => readCount('keep', text, KEEP_MAX);

/** Mail and requests have priority. */
const NICENESS = 10;

const fileArgument = { name: 'FILE', meaning: 'the backup file' };

export const backup: LocalCommand = {
  name: 'backup',
  meaning: "copy the store and the server's key into one verified file, while the server runs",
  arguments: [fileArgument],
  flags: [
    {
      name: 'keep',
      value: 'N',
      check: readKeep,
      meaning:
        'keep N backups: the previous one is renamed with the time it was made, and the oldest are deleted',
    },
  ],
  examples: [
    'postern backup /srv/backups/postern.db --data-dir /var/lib/postern',
    'postern backup /srv/backups/postern.db --keep 7 --data-dir /var/lib/postern',
  ],
  async runHere({ input, json, loaded }) {
    // Without it, the backup replaces an existing one of that name.
    const keep = input.keep === undefined ? null : readKeep(input.keep);
    const dataDir = requireFolder(loaded.settings.data_dir);
    const file = resolve(given(input, 'file'));
    requireParent(file);
    refuseReadOnly(dataDir);
    // A backup contains all mail, and the key to the secrets.
    process.umask(0o077);
    setPriority(NICENESS);
    // Root's backup belongs to root, except in the data folder, whose owner could swap the file while it is written.
    if (isInside(dirname(file), dataDir)) await actAsOwner(dataDir);
    const source = await openAsOwner(dataDir, () => openForBackup(dataDir));
    const progress = makeProgressLine('copied');
    const nowUs = systemClock.nowUs();
    const onVerified = () => void (keep !== null && setAside(file));
    const made = await makeBackup({ source, file, nowUs, onVerified, onProgress: progress.show })
      .catch((fault: unknown) => {
        throw explainNoSpace(fault, file);
      })
      .finally(() => source.database.close());
    progress.end();
    const deleted = keep === null ? [] : deleteOldest(file, keep, nowUs);
    const output = {
      file,
      made_at: isoTime(nowUs),
      ...viewContents(made),
      ...(keep !== null && { deleted }),
    };
    process.stdout.write(`${json ? JSON.stringify(output) : formatContents(output)}\n`);
    return 0;
  },
};

/** Throws on a disk that the kernel made read-only after an error, say, because there the store can't be locked. */
function refuseReadOnly(dataDir: string): void {
  try {
    accessSync(dataDir, constants.W_OK);
  } catch (fault) {
    if (readCode(fault) !== 'EROFS') return;
    throw new OperatorError(
      `The data folder ${dataDir} is on a read-only file system, so its store can't be opened. Copy the folder to ` +
        'another disk, and back up the copy: --data-dir with its path.',
    );
  }
}

/** SQLite's own error says neither which disk is full nor what to do. */
function explainNoSpace(fault: unknown, file: string): unknown {
  if (readCode(fault) !== 'SQLITE_FULL') return fault;
  return new OperatorError(
    `There is no space left for ${file}. Free some on its disk, or give a path on another one.`,
  );
}

export const restore: LocalCommand = {
  name: 'restore',
  meaning: 'replace the store with a backup; the server must be stopped. The old store is kept beside it',
  arguments: [fileArgument],
  examples: ['postern restore /srv/backups/postern.db --data-dir /var/lib/postern'],
  async runHere({ input, json, loaded }) {
    const dataDir = requireFolder(loaded.settings.data_dir);
    const file = resolve(given(input, 'file'));
    const opened = await openAndActAsOwner(file, dataDir);
    const lock = await openForRestore(dataDir);
    try {
      const done = restoreOrExplain(opened, dataDir);
      const madeAt = isoTimeOrNull(done.made_at);
      const output = { file, data_dir: dataDir, made_at: madeAt, kept: done.kept, ...viewContents(done) };
      process.stdout.write(`${json ? JSON.stringify(output) : formatContents(output)}\n`);
      return 0;
    } finally {
      lock.release();
    }
  },
};

function restoreOrExplain(opened: OpenBackup, dataDir: string): Restored {
  try {
    return restoreBackup(opened, dataDir, systemClock.nowUs());
  } catch (fault) {
    // An error after the decision has no code, but its own text (platform/store/restore.ts).
    const reason = fault instanceof Error && 'code' in fault ? explainFullDisk(fault, dataDir) : null;
    throw reason === null ? fault : new OperatorError(reason);
  }
}

/** Opens the backup as root, because the folder's owner may not be able to read it, unless it is in that folder. */
async function openAndActAsOwner(file: string, dataDir: string): Promise<OpenBackup> {
  if (isInside(dirname(file), dataDir)) await actAsOwner(dataDir);
  if (!existsSync(file)) throw new OperatorError(`File ${file} does not exist.`);
  if (!statSync(file).isFile())
    throw new OperatorError(`${file} is not a regular file, so it is not a backup.`);
  const opened = openBackup(file);
  await actAsOwner(dataDir);
  return opened;
}

/** Compares real paths: through a link, a file in the folder could look like one outside it. */
function isInside(folder: string, dataDir: string): boolean {
  if (!existsSync(folder) || !existsSync(dataDir)) return false;
  return `${realpathSync(folder)}${sep}`.startsWith(`${realpathSync(dataDir)}${sep}`);
}

function requireFolder(dataDir: string): string {
  if (dataDir !== TEMPORARY_FOLDER) return resolve(dataDir);
  throw new OperatorError("The data folder is :memory:. Set POSTERN_DATA_DIR to the server's data folder.");
}

function viewContents({ size, schema, rows }: Contents) {
  return {
    size,
    schema,
    accounts: rows.account ?? 0,
    inboxes: rows.inbox ?? 0,
    messages: rows.message ?? 0,
    rows,
  };
}

function formatContents(
  output: ReturnType<typeof viewContents> & {
    file: string;
    made_at: string | null;
    kept?: string | null;
    deleted?: readonly string[];
  },
) {
  const { accounts, inboxes, messages, deleted } = output;
  return formatFields([
    ['file', output.file],
    ['made', output.made_at],
    ['size', `${output.size} bytes, schema ${output.schema}`],
    [
      'holds',
      `${formatAmount(accounts, 'account')}, ${formatAmount(inboxes, 'inbox', 'inboxes')}, ${formatAmount(messages, 'message')}; checked`,
    ],
    ...(output.kept ? [['replaced store', output.kept] as [string, string]] : []),
    ...(deleted?.length ? [['deleted', deleted.join(', ')] as [string, string]] : []),
  ]);
}
