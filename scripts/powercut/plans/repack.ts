/**
 * A store that an earlier version filled, while its mails are repacked (src/features/ingest/jobs.ts) beside new mail
 * and deletions, with a SIGKILL in between. Repacking commits without a sync of its own: a cut may undo only that.
 */
import { join } from 'node:path';
import { splitFrames } from '../../../test/store-state.ts';
import { Chance } from '../chance.ts';
import { checkFolder } from '../check.ts';
import { Findings } from '../findings.ts';
import { type Load, type Notes, openLoad } from '../load.ts';
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
import { type Marked, promisesAt } from '../promises.ts';
import { CHECKED_MS_MAX, copyStopped, end, makeSettings, readDoors, serve, waitUntil } from '../server.ts';
import { checkFrames, countRepacked, withStore } from '../store-look.ts';

const EMAIL = 'repacked@example.org';
/** As many as the load sends to: it deletes only inboxes that it creates later. */
const INBOXES = 6;
/** Share of the folders in which the server runs until everything is repacked. */
const FINISHED = 0.15;
const REPACKED_MS_MAX = 60_000;

interface RepackRecording extends Recording {
  /** Promises made before the recording. */
  earlier: Marked[];
}

async function record(stage: Stage): Promise<RepackRecording> {
  const { work, mails } = stage;
  const before = makeSettings(join(work.folder('earlier-server'), 'data'));
  const earlier: Marked[] = [];
  let notes: Notes = { mark: async (mark) => void earlier.push({ n: 0, mark }) };
  const load = await fill(before, { mark: (mark) => notes.mark(mark) }, Math.ceil(mails / 2));
  splitFrames({ dataDir: before.POSTERN_DATA_DIR! });
  const files = work.folder('repack-files');
  copyStopped(before, files);
  const recording = await recordIn(stage, 'repack', files, async (fs) => {
    notes = fs;
    const settings = makeSettings(join(fs.mount, 'data'));
    const store = join(fs.mount, 'data/postern.db');
    const countDone = () => withStore(store, countRepacked).done;
    const first = await serve(settings);
    await fs.mark({ is: 'ready' });
    await waitUntil(() => countDone() > 0, REPACKED_MS_MAX, 'the mails are not repacked');
    await fs.mark({ is: 'step', step: 'kill' });
    await end(first, 'SIGKILL');
    const second = await serve(settings);
    await fs.mark({ is: 'ready' });
    const killedAt = countDone();
    await waitUntil(() => countDone() > killedAt, REPACKED_MS_MAX, 'the mails are not repacked');
    await load.run(readDoors(second), mails, 'deletions');
    await waitUntil(
      () => withStore(store, countRepacked).left === 0,
      REPACKED_MS_MAX,
      'the mails are not repacked',
    );
    await end(second, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return load.refused;
  });
  return { ...recording, earlier };
}

/** A stopped server with mail; the load uses its inboxes and continues with the next number. */
async function fill(settings: Record<string, string>, notes: Notes, mails: number): Promise<Load> {
  const server = await serve(settings);
  const load = await openLoad(settings, EMAIL, notes);
  for (let index = 0; index < INBOXES; index++) await load.makeInbox(server.ready.http);
  await load.run(readDoors(server), mails);
  await end(server, 'SIGTERM');
  return load;
}

async function check(folder: CutFolder, recording: Recording) {
  const { earlier, marks } = recording as RepackRecording;
  const promises = promisesAt([...earlier, ...marks], folder.n);
  const look = (dataDir: string, findings: Findings) =>
    withStore(join(dataDir, 'postern.db'), (store) => checkFrames(store, findings));
  const checked = await checkFolder({ folder, promises, secondStartLikely: 0.3, inspect: look });
  if (checked.findings.length > 0 || !new Chance(folder.n).isLikely(FINISHED)) return checked;
  await finish(join(folder.root, 'data'), look, checked.findings);
  return checked;
}

/** Lets the server repack the rest after the cut, and checks that every mail is still complete. */
async function finish(
  dataDir: string,
  look: (dataDir: string, findings: Findings) => void,
  all: Findings['all'],
): Promise<void> {
  const findings = new Findings();
  const server = await serve(makeSettings(dataDir), CHECKED_MS_MAX);
  try {
    await waitUntil(
      () => withStore(join(dataDir, 'postern.db'), countRepacked).left === 0,
      REPACKED_MS_MAX,
      'the mails are not repacked',
    );
    look(dataDir, findings);
  } catch (fault) {
    findings.add('other', String(fault));
  } finally {
    await end(server, 'SIGKILL');
  }
  all.push(...findings.all);
}

export const repack: Plan = {
  name: 'repack',
  meaning: "an earlier version's mails are repacked beside new mail, with a SIGKILL between",
  recording: 'repack',
  weight: 10,
  record,
  cuts: (recording) => {
    const from = recording.marks[0]!.n;
    const [to] = findSteps(recording, 'end');
    return [findDelicateCuts(recording, from, to!), range(from, to!)];
  },
  check,
};
