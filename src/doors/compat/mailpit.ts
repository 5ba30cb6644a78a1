/** Mailpit's API v1 (https://mailpit.axllent.org/docs/api-v1/) and its views for tests. */

import { version } from '../../../package.json';
import { makeAttachmentHeaders, readAttachmentBytes } from '../../features/messages/attachment.ts';
import { openRawMail } from '../../features/messages/raw.ts';
import { SECOND_US } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import { makeStream, sliceBytes } from '../../platform/core/streamed.ts';
import { readContent } from '../../platform/mail/stored-mail.ts';
import { makeFrameHeaders, renderFrame } from '../dashboard/frame.ts';
import { readJsonFields, readLowerCaseFields, readTextField, readTextsField } from './body-fields.ts';
import {
  answerJson,
  answerText,
  type CompatCall,
  type CompatRoute,
  readNumber,
  refuseRoute,
  USE_STREAM,
} from './door.ts';
import { formatPartId, makeDamagedSummary, makeMessage, makeSummary, readShownText } from './mailpit-view.ts';
import { readMailpitQuery, type Term } from './search.ts';
import { sendMail } from './send.ts';
import { formatHeaderName, listHeaderFields, requireRaw } from './source.ts';
import { readTime } from './times.ts';

const LIMIT = 50;
const LIMIT_MAX = 1_000;
/** Bytes of mail that are read for summaries in one turn of the event loop. */
const TURN_BYTES = 200_000;
/** A smaller mail counts as this many bytes. */
const MAIL_BYTES_MIN = 10_000;

const OWN_API = "Use Postern's own API: /docs at its HTTP address describes it.";

export const mailpitRoutes: readonly CompatRoute[] = [
  { method: 'GET', path: '/api/v1/messages', run: listAll },
  { method: 'PUT', path: '/api/v1/messages', run: markMails },
  { method: 'DELETE', path: '/api/v1/messages', run: deleteMails },
  { method: 'GET', path: '/api/v1/search', run: searchMails },
  { method: 'DELETE', path: '/api/v1/search', run: deleteFound },
  { method: 'GET', path: '/api/v1/message/:id', run: getMessage },
  { method: 'GET', path: '/api/v1/message/:id/headers', run: getHeaders },
  { method: 'GET', path: '/api/v1/message/:id/raw', run: getSource },
  { method: 'GET', path: '/api/v1/message/:id/part/:part', run: getPart },
  { method: 'POST', path: '/api/v1/send', run: sendMail },
  { method: 'GET', path: '/api/v1/info', run: getInfo },
  { method: 'GET', path: '/api/v1/tags', run: () => answerJson([]) },
  { method: 'GET', path: '/api/v1/webui', run: () => answerJson(WEB_UI) },
  { method: 'GET', path: '/view/:file', run: viewMail },
  ...['/livez', '/readyz'].map(
    (path): CompatRoute => ({ method: 'GET', path, isOpen: true, run: () => answerText('') }),
  ),
  ...['/api/v1/tags', '/api/v1/tags/:tag', '/api/v1/chaos'].map((path) => refuseRoute('PUT', path, OWN_API)),
  refuseRoute('DELETE', '/api/v1/tags/:tag', OWN_API),
  refuseRoute('POST', '/api/v1/message/:id/release', 'Nothing leaves a capture.'),
  ...['html-check', 'link-check', 'sa-check', 'rspamd-check', 'part/:part/thumb'].map((name) =>
    refuseRoute('GET', `/api/v1/message/:id/${name}`, OWN_API),
  ),
  refuseRoute('GET', '/api/v1/chaos', OWN_API),
  refuseRoute('GET', '/api/events', USE_STREAM),
];

const WEB_UI = {
  Label: '',
  MessageRelay: {
    Enabled: false,
    SMTPServer: '',
    ReturnPath: '',
    AllowedRecipients: '',
    BlockedRecipients: '',
    OverrideFrom: '',
    PreserveMessageIDs: false,
    RecipientAllowlist: '',
  },
  SpamAssassin: false,
  Rspamd: false,
  ChaosEnabled: false,
  DuplicatesIgnored: false,
  HideDeleteAllButton: false,
};

function readSearchTerms({ query }: CompatCall): Term[] {
  const search = (query.get('query') ?? '').trim();
  if (search === '') fail('validation_error', { text: 'Error: no search query' });
  return readMailpitQuery(search, query.get('tz') ?? '');
}

/** A limit of 0 means all here, but none for a search: as in Mailpit. */
function listAll(call: CompatCall): Promise<Response> {
  return listMails(call, [], readNumber(call.query.get('limit'), LIMIT, 0, LIMIT_MAX) || LIMIT_MAX);
}

function searchMails(call: CompatCall): Promise<Response> {
  const limit = readNumber(call.query.get('limit'), LIMIT, 0, LIMIT_MAX);
  return listMails(call, readSearchTerms(call), limit);
}

async function listMails(
  { door, query, request }: CompatCall,
  terms: readonly Term[],
  limit: number,
): Promise<Response> {
  const start = readNumber(query.get('start'), 0, 0, Number.MAX_SAFE_INTEGER);
  const before = readTime(query.get('before') ?? '', '');
  const asked = { terms, start, limit, counts: true };
  const found = await door.find(before === null ? asked : { ...asked, before }, request.signal);
  // The whole mailbox is counted, whatever the time. Only a search counts what matches before it.
  const whole = before === null ? found : await door.find({ limit: 0, counts: true }, request.signal);
  const matching = terms.length === 0 ? whole : found;
  const messages: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const mail of found.mails) {
    const shown = door.show(mail, makeSummary, (row) => makeDamagedSummary(mail, row));
    if (shown) messages.push(shown);
    bytes += Math.max(mail.size, MAIL_BYTES_MIN);
    if (bytes < TURN_BYTES) continue;
    await nextTurn();
    bytes = 0;
  }
  return answerJson({
    total: whole.total,
    unread: whole.unread,
    count: messages.length,
    messages_count: matching.matching,
    messages_unread: matching.matching_unread,
    start,
    tags: [],
    messages,
  });
}

