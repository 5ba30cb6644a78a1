import { type Job, repeatAtHalfPace, writeWithRoom } from '../../platform/job.ts';
import { type MailColumns, ONE_FRAME_MAIL_BYTES, repackMail } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Reading, repeatableOp, STEP_MS_MAX, type Tx } from '../../platform/store/operation.ts';

/*
 * Converts the small mails of earlier versions to the current form (platform/mail/stored-mail.ts), once. Each step is a
 * transaction of a few milliseconds that also stores how far it got, so it can be interrupted anywhere. Readers know
 * both forms. Some mails keep the old one: those that are damaged or would not become smaller, and those in pieces,
 * because they are read in several steps.
 */

/** Time between two checks whether the writer is idle. */
const YIELD_MS = 50;

/**
 * If the write-ahead log is larger than this, a run repacks only one step. SQLite keeps at most 64 MiB of it, so a
 * larger one means that a backup is being made. Until its end no part of the log can be reused, and repacking would add
 * gigabytes.
 */
const LOG_BYTES_MAX = 96 * 1024 * 1024;

export const ingestJobs: readonly Job[] = [
  { name: 'ingest.repack', everyS: 5, run: (services, signal) => repackMails(services, signal) },
];

/**
 * Repacks the mails that earlier versions stored, after an upgrade, while nothing else is to be written. Exported for
 * its test.
 */
export async function repackMails(
  services: PlatformServices,
  signal: AbortSignal,
  logBytesMax = LOG_BYTES_MAX,
): Promise<void> {
  const { store, log } = services;
  if (isAllRepacked(store)) return;
  await repeatAtHalfPace(signal, async () => {
    while (store.writesWaiting > 0 && !signal.aborted) await Bun.sleep(YIELD_MS);
    // Repacking uses space for the write-ahead log before it frees any.
    const visited = signal.aborted ? 0 : await writeWithRoom(services, repackOp, null);
    return store.logBytes > logBytesMax ? 0 : visited;
  });
  if (isAllRepacked(store))
    log.info('the mails that earlier versions stored are repacked and take less space');
}

/** The next mail after a number, up to the last. */
const NEXT = `SELECT no, size <= ? AND bytes IS NOT NULL AS is_small
  FROM raw
  WHERE no > ? AND no <= ?
  ORDER BY no
  LIMIT 1`;

/**
 * With `no = no`, SQLite deletes the row and inserts it again, without the cascades of a DELETE. A row that only
 * becomes smaller would leave its page half empty; after a deletion, pages are merged (half the pages, with rows of 2.6
 * KB).
 */
const REPLACE = 'UPDATE raw SET no = no, content = ?, content_size = ?, bytes = NULL WHERE no = ?';

/** Repacks the next mails for a few milliseconds. Returns how many mails it visited. */
export const repackOp = repeatableOp('ingest.repack', (tx, _: null): number => {
  const beganMs = performance.now();
  const { done_no, last_no } = readProgress(tx);
  let upTo = done_no;
  let visited = 0;
  while (upTo < last_no && (visited === 0 || performance.now() - beganMs < STEP_MS_MAX)) {
    const next = tx.sql(NEXT).get(ONE_FRAME_MAIL_BYTES, upTo, last_no) as
      | { no: number; is_small: number }
      | undefined;
    if (next?.is_small) repack(tx, next.no);
    upTo = next?.no ?? last_no;
    visited += 1;
  }
  if (visited > 0) tx.sql('UPDATE repacking SET done_no = ?').run(upTo);
  return visited;
});

function isAllRepacked(reading: Reading): boolean {
  const { done_no, last_no } = readProgress(reading);
  return done_no >= last_no;
}

function readProgress(reading: Reading): { done_no: number; last_no: number } {
  return reading.sql('SELECT done_no, last_no FROM repacking').get() as { done_no: number; last_no: number };
}

function repack(tx: Tx, no: number): void {
  const row = tx.sql('SELECT content, content_size, size, bytes FROM raw WHERE no = ?').get(no);
  const packed = repackMail(row as MailColumns);
  if (packed) tx.sql(REPLACE).run(packed.content, packed.content_size, no);
}
