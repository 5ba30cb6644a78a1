/**
 * Retention by age and by size erases mail in steps beside new mail, with a SIGKILL between. A message that is missing after
 * a cut was old or the oldest, everything that belongs to it is erased too, and each count agrees with the rows.
 */
import { join } from 'node:path';
import { type Clock, DAY_US, HOUR_US, systemClock } from '../../../src/platform/core/clock.ts';
import { startAppliance } from '../../../test/start.ts';
import { noteJobRuns } from '../../../test/store-state.ts';
import { checkFolder } from '../check.ts';
import type { Findings } from '../findings.ts';
import { type Load, type Notes, openLoad } from '../load.ts';
import { readNumber } from '../mails.ts';
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
import { type Mark, type Marked, nameCopy, promisesAt } from '../promises.ts';
import { copyStopped, end, makeSettings, readDoors, serve } from '../server.ts';
import { type Store, selectNumber, withStore } from '../store-look.ts';

const EMAIL = 'retained@example.org';
const INBOXES = 6;
const OLD_DAYS = 40;
const KEPT_DAYS = 30;
/** Share of what the store has at first that it may have in the end. */
const KEPT_SHARE = 0.4;
/** Mails that are sent before each look at what is left. */
const BESIDE = 10;
const ERASED_MS_MAX = 60_000;

interface RetentionRecording extends Recording {
  /** Promises made before the recording. */
  earlier: Marked[];
}

async function record(stage: Stage): Promise<RetentionRecording> {
  const { work, mails } = stage;
  const before = makeSettings(join(work.folder('retention-before'), 'data'));
  const earlier: Marked[] = [];
  let notes: Notes = { mark: async (mark) => void earlier.push({ n: 0, mark }) };
  const load = await fill(before, { mark: (mark) => notes.mark(mark) }, mails);
  const files = work.folder('retention-files');
  copyStopped(before, files);
  let left = new Set<string>();
  const recording = await recordIn(stage, 'retention', files, async (fs) => {
    notes = fs;
    const store = join(fs.mount, 'data/postern.db');
    const limits = {
      POSTERN_RETENTION_DAYS: String(KEPT_DAYS),
      POSTERN_STORE_MAX_SIZE: String(Math.round(withStore(store, countUsedBytes) * KEPT_SHARE)),
    };
    const settings = { ...makeSettings(join(fs.mount, 'data')), ...limits };
    let server = await serve(settings);
    const loadUntil = async (isReached: (store: Store) => boolean) => {
      const giveUp = performance.now() + ERASED_MS_MAX;
      while (!withStore(store, isReached)) {
        if (performance.now() > giveUp) throw new Error('the server does not erase');
        const doors = readDoors(server);
        await load.run(doors, load.begun + BESIDE);
      }
    };
    await fs.mark({ is: 'ready' });
    const old = withStore(store, countOld);
    await loadUntil((now) => countOld(now) < old * 0.7);
    await fs.mark({ is: 'step', step: 'kill' });
    await end(server, 'SIGKILL');
    server = await serve(settings);
    await fs.mark({ is: 'ready' });
    await loadUntil((now) => countOld(now) === 0 && countErasedBySize(now) > 0);
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    left = withStore(store, listCopies);
    return load.refused;
  });
  return { ...recording, earlier: [...earlier, ...listErased(earlier, recording.marks, left)] };
}

/** A stopped server with old mail and as much new mail, whose jobs are due. */
async function fill(settings: Record<string, string>, notes: Notes, mails: number): Promise<Load> {
  const dataDir = settings.POSTERN_DATA_DIR!;
  const load = await openLoad(settings, EMAIL, notes);
  {
    const clock: Clock = { ...systemClock, nowUs: () => systemClock.nowUs() - OLD_DAYS * DAY_US };
    await using past = await startAppliance({ dataDir, clock, settings: { limits: 'off' } });
    for (let index = 0; index < INBOXES; index++) await load.makeInbox(past.url);
    await load.run({ http: past.url, smtpPort: past.smtpPort }, Math.ceil(mails / 2));
  }
  const server = await serve(settings);
  await load.run(readDoors(server), mails);
  await end(server, 'SIGTERM');
  const jobs = ['messages.retention', 'messages.store_size', 'messages.give_back'];
  noteJobRuns({ dataDir }, jobs, systemClock.nowUs() - 2 * HOUR_US);
  return load;
}

