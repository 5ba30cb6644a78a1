/*
 * Puts the messages and sent emails of earlier versions into threads, once, oldest first. Each step is a transaction of
 * a few milliseconds that also stores how far it got, so it can be interrupted anywhere. Mail that arrives meanwhile
 * gets its thread at once; if its parent is found later, the older thread's id stays.
 */

import { type Job, repeatAtHalfPace, writeWithRoom } from '../../../platform/job.ts';
import { HEADER_RESCUE_BYTES } from '../../../platform/mail/bounds.ts';
import { HeaderFields } from '../../../platform/mail/header-fields.ts';
import { makeRef, readConversation } from '../../../platform/mail/message-ids.ts';
import type { ParsedContent } from '../../../platform/mail/parsed.ts';
import { readReplyText } from '../../../platform/mail/reply/reply-text.ts';
import {
  compressStored,
  type MailColumns,
  ONE_FRAME_CONTENT_BYTES,
  packMail,
  readContent,
} from '../../../platform/mail/stored-mail.ts';
import { cutHeaderSection } from '../../../platform/mail/structure.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { type Reading, repeatableOp, STEP_MS_MAX, type Tx } from '../../../platform/store/operation.ts';
import { readPieces } from '../raw.ts';
import { addSent, joinThread, moveThreadOp } from './writes.ts';

/** Time between two checks whether the writer is idle. */
const YIELD_MS = 50;
/** As for repacking (features/ingest/jobs.ts): a larger log means that a backup is being made. */
const LOG_BYTES_MAX = 96 * 1024 * 1024;

export const threadJobs: readonly Job[] = [
  { name: 'messages.thread_old', everyS: 5, run: (services, signal) => threadOldMail(services, signal) },
  { name: 'messages.move_threads', everyS: 1, run: moveThreads },
];

async function moveThreads(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const moving = services.store.sql(
    'SELECT 1 FROM thread INDEXED BY thread_moving WHERE into_no IS NOT NULL LIMIT 1',
  );
  if (!moving.get()) return;
  await repeatAtHalfPace(signal, () => writeWithRoom(services, moveThreadOp, null));
}

/** Threads the mail of earlier versions while nothing else is to be written. Exported for its test. */
export async function threadOldMail(services: PlatformServices, signal: AbortSignal): Promise<void> {
  const { store, log } = services;
  if (isAllThreaded(store)) return;
  await repeatAtHalfPace(signal, async () => {
    while (store.writesWaiting > 0 && !signal.aborted) await Bun.sleep(YIELD_MS);
    const processed = signal.aborted ? 0 : await writeWithRoom(services, threadOldOp, null);
    return store.logBytes > LOG_BYTES_MAX ? 0 : processed;
  });
  if (isAllThreaded(store)) log.info('the mail that earlier versions stored is in its threads');
}

interface Progress {
  done_at: number;
  last_at: number;
  done_no: number;
  last_no: number;
}

const readProgress = (reading: Reading) =>
  reading.sql('SELECT done_at, last_at, done_no, last_no FROM threading').get() as Progress;

function isAllThreaded(reading: Reading): boolean {
  const { done_at, last_at, done_no, last_no } = readProgress(reading);
  return done_at >= last_at && done_no >= last_no;
}

/** Processes the next emails and messages for a few milliseconds. Returns how many. */
export const threadOldOp = repeatableOp('messages.thread_old', (tx, _: null): number => {
  const beganMs = performance.now();
  const { done_at, last_at, done_no, last_no } = readProgress(tx);
  let [no, at] = [done_no, done_at];
  let processed = 0;
  const hasTime = () => processed === 0 || performance.now() - beganMs < STEP_MS_MAX;
  for (; no < last_no && hasTime(); processed++) no = threadNextEmail(tx, no, last_no);
  for (; at < last_at && hasTime(); processed++) at = threadNextMessage(tx, at, last_at);
  if (processed > 0) tx.sql('UPDATE threading SET done_no = ?, done_at = ?').run(no, at);
  return processed;
});

function threadNextEmail(tx: Tx, after: number, last: number): number {
  const email = tx
    .sql(
      `SELECT no, id, account_no, message_id, created_at
       FROM outbound_email
       WHERE no > ? AND no <= ?
       ORDER BY no
       LIMIT 1`,
    )
    .get(after, last) as
    | { no: number; id: string; account_no: number; message_id: string; created_at: number }
    | undefined;
  if (!email) return last;
  const { no, id, account_no } = email;
  const at = findFreeTime(tx, email.created_at);
  addSent(tx, {
    ref: makeRef(email.message_id),
    refs: [],
    account_no,
    outbound_no: no,
    id,
    at,
    answers: null,
  });
  return no;
}

