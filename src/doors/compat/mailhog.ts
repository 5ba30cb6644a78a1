/** MailHog's API v1 and v2 (https://github.com/mailhog/MailHog). */
import { openRawMail } from '../../features/messages/raw.ts';
import { findOwnSummary } from '../../features/messages/sql.ts';
import { reportUnreadable } from '../../features/messages/unreadable.ts';
import { fail } from '../../platform/core/failure.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { makeStream } from '../../platform/core/streamed.ts';
import { writeAsciiJson } from './ascii-json.ts';
import {
  answerText,
  type CompatCall,
  type CompatDoor,
  type CompatRoute,
  readNumber,
  refuseRoute,
  USE_STREAM,
} from './door.ts';
import { makeDamagedItem, makeItem } from './mailhog-view.ts';
import { readKind, type Term } from './search.ts';
import { readSource, requireRaw } from './source.ts';
import type { GroupedMail } from './sql.ts';

const LIMIT = 50;
const LIMIT_MAX = 250;
/** Memory that a mail uses while it is written, in copies of its size: its text has two bytes for each character. */
const COPIES = 2;

export const mailhogRoutes: readonly CompatRoute[] = [
  { method: 'GET', path: '/api/v2/messages', run: (call) => listMails(call, []) },
  { method: 'GET', path: '/api/v2/search', run: searchMails },
  { method: 'GET', path: '/api/v1/messages/:id', run: getMessage },
  { method: 'DELETE', path: '/api/v1/messages/:id', run: deleteMessage },
  { method: 'GET', path: '/api/v1/messages/:id/download', run: downloadMessage },
  { method: 'GET', path: '/api/v2/jim', run: () => answerText('', 404) },
  ...(['POST', 'PUT', 'DELETE'] as const).map((method) =>
    refuseRoute(method, '/api/v2/jim', "Use Postern's SMTP faults, which are deterministic."),
  ),
  refuseRoute('POST', '/api/v1/messages/:id/release', 'Nothing leaves a capture.'),
  refuseRoute(
    'GET',
    '/api/v1/messages/:id/mime/part/:part/download',
    'Use /api/v1/message/{ID}/part/{PartID}.',
  ),
  refuseRoute('GET', '/api/v1/events', USE_STREAM),
  refuseRoute('GET', '/api/v2/websocket', USE_STREAM),
  refuseRoute('GET', '/api/v2/outgoing-smtp', 'Nothing leaves a capture.'),
];

function searchMails(call: CompatCall): Response | Promise<Response> {
  const text = call.query.get('query') ?? '';
  const terms = readKind(call.query.get('kind'), text);
  if (!terms) return fail('validation_error', { text: 'kind must be from, to or containing.' });
  if (text === '') return fail('validation_error', { text: 'query is missing.' });
  return listMails(call, terms);
}

async function listMails({ door, query, request }: CompatCall, terms: readonly Term[]): Promise<Response> {
  const start = readNumber(query.get('start'), 0, 0, Number.MAX_SAFE_INTEGER);
  const limit = readNumber(query.get('limit'), LIMIT, 1, LIMIT_MAX);
  const { mails, matching } = await door.find({ terms, start, limit, counts: true }, request.signal);
  const largest = Math.max(0, ...mails.map(({ size }) => size));
  const held = door.services.heldBytes.take(door.accountNo, largest * COPIES);
  const pieces = writePage(door, mails, { total: matching, start });
  return new Response(makeStream(door.services, pieces, held), { headers: JSON_TYPE });
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Writes one mail at a time, in pieces, because a page may have gigabytes. */
function* writePage(
  door: CompatDoor,
  mails: readonly GroupedMail[],
  head: { total: number; start: number },
): Generator<Uint8Array> {
  let count = 0;
  yield Buffer.from(`{"total":${head.total},"start":${head.start},"items":[`);
  for (const mail of mails) {
    const item = yield* readListedItem(door, mail);
    if (!item) continue;
    if (count > 0) yield Buffer.from(',');
    yield* writeAsciiJson(item);
    count += 1;
  }
  yield Buffer.from(`],"count":${count}}`);
}

type Item = Record<string, unknown>;

/** Reads a mail for a list; without its content if it is damaged. Null if it has been deleted. */
function* readListedItem(door: CompatDoor, mail: GroupedMail): Generator<Uint8Array, Item | null> {
  try {
    return yield* readItem(door, mail);
  } catch (fault) {
    const row = findOwnSummary(door.services.store, door.accountNo, mail.id);
    if (!row) return null;
    reportUnreadable(door.services, mail.id, fault);
    return makeDamagedItem(mail, row);
  }
}

function* readItem(door: CompatDoor, mail: GroupedMail): Generator<Uint8Array, Item> {
  const raw = requireRaw(door, mail.id);
  return makeItem(mail, raw, yield* readSource(door, raw));
}

async function getMessage(call: CompatCall): Promise<Response> {
  const { door } = call;
  const mail = await door.requireListed(call);
  const held = door.services.heldBytes.take(door.accountNo, mail.size * COPIES);
  try {
    // Read before the status line is sent, so that a damaged mail is answered 500.
    const item = await finishReading(readItem(door, mail));
    return new Response(makeStream(door.services, writeAsciiJson(item), held), { headers: JSON_TYPE });
  } catch (fault) {
    held.release();
    throw fault;
  }
}

async function finishReading(reading: Generator<Uint8Array, Item>): Promise<Item> {
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

async function deleteMessage(call: CompatCall): Promise<Response> {
  const { ids } = await call.door.requireListed(call);
  await call.door.delete(ids);
  return answerText('');
}

async function downloadMessage(call: CompatCall): Promise<Response> {
  const { id } = await call.door.requireListed(call);
  const mail = openRawMail(call.door.services, requireRaw(call.door, id));
  return new Response(mail.read(0, mail.size), {
    headers: { 'content-type': 'message/rfc822', 'content-disposition': `attachment; filename="${id}.eml"` },
  });
}