/** What was missing in the end may be missing after any cut, so its deletion counts as begun from the start. */
function listErased(earlier: readonly Marked[], marks: readonly Marked[], left: Set<string>): Marked[] {
  const sent = [...earlier, ...marks].flatMap(({ mark }) => (mark.is === 'sending' ? [mark] : []));
  const erased = sent.flatMap(({ mail, to }) =>
    to.flatMap((inbox) => {
      const mark: Mark = { is: 'deleting', mail, inbox };
      return left.has(nameCopy(mail, inbox)) ? [] : [mark];
    }),
  );
  return erased.map((mark) => ({ n: 0, mark }));
}

const oldBefore = () => systemClock.nowUs() - KEPT_DAYS * DAY_US;
const countOld = (store: Store) =>
  selectNumber(store, `SELECT count(*) FROM message WHERE received_at < ${oldBefore()}`);
const countErasedBySize = (store: Store) =>
  selectNumber(store, `SELECT count(*) FROM deleted_message WHERE received_at >= ${oldBefore()}`);
const countUsedBytes = (store: Store) =>
  selectNumber(
    store,
    'SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );

function listCopies(store: Store): Set<string> {
  const rows = store
    .query('SELECT subject, inbox.id AS inbox FROM message JOIN inbox ON inbox.no = message.inbox_no')
    .all() as { subject: string; inbox: string }[];
  return new Set(rows.map(({ subject, inbox }) => nameCopy(readNumber(subject)!, inbox)));
}

function checkErased(store: Store, findings: Findings): void {
  const outOfTurn = `SELECT count(*) FROM deleted_message
    WHERE received_at >= ${oldBefore()} AND received_at > (SELECT min(received_at) FROM message)`;
  if (selectNumber(store, outOfTurn) > 0) findings.add('lost', 'new mail was erased before older mail');
  const received = selectNumber(
    store,
    'SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM deleted_message)',
  );
  const counted = selectNumber(store, 'SELECT sum(messages_received) FROM usage');
  if (counted !== received)
    findings.add('other', `the usage is ${counted} messages, and ${received} were received`);
  const inMonth = selectNumber(
    store,
    `SELECT count(*) FROM inbox WHERE month_count <> (
       SELECT count(*) FROM (SELECT inbox_no, received_at FROM message UNION ALL SELECT inbox_no, received_at FROM deleted_message) AS one
       WHERE one.inbox_no = inbox.no AND strftime('%Y-%m', one.received_at / 1000000, 'unixepoch') = inbox.month)`,
  );
  if (inMonth > 0) findings.add('other', `the count of the month is wrong for ${inMonth} inboxes`);
}

async function check(folder: CutFolder, recording: Recording) {
  const { earlier, marks } = recording as RetentionRecording;
  const promises = promisesAt([...earlier, ...marks], folder.n);
  const inspect = (dataDir: string, findings: Findings) =>
    withStore(join(dataDir, 'postern.db'), (store) => checkErased(store, findings));
  return checkFolder({ folder, promises, inspect, secondStartLikely: 0.3 });
}

export const retention: Plan = {
  name: 'retention',
  meaning: 'mail is erased by age and by size beside new mail, with a SIGKILL between',
  recording: 'retention',
  weight: 10,
  record,
  cuts(recording) {
    const from = recording.marks[0]!.n;
    const [to] = findSteps(recording, 'end');
    return [findDelicateCuts(recording, from, to!), range(from, to!)];
  },
  check,
};
