import { statfs } from 'node:fs/promises';
import { DAY_US } from '../../platform/core/clock.ts';
import { Failure } from '../../platform/core/failure.ts';
import { JOB_BATCH, type Job, untilNone, untilNoneGently } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { giveBackOp } from '../../platform/store/give-back.ts';
import { planNames } from '../../rules/plans.ts';
import { mergeSearch } from './index-search.ts';
import { eraseDeletedInboxesOp, eraseOldestOp, eraseOldOp, forgetTombstonesOp } from './writes.ts';

/** Inboxes looked at in one read. */
const INBOXES_AT_ONCE = 200;
/** Messages that one step takes up; it ends sooner when they take long (features/messages/writes.ts). */
const STEP_ROWS = 100;
/** When so many are gone and the store is no smaller, what fills it is no mail. */
const VAIN_MAX = 20_000;
/** Of the store, what may stay empty: new mail will fill it. */
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
  { name: 'messages.retention', everyS: 3600, run: keepRetention },
  { name: 'messages.store_size', everyS: 60, run: keepStoreSize },
  { name: 'messages.give_back', everyS: 60, run: giveBack },
  { name: 'messages.make_room', everyS: 5, run: makeRoom },
  {
    name: 'messages.forget_tombstones',
    everyS: 3600,
    run: ({ store }, signal) => untilNone(signal, () => store.write(forgetTombstonesOp, { max: JOB_BATCH })),
  },
];

/** Erases what is older than its account's plan keeps, or than the operator keeps. */
async function keepRetention(services: PlatformServices, signal: AbortSignal): Promise<void> {
  for (const plan of planNames) {
    const ofPlan = services.plans[plan].retention_days;
    const ofAll = services.settings.retention_days;
    const days = ofPlan === 0 || ofAll === 0 ? ofPlan + ofAll : Math.min(ofPlan, ofAll);
    if (days === 0) continue;
    const reason = days === ofPlan ? 'plan' : 'age';
    const before = services.clock.nowUs() - days * DAY_US;
    let afterNo = 0;
    while (!signal.aborted) {
      const inboxes = inboxesWithOlder(services, plan, before, afterNo);
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

/** The search index is merged as it goes: left alone for long, one merge would be as large as all that was erased. */
function eraseGently(
  { store, meters }: PlatformServices,
  signal: AbortSignal,
  reason: string,
  step: () => Promise<number>,
): Promise<void> {
  return untilNoneGently(signal, async () => {
    const erased = await step();
    if (erased > 0) meters.count('messages_erased_total', { reason }, erased);
    if (erased > 0) await store.write(mergeSearch, null);
    return erased;
  });
}

/** Erases the oldest messages while the store holds more than it may. */
async function keepStoreSize(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const { settings, store, log } = services;
  const max = settings.store_max_size;
  if (max === 0) return;
  const used = () => store.size.bytes - store.size.freeBytes;
  let erasedAll = 0;
  let erasedInVain = 0;
  let smallest = used();
  await eraseGently(services, signal, 'size', async () => {
    if (used() <= max) return 0;
    const erased = await store.write(eraseOldestOp, { max: STEP_ROWS });
    erasedAll += erased;
    erasedInVain = used() < smallest ? 0 : erasedInVain + erased;
    smallest = Math.min(smallest, used());
    if (erased > 0 && erasedInVain < VAIN_MAX) return erased;
    const message = 'the store is over POSTERN_STORE_MAX_SIZE, and erasing messages does not make it smaller';
    log.warn(message, { bytes: used(), max });
    return 0;
  });
  if (erasedAll > 0) log.info('the oldest messages were erased: the store is full', { messages: erasedAll });
}

/** Gives the disk back what erased messages left empty, but for some that new ones will take. */
function giveBack({ store }: PlatformServices, signal: AbortSignal): Promise<void> {
  return giveBackBut(store, signal, (bytes) => Math.max(FREE_BYTES_MIN, bytes * FREE_SHARE));
}

/**
 * On a disk that is full or under its floor everything empty is given back at once: mail is taken again only when the
 * disk itself has room. Then the reserve is made again.
 */
async function makeRoom(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const { store, settings, data_dir } = services;
  const { bavail, bsize } = await statfs(data_dir);
  if (bavail * bsize < settings.disk_floor || store.reserve?.isSpent()) {
    await giveBackBut(store, signal, () => 0).catch(passWithoutRoom);
    store.foldLog();
  }
  await store.reserve?.restore();
  tellOfDisk(services);
}

/** Not even the room to give pages back: the next run may find some. */
function passWithoutRoom(fault: unknown): void {
  if (!(fault instanceof Failure && fault.code === 'storage_unavailable')) throw fault;
}

function tellOfDisk({ store: { reserve }, log, data_dir }: PlatformServices): void {
  const change = reserve?.takeChange();
  if (!reserve || !change) return;
  if (change === 'room') log.info('the disk has room again: mail is taken', { data_dir });
  else {
    const wantedBytes = reserve.roomWantedBytes;
    const message =
      'the disk is full: mail is answered 452 and writes are refused, but for deletes. Delete messages or free space';
    log.error(message, { data_dir, wanted_bytes: wantedBytes });
  }
}

function giveBackBut(
  store: PlatformServices['store'],
  signal: AbortSignal,
  keptBytes: (bytes: number) => number,
): Promise<void> {
  let lastBytes = Number.POSITIVE_INFINITY;
  return untilNoneGently(signal, async () => {
    const { bytes, freeBytes, pageBytes } = store.size;
    const keptNow = keptBytes(bytes);
    // A store that somebody rewrote without auto_vacuum never gets shorter.
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

/** The next live inboxes of a plan, and whether each holds a message from before a time. */
function inboxesWithOlder(
  { store }: PlatformServices,
  plan: string,
  before: number,
  afterNo: number,
): InboxWithOlder[] {
  return store
    .sql(
      `SELECT i.no, EXISTS (SELECT 1 FROM message m WHERE m.inbox_no = i.no AND m.received_at < ?) AS has_older
       FROM inbox i CROSS JOIN account a ON a.no = i.account_no
       WHERE i.no > ? AND i.deleted_at IS NULL AND a.plan = ?
       ORDER BY i.no
       LIMIT ?`,
    )
    .all(before, afterNo, plan, INBOXES_AT_ONCE) as InboxWithOlder[];
}