/** Marks mails by ids or a search, or all if neither is given. */
async function markMails({ door, query, request }: CompatCall): Promise<Response> {
  const fields =
    (await readJsonFields(request)) ?? fail('validation_error', { text: 'The body is missing.' });
  const ids = readTextsField(fields, 'IDs');
  const search = readTextField(fields, 'Search').trim();
  const read = fields.read ?? false;
  if (typeof read !== 'boolean') return fail('validation_error', { text: 'Read must be true or false.' });
  if (ids.length > 0 && search !== '') {
    return fail('validation_error', { text: 'You may specify either IDs or a search query, not both' });
  }
  if (ids.length > 0) await door.mark(door.listMessageIds(ids), read);
  else {
    const terms = readMailpitQuery(search, query.get('tz') ?? '');
    await door.changeAll(terms, request.signal, (some) => door.mark(some, read));
  }
  return answerText('ok');
}

/**
 * Deletes mails by ids, or all if none are given. MailHog sends no body here, and its clients would parse one as JSON.
 */
async function deleteMails({ door, request }: CompatCall): Promise<Response> {
  const fields = await readJsonFields(request);
  const ids = readTextsField(fields ?? readLowerCaseFields(null), 'IDs');
  if (ids.length > 0) await door.delete(door.listMessageIds(ids));
  else await door.changeAll([], request.signal, (some) => door.delete(some));
  const isMailhog = fields === null && !request.headers.has('accept');
  return answerText(isMailhog ? '' : 'ok');
}

async function deleteFound(call: CompatCall): Promise<Response> {
  await call.door.changeAll(readSearchTerms(call), call.request.signal, (some) => call.door.delete(some));
  return answerText('ok');
}

async function getMessage(call: CompatCall): Promise<Response> {
  const mail = await call.door.requireMail(call);
  const message = await makeMessage(call.door, mail);
  await call.door.mark(mail.ids, true);
  return answerJson(message);
}

async function getHeaders(call: CompatCall): Promise<Response> {
  const { id } = await call.door.requireMail(call);
  const headers: Record<string, string[]> = Object.create(null);
  for (const [name, value] of listHeaderFields(call.door, requireRaw(call.door, id))) {
    const key = formatHeaderName(name);
    headers[key] ??= [];
    headers[key].push(value);
  }
  return answerJson(
    Object.fromEntries(Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
}

async function getSource(call: CompatCall): Promise<Response> {
  const { id } = await call.door.requireMail(call);
  const mail = openRawMail(call.door.services, requireRaw(call.door, id));
  return new Response(mail.read(0, mail.size), {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(call.query.get('dl') === '1' && { 'content-disposition': `attachment; filename="${id}.eml"` }),
    },
  });
}

async function getPart(call: CompatCall): Promise<Response> {
  const { door, params } = call;
  const { id } = await door.requireMail(call);
  const raw = requireRaw(door, id);
  const info = readContent(raw).attachments.find((one) => formatPartId(one) === params.part);
  if (!info) return fail('not_found');
  const held = door.services.heldBytes.take(door.accountNo, info.size);
  try {
    const bytes = await readAttachmentBytes(door.services, door.accountNo, raw, info.index);
    if (!bytes) throw new Error(`attachment ${info.index} of ${id} could not be read`);
    return new Response(makeStream(door.services, sliceBytes(bytes), held), {
      headers: makeAttachmentHeaders(info),
    });
  } catch (fault) {
    held.release();
    throw fault;
  }
}

async function getInfo({ door, request }: CompatCall): Promise<Response> {
  const { services } = door;
  const found = await door.find({ limit: 0, counts: true }, request.signal);
  return answerJson({
    Version: `v${version} (Postern)`,
    LatestVersion: 'disabled',
    Database: services.dataDir,
    DatabaseSize: services.store.size.bytes,
    Messages: found.total,
    Unread: found.unread,
    Tags: {},
    RuntimeStats: {
      Uptime: Math.floor((services.clock.nowUs() - door.startedUs) / SECOND_US),
      Memory: process.memoryUsage.rss(),
      MessagesDeleted: door.deleted,
      SMTPAccepted: found.total,
      SMTPAcceptedSize: 0,
      SMTPRejected: 0,
      SMTPIgnored: 0,
    },
  });
}

const asSent = { remoteImages: false, dark: false };

/** Serves `latest.txt` or `<id>.html`, and marks the mail read, as Mailpit does. */
async function viewMail(call: CompatCall): Promise<Response> {
  const { door, params } = call;
  const [, id, form] = /^(.+)\.(txt|html)$/.exec(params.file ?? '') ?? [];
  if (id === undefined) return fail('not_found', { text: 'Only .txt and .html are shown here.' });
  const mail = await door.requireMail({ ...call, params: { id } });
  const content = readContent(mail.row);
  if (form === 'html' && content.html === '') {
    return fail('not_found', { text: 'This message does not contain a HTML part' });
  }
  const answer =
    form === 'txt'
      ? answerText(await readShownText(door, mail, requireRaw(door, mail.id), content))
      : new Response(await renderFrame(door.services, door.accountNo, mail.id, asSent, 'alone'), {
          headers: makeFrameHeaders(false, 'alone'),
        });
  await door.mark(mail.ids, true);
  return answer;
}
