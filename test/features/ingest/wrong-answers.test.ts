/** Whatever of a captured parser's answers is stored can be read everywhere; the rest is refused. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parserProtocol } from '../../../src/features/ingest/parser-answers.ts';
import { storeParsed } from '../../../src/features/ingest/receive.ts';
import { searchJobs } from '../../../src/features/messages/index-search.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import { encodeResult, type StorableMail } from '../../../src/platform/mail/parser-protocol.ts';
import { encodeContent } from '../../../src/platform/mail/stored-mail.ts';
import { FrameReader } from '../../../src/platform/process/frames.ts';
import { type CompatScene, openScene, richMail } from '../../doors/compat/scene.ts';
import { makeWrongAnswer } from './wrong-answers.ts';

const SEEDS = 1_500;
const STORED_MAX = 120;

const raw = richMail('Your code').replace(
  '<p>',
  '<p>Your code is 482913. <a href="https://example.com/in?t=f3Kd82hs7Gq1">Sign in</a> ',
);

let scene: CompatScene;
beforeAll(async () => {
  scene = await openScene({ limits: 'off' });
});
afterAll(() => scene[Symbol.asyncDispose]());

function decode(frame: Uint8Array): StorableMail | null {
  try {
    return parserProtocol.decode(new FrameReader().take(frame)[0]!) as unknown as StorableMail;
  } catch {
    return null;
  }
}

async function store(mail: StorableMail): Promise<void> {
  const { services } = scene.trap;
  const trap = { account_no: services.capture!.accountNo, cap: 1_000, isApart: false };
  const bytes = new Uint8Array(Buffer.from(raw));
  const received = {
    session: 's',
    raw: { bytes },
    size: bytes.length,
    envelope_from: 'app@example.com',
    helo: 'x',
    client_address: '127.0.0.1',
    protocol: 'ESMTP',
    smtp_user: null,
    recipients: [{ envelope_recipient: 'jane@example.org', address: 'jane@example.org' }],
  };
  expect(await storeParsed(services, trap, received, mail)).toHaveLength(1);
}

test('an answer that was changed anywhere is refused, or stored and readable everywhere', async () => {
  const { summary, content } = await parseMail(Buffer.from(raw));
  const right = { summary, content };
  expect(decode(encodeResult({ id: 1, summary, ...encodeContent(content, undefined, 1) }))).not.toBeNull();
  const kept = new Map<string, StorableMail>();
  for (let seed = 0; seed < SEEDS; seed++) {
    const mail = decode(makeWrongAnswer(1, right, seed));
    if (mail) kept.set(JSON.stringify(mail.summary) + Buffer.from(mail.content).toString('latin1'), mail);
  }
  const mails = [...kept.values()].slice(0, STORED_MAX);
  expect(mails.length).toBeGreaterThan(50);
  for (const mail of mails) await store(mail);
  for (const job of searchJobs) await scene.trap.run(job);
  const ids = await listIds();
  expect(ids).toHaveLength(mails.length);
  const faults: string[] = [];
  for (const path of [...ids.flatMap(listPaths), ...lists]) {
    const isCompat = path.startsWith('compat ');
    const origin = { origin: scene.trap.url, 'sec-fetch-site': 'same-origin' };
    const response = isCompat
      ? await fetch(scene.url + path.slice('compat '.length))
      : await fetch(scene.trap.url + path, { headers: origin });
    const body = await response.bytes();
    // What an odd answer says of attachments need not be true.
    const isFine = response.status === 200 || (response.status === 404 && path.includes('part'));
    if (!isFine) faults.push(`${path}: ${response.status} ${Buffer.from(body).toString().slice(0, 200)}`);
  }
  expect(faults).toEqual([]);
  expect(scene.trap.logged).toEqual([]);
}, 120_000);

const listPaths = (id: string) => [
  ...['', '/raw', '/checks'].map((rest) => `/api/v1/messages/${id}${rest}`),
  ...['', '/frame', '/source'].map((rest) => `/dashboard/api/messages/${id}${rest}`),
  ...['', '/headers', '/raw', '/part/1'].map((rest) => `compat /api/v1/message/${id}${rest}`),
  ...[`compat /view/${id}.html`, `compat /api/v1/messages/${id}`, `compat /api/v1/messages/${id}/download`],
];

const lists = [
  ...['', '&search=code', '&search=body:Jane', '&search=filename:logo', '&search=tag:a', '&has_otp=true'].map(
    (query) => `/api/v1/messages?limit=100${query}`,
  ),
  '/api/v1/inboxes/jane@example.org/messages?limit=100',
  '/api/v1/inboxes/jane@example.org/messages/latest',
  '/api/v1/threads?limit=100',
  '/dashboard/api/messages',
  'compat /api/v1/messages?limit=500',
  'compat /api/v1/search?query=code',
  'compat /api/v1/search?query=has:attachment',
  'compat /api/v2/messages?limit=500',
];

async function listIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { json } = await scene.trap.request('GET', `/api/v1/messages?limit=100${query}`);
    for (const { id } of json.data) ids.push(id);
    cursor = json.pagination.next_cursor;
  }
  return ids;
}