/** Returns the first time from `time` on that no thread and no message has: a thread's number is such a time. */
function findFreeTime(tx: Tx, time: number): number {
  const taken = tx.sql(
    'SELECT 1 FROM message WHERE received_at = ? UNION ALL SELECT 1 FROM thread WHERE no = ?',
  );
  let at = time;
  while (taken.get(at, at)) at += 1;
  return at;
}

interface OldMessage extends MailColumns {
  received_at: number;
  id: string;
  account_no: number;
  thread_no: number | null;
  raw_no: number;
}

const NEXT = `SELECT m.received_at, m.id, m.account_no, m.thread_no, m.raw_no, r.content, r.content_size, r.size, r.bytes
  FROM message m CROSS JOIN raw r ON r.no = m.raw_no
  WHERE m.received_at > ? AND m.received_at <= ?
  ORDER BY m.received_at
  LIMIT 1`;

/** The thread of another recipient's message of the same mail. */
const SIBLING = `SELECT coalesce(thread_no, received_at) AS no
  FROM message INDEXED BY message_raw
  WHERE raw_no = ? AND account_no = ? AND received_at < ?
  LIMIT 1`;

function threadNextMessage(tx: Tx, after: number, last: number): number {
  const message = tx.sql(NEXT).get(after, last) as OldMessage | undefined;
  if (!message) return last;
  const { received_at: at, id, account_no } = message;
  const fields = readFields(tx, message);
  if (!fields) return at;
  const { placing, ...conversation } = readConversation(fields);
  const sibling = tx.sql(SIBLING).get(message.raw_no, account_no, at) as { no: number } | undefined;
  const alsoIn = sibling ? [sibling.no] : [];
  joinThread(tx, {
    ...placing,
    account_no,
    at,
    lastAt: at,
    count: 0,
    id,
    alsoIn,
    isIn: message.thread_no ?? at,
  });
  tx.sql('UPDATE message SET ref = ? WHERE received_at = ?').run(placing.ref, at);
  if (conversation.in_reply_to !== null || conversation.references.length > 0)
    completeContent(tx, message, conversation);
  return at;
}

/** Reads the headers that place a mail in a thread. Null if the mail is damaged. */
function readFields(tx: Tx, message: OldMessage) {
  try {
    const first = readPieces(tx, message).next().value ?? new Uint8Array();
    const head = cutHeaderSection(first, HEADER_RESCUE_BYTES);
    const fields = new HeaderFields(Buffer.from(head).toString('latin1'));
    return {
      'message-id': fields.all('message-id'),
      'in-reply-to': fields.all('in-reply-to'),
      references: fields.all('references'),
    };
  } catch {
    return null;
  }
}

/**
 * Adds `reply_text` and the references to the content of a reply, unless it is so large that it would hold up the
 * writer.
 */
function completeContent(
  tx: Tx,
  message: OldMessage,
  conversation: Required<Pick<ParsedContent, 'in_reply_to' | 'references'>>,
): void {
  if (message.content.length > ONE_FRAME_CONTENT_BYTES) return;
  const json = addReplyText(message, conversation);
  if (json === null || json.length > ONE_FRAME_CONTENT_BYTES) return;
  const isOneFrame = message.content_size > 0;
  const packed = isOneFrame
    ? packMail({ content: json, isJson: true }, readPieces(tx, message).next().value ?? new Uint8Array())
    : { content: compressStored(json), content_size: 0, bytes: message.bytes };
  tx.sql('UPDATE raw SET content = ?, content_size = ?, bytes = ? WHERE no = ?').run(
    packed.content,
    packed.content_size,
    packed.bytes,
    message.raw_no,
  );
}

/** Returns the completed content as JSON. Null if it is complete already, or damaged: that must not stop the job. */
function addReplyText(
  message: OldMessage,
  conversation: Required<Pick<ParsedContent, 'in_reply_to' | 'references'>>,
): Buffer | null {
  try {
    const content = readContent(message);
    if (content.in_reply_to !== undefined) return null;
    const own = readReplyText({ text: content.text, html: '' });
    const more = own === content.text ? conversation : { ...conversation, reply_text: own };
    return Buffer.from(JSON.stringify({ ...content, ...more }));
  } catch {
    return null;
  }
}
