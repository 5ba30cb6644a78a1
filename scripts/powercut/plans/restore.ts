/**
 * `postern restore` of another server's backup, with another server.key, and the first start after it. Whenever the
 * power fails, the old store has the old key or the new store the new key, and what was replaced is kept complete.
 */
import { Database } from 'bun:sqlite';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { posternJson, type Serving } from '../../../test/doors/operator/command-process.ts';
import { checkFolder } from '../check.ts';
import type { Findings } from '../findings.ts';
import { type Notes, openLoad } from '../load.ts';
import {
  type CutFolder,
  findDelicateCuts,
  findSteps,
  type Plan,
  type Recording,
  range,
  recordIn,
  type Stage,
} from '../plan.ts';
import { type Marked, type Promises, promisesAt } from '../promises.ts';
import { Api, end, makeSettings, readDoors, serve } from '../server.ts';

const MAILS = 30;
const INBOXES = 2;
const OLD_EMAIL = 'old@example.org';
const NEW_EMAIL = 'new@example.org';

interface RestoreRecording extends Recording {
  /** Promises of the backup's own server. */
  backedUp: Marked[];
  oldKey: Buffer;
}

async function record(stage: Stage): Promise<RestoreRecording> {
  const { work } = stage;
  const other = makeSettings(join(work.folder('other-server'), 'data'));
  const file = join(work.folder('other-server'), 'backup.db');
  const backedUp: Marked[] = [];
  const notes = { mark: async (mark: Marked['mark']) => void backedUp.push({ n: 0, mark }) };
  const refused = await fill(other, NEW_EMAIL, notes);
  await posternJson(['backup', file], other);
  const files = work.folder('restore-files');
  let oldKey = Buffer.alloc(0);
  const recording = await recordIn(stage, 'restore', files, async (fs) => {
    const settings = makeSettings(join(fs.mount, 'data'));
    refused.push(...(await fill(settings, OLD_EMAIL, fs)));
    oldKey = readFileSync(join(files, 'data/server.key'));
    await fs.mark({ is: 'step', step: 'restore begins' });
    await posternJson(['restore', file], settings);
    await fs.mark({ is: 'step', step: 'restore done' });
    const server = await serve(settings);
    await fs.mark({ is: 'ready' });
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return refused;
  });
  return { ...recording, backedUp, oldKey };
}

/** A stopped server with an account, inboxes, a webhook (whose secret is sealed) and mail. Returns refusals. */
async function fill(settings: Record<string, string>, email: string, notes: Notes): Promise<string[]> {
  const server = await serve(settings);
  const load = await openLoad(settings, email, notes);
  for (let index = 0; index < INBOXES; index++) {
    const { address } = await load.makeInbox(server.ready.http);
    await posternJson(['webhook', 'set', address, '--url', 'https://hooks.example.org/'], settings);
  }
  await load.run(readDoors(server), MAILS);
  await end(server, 'SIGTERM');
  return load.refused;
}

async function check(folder: CutFolder, recording: Recording) {
  const { marks, backedUp, oldKey } = recording as RestoreRecording;
  const [old, fresh] = [promisesAt(marks, folder.n), promisesAt(backedUp, folder.n)];
  const isDone = findSteps(recording, 'restore done')[0]! <= folder.n;
  let isNew = false;
  const promises = async (server: Serving, findings: Findings): Promise<Promises | null> => {
    isNew = await hasKey(server, fresh.keys[0]!);
    if (isNew) return fresh;
    if (isDone) findings.add('other', 'the restore reported success, but the new store is missing');
    if (await hasKey(server, old.keys[0]!)) return old;
    findings.add('lost', 'neither the old store nor the new one exists');
    return null;
  };
  const inspect = (dataDir: string, findings: Findings) => {
    if (isNew) checkKept(dataDir, oldKey, findings);
  };
  return checkFolder({ folder, promises, inspect });
}

async function hasKey(server: Serving, key: string): Promise<boolean> {
  return (await new Api(server.ready.http, key).call('GET', '/account')).status === 200;
}

/** With the new store in place, the old one is in a folder beside it, with its key. */
function checkKept(dataDir: string, oldKey: Buffer, findings: Findings): void {
  const kept = readdirSync(dataDir).filter((name) => name.startsWith('replaced-'));
  const faults = kept.map((name) => findKeptFault(join(dataDir, name), oldKey));
  if (faults.length === 0) findings.add('copy', 'the old store was not kept');
  else if (!faults.includes(null)) findings.add('copy', `the old store was kept, and ${faults.join('; ')}`);
}

function findKeptFault(folder: string, oldKey: Buffer): string | null {
  const [key, store] = [join(folder, 'server.key'), join(folder, 'postern.db')];
  if (!existsSync(store)) return 'its postern.db is missing';
  if (!existsSync(key)) return 'its server.key is missing';
  if (!readFileSync(key).equals(oldKey)) return 'its server.key is not the old one';
  const database = new Database(store);
  try {
    const sound = database.query('PRAGMA integrity_check(1)').values().flat().join();
    const email = database.query('SELECT email FROM user').values().flat().join();
    return sound === 'ok' && email === OLD_EMAIL ? null : `its postern.db is not sound: ${sound}, ${email}`;
  } catch (fault) {
    return `its postern.db can't be read: ${(fault as Error).message}`;
  } finally {
    database.close();
  }
}

export const restore: Plan = {
  name: 'restore',
  meaning: "a restore of another server's backup, and the first start after it",
  recording: 'restore',
  weight: 20,
  record,
  cuts: (recording) => {
    const [from] = findSteps(recording, 'restore begins');
    const [to] = findSteps(recording, 'end');
    return [findDelicateCuts(recording, from!, to!), range(from!, to!)];
  },
  check,
};
