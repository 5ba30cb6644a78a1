import { statfs } from 'node:fs/promises';
import { DAY_US } from '../../platform/core/clock.ts';
import { Failure } from '../../platform/core/failure.ts';
import { JOB_BATCH, type Job, repeatAtHalfPace, repeatUntilDone, writeWithRoom } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { giveBackOp } from '../../platform/store/give-back.ts';
import { planNames } from '../../rules/plans.ts';
import { mergeSearch } from './index-search.ts';
import { eraseDeletedInboxesOp, eraseOldestOp, eraseOldOp, forgetTombstonesOp } from './writes.ts';

/** Inboxes per read. */
const INBOXES_AT_ONCE = 200;
/** Messages per step; fewer if they take long (features/messages/writes.ts). */
const STEP_ROWS = 100;
/** If erasing this many messages does not make the store smaller, something other than mail fills it. */
const ERASED_IN_VAIN_MAX = 20_000;
/** The share of the store that may stay empty, because new mail will fill it. */
const FREE_SHARE = 0.05;
const FREE_BYTES_MIN = 4 * 1024 * 1024;
const GIVE_BACK_PAGES = 1_000;

export const messageJobs: readonly Job[] = [
  {
    name: 'messages.erase_deleted_inboxes',
    everyS: 5,
    run: (services, signal) =>
      eraseGently(services, signal, 'inbox', () =>
        services.store.write(eraseDeletedInboxesOp, { max: STEP_ROWS }),
      ),
  },
  { name: 'messages.retention', everyS: 3600, erasesByAge: true, run: keepRetention },
  { name: 'messages.store_size', everyS: 60, run: keepStoreSize },
  { name: 'messages.give_back', everyS: 60, run: giveBack },
  { name: 'messages.make_room', everyS: 5, run: makeRoom },
  {
    name: 'messages.forget_tombstones',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetTombstonesOp, { max: JOB_BATCH })),
  },
];

/** Erases messages that are older than the plan of their account, or the operator's setting, allows. */
async function keepRetention(services: PlatformServices, signal: AbortSignal): Promise<void> {
  // Read once: the clock may jump ahead during a run.
  const nowUs = services.clock.nowUs();
  for (const plan of planNames) {
    const ofPlan = services.plans[plan].retention_days;
    const ofAll = services.settings.retention_days;
    const days = ofPlan === 0 || ofAll === 0 ? ofPlan + ofAll : Math.min(ofPlan, ofAll);
    if (days === 0) continue;
    const reason = days === ofPlan ? 'plan' : 'age';
    const before = nowUs - days * DAY_US;
    let afterNo = 0;
    while (!signal.aborted) {
      const inboxes = listInboxesWithOlder(services, plan, before, afterNo);
      for (const { no, has_older } of inboxes) {
        if (!has_older) continue;
        await eraseGently(services, signal, reason, () =>
          services.store.write(eraseOldOp, { inbox_no: no, before, max: STEP_ROWS }),
        );
      }
      const last = inboxes.at(-1);
      if (!last) break;
      afterNo = last.no;
    }
  }
}

/**
 * Erases in steps, and merges the search index after each: one merge at the end would be as large as all that was
 * erased.
 */
function eraseGently(
  services: PlatformServices,
  signal: AbortSignal,
  reason: string,
  step: () => Promise<number>,
): Promise<void> {
  return repeatAtHalfPace(signal, async () => {
    const erased = await step();
    if (erased > 0) services.meters.count('messages_erased_total', { reason }, erased);
    if (erased > 0) await writeWithRoom(services, mergeSearch, null);
    return erased;
  });
}

