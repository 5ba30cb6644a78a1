/** MailHog's API v1 and v2 (https://github.com/mailhog/MailHog). */
import { openRawMail } from '../../features/messages/raw.ts';
import type { RawRow } from '../../features/messages/sql.ts';
import { fail } from '../../platform/core/failure.ts';
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
import { makeItem } from './mailhog-view.ts';
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
    // It has been deleted in the meantime.
    if (!door.open(mail)) continue;
    if (count > 0) yield Buffer.from(',');
    yield* writeItem(door, mail, requireRaw(door, mail.id));
    count += 1;
  }
  yield Buffer.from(`],"count":${count}}`);
}

function* writeItem(door: CompatDoor, mail: GroupedMail, raw: RawRow): Generator<Uint8Array> {
  yield* writeAsciiJson(makeItem(mail, raw, yield* readSource(door, raw)));
}

async function getMessage(call: CompatCall): Promise<Response> {
  const { door } = call;
  const mail = await door.requireMail(call);
  const raw = requireRaw(door, mail.id);
  const held = door.services.heldBytes.take(door.accountNo, mail.size * COPIES);
  return new Response(makeStream(door.services, writeItem(door, mail, raw), held), {
    headers: JSON_TYPE,
  });
}

async function deleteMessage(call: CompatCall): Promise<Response> {
  const { ids } = await call.door.requireMail(call);
  await call.door.delete(ids);
  return answerText('');
}

async function downloadMessage(call: CompatCall): Promise<Response> {
  const { id } = await call.door.requireMail(call);
  const mail = openRawMail(call.door.services, requireRaw(call.door, id));
  return new Response(mail.read(0, mail.size), {
    headers: { 'content-type': 'message/rfc822', 'content-disposition': `attachment; filename="${id}.eml"` },
  });
}