/** Erases the oldest messages while the store is larger than POSTERN_STORE_MAX_SIZE. */
async function keepStoreSize(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const { settings, store, log } = services;
  const max = settings.store_max_size;
  if (max === 0) return;
  const countUsed = () => store.size.bytes - store.size.freeBytes;
  let erasedAll = 0;
  let erasedInVain = 0;
  let smallest = countUsed();
  await eraseGently(services, signal, 'size', async () => {
    if (countUsed() <= max) return 0;
    const erased = await store.write(eraseOldestOp, { max: STEP_ROWS });
    erasedAll += erased;
    erasedInVain = countUsed() < smallest ? 0 : erasedInVain + erased;
    smallest = Math.min(smallest, countUsed());
    if (erased > 0 && erasedInVain < ERASED_IN_VAIN_MAX) return erased;
    const message = 'the store is over POSTERN_STORE_MAX_SIZE, and erasing messages does not make it smaller';
    log.warn(message, { bytes: countUsed(), max });
    return 0;
  });
  if (erasedAll > 0) log.info('the store is full: the oldest messages were erased', { messages: erasedAll });
}

/** Returns the space of erased messages to the disk, except for a share that new ones will fill. */
function giveBack({ store }: PlatformServices, signal: AbortSignal): Promise<void> {
  return giveBackAllBut(store, signal, (bytes) => Math.max(FREE_BYTES_MIN, bytes * FREE_SHARE));
}

/**
 * If the disk is full or below its floor, returns all empty space of the store to it: mail is accepted again only when
 * the disk itself has room. Then restores the reserve.
 */
async function makeRoom(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const { store, settings, dataDir } = services;
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < settings.disk_floor || store.reserve?.isHeld() === false) {
    await giveBackAllBut(store, signal, () => 0).catch(ignoreFullDisk);
    store.checkpoint();
  }
  await store.reserve?.restore();
  logDiskChange(services);
}

/** Returning pages needs some space itself. If there is none now, the next run may find some. */
function ignoreFullDisk(fault: unknown): void {
  if (!(fault instanceof Failure && fault.code === 'storage_unavailable')) throw fault;
}

function logDiskChange({ store: { reserve }, log, dataDir }: PlatformServices): void {
  const change = reserve?.takeChange();
  if (!reserve || !change) return;
  if (change === 'room') log.info('the disk has room again: mail is accepted', { data_dir: dataDir });
  else {
    const wantedBytes = reserve.roomWantedBytes;
    const message =
      'the disk is full: mail is answered 452 and all writes except deletes are refused. Delete messages or free space';
    log.error(message, { data_dir: dataDir, wanted_bytes: wantedBytes });
  }
}

/** @param keptBytes How many empty bytes the store keeps, by its size. */
function giveBackAllBut(
  store: PlatformServices['store'],
  signal: AbortSignal,
  keptBytes: (bytes: number) => number,
): Promise<void> {
  let lastBytes = Number.POSITIVE_INFINITY;
  return repeatAtHalfPace(signal, async () => {
    const { bytes, freeBytes, pageBytes } = store.size;
    const keptNow = keptBytes(bytes);
    // Stop if the file does not shrink, as without auto_vacuum, which a rewritten store may lack.
    if (bytes >= lastBytes) return 0;
    lastBytes = bytes;
    const pages = Math.floor((freeBytes - keptNow) / pageBytes);
    if (pages <= 0) return 0;
    return store.write(giveBackOp, { pagesMax: Math.min(pages, GIVE_BACK_PAGES) });
  });
}

interface InboxWithOlder {
  no: number;
  has_older: number;
}

/** The next live inboxes of a plan, and whether each has a message from before a time. */
function listInboxesWithOlder(
  { store }: PlatformServices,
  plan: string,
  before: number,
  afterNo: number,
): InboxWithOlder[] {
  return store
    .sql(
      `SELECT i.no, EXISTS (SELECT 1 FROM message m WHERE m.inbox_no = i.no AND m.received_at < ?)
         OR EXISTS (SELECT 1 FROM withheld w WHERE w.inbox_no = i.no AND w.at < ?) AS has_older
       FROM inbox i CROSS JOIN account a ON a.no = i.account_no
       WHERE i.no > ? AND i.deleted_at IS NULL AND a.plan = ?
       ORDER BY i.no
       LIMIT ?`,
    )
    .all(before, before, afterNo, plan, INBOXES_AT_ONCE) as InboxWithOlder[];
}
