/** Mail that is imported from files and exported again comes back byte for byte, with and without a server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIL_BYTES_MAX } from '../../../src/doors/operator/transfer.ts';
import { MboxReader } from '../../../src/platform/mail/mbox.ts';
import { lockFolder } from '../../../src/platform/store/lock.ts';
import { loseMail, losePiece, spoilContent } from '../../store-state.ts';
import { postern, posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const env = { POSTERN_DATA_DIR: at('data'), POSTERN_DISK_FLOOR: '0', POSTERN_LIMITS: 'off' };
const corpus = join(import.meta.dir, '../../../../shared/corpus/robust');

/** Mails that programs often mangle: odd line ends, no line end, quoting, an mbox's "From " line. */
const odd: string[] = [
  'Subject: crlf\r\n\r\nhello\r\n',
  'Subject: lf\n\nhello\n',
  'Subject: no end\r\n\r\nhello',
  'Subject: gap\n\nhello\n\n\n',
  'Subject: quoted\n\nFrom here\n>From there\n>>From afar\nfrom\n',
  'From ann@example.org Sat Nov 21 08:00:00 2026\nSubject: with the line of an mbox\n\nFrom x 08:00\n\nFrom x 08:00\n',
  'Subject: bytes\r\n\r\n\0\x80\xff\r\rFrom \r\n.\r\n..\r\n',
  '',
  `Subject: large\r\n\r\n${'From the line\r\n'.repeat(60_000)}`,
];

let server: Serving;
let apiKey: string;
let count = 0;

beforeAll(async () => {
  ({ api_key: apiKey } = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', 'ann@example.com'],
    env,
  ));
  server = await startServing(['serve'], env);
});
afterAll(() => server[Symbol.asyncDispose]());

async function api(method: string, path: string, body?: object) {
  const answer = await fetch(`${server.ready.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.status === 204 ? null : ((await answer.json()) as { data: never }).data;
}

async function newInbox(): Promise<string> {
  const { address } = (await api('POST', '/inboxes', { routing_key: `box-${++count}` })) as unknown as {
    address: string;
  };
  return address;
}

function writeMails(name: string, mails: readonly string[]): string {
  mkdirSync(at(name));
  for (const [index, text] of mails.entries()) {
    writeFileSync(join(at(name), `${String(index).padStart(4, '0')}.eml`), Buffer.from(text, 'latin1'));
  }
  return at(name);
}

function textsIn(dir: string): string[] {
  return readdirSync(dir)
    .sort()
    .map((name) => readFileSync(join(dir, name), 'latin1'));
}

const hash = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');

interface Imported {
  imported: number;
}
const importFiles = (paths: string[], inbox: string, ...more: string[]) =>
  posternJson<Imported>(['mail', 'import', ...paths, '--inbox', inbox, ...more], env);
const take = (inbox: string, out: string, ...more: string[]) =>
  posternJson<{ exported: number; there_already: number; format: string }>(
    ['mail', 'export', inbox, '--out', out, ...more],
    env,
  );

test('odd mails come back byte for byte and in order through every format', async () => {
  const first = await newInbox();
  expect(await importFiles([writeMails('odd', odd)], first)).toMatchObject({ imported: odd.length });
  expect(await take(first, at('odd.mbox'))).toMatchObject({ exported: odd.length, format: 'mbox' });
  const second = await newInbox();
  expect(await importFiles([at('odd.mbox')], second)).toMatchObject({ imported: odd.length });
  expect(await take(second, at('odd-maildir'), '--format', 'maildir')).toMatchObject({
    exported: odd.length,
  });
  const third = await newInbox();
  expect(await importFiles([at('odd-maildir')], third)).toMatchObject({ imported: odd.length });
  await take(third, at('odd-again'));
  expect(textsIn(at('odd-again')).map(hash)).toEqual(odd.map(hash));
}, 30_000);

test('files of several formats are imported together, and waiting clients receive their messages', async () => {
  const inbox = await newInbox();
  const waiting = api('GET', `/inboxes/${inbox}/messages/wait?require=message&since=0&timeout=20`);
  const one = join(writeMails('kinds', ['Subject: one\n\nx\n']), '0000.eml');
  writeFileSync(
    at('two'),
    'From a@b.example Sat Nov 21 08:00:00 2026\nSubject: two\n\nx\n\nFrom - Sat Nov 21 08:00:00 2026\nSubject: three\n\nx\n',
  );
  writeFileSync(at('four'), 'Subject: four\n\nx\n');
  expect(await importFiles([one, at('two'), at('four')], inbox)).toMatchObject({ imported: 4 });
  expect(await waiting).toMatchObject({ subject: expect.any(String) });
  const messages = (await api('GET', `/inboxes/${inbox}/messages`)) as unknown as {
    subject: string;
    id: string;
  }[];
  expect(messages.map(({ subject }) => subject).reverse()).toEqual(['one', 'two', 'three', 'four']);
  expect(await api('GET', `/messages/${messages[2]!.id}`)).toMatchObject({
    envelope_from: 'a@b.example',
    subject: 'two',
  });
});

test('a file that does not begin with a header is not a mail, unless its format is given', async () => {
  const inbox = await newInbox();
  const file = at('notes.txt');
  writeFileSync(file, 'Shopping list\n\nMilk\n');
  const refused = await postern(['mail', 'import', file, '--inbox', inbox], env);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain(`${file} does not begin with a header`);
  expect(await importFiles([file, '--format', 'eml'], inbox)).toMatchObject({ imported: 1 });
  const { stdout } = await postern(['mail', 'import', file, '--format', 'eml', '--inbox', inbox], env);
  expect(stdout).toBe(`Imported 1 message into ${inbox}.\n`);
});

test('Maildir messages of the same second are ordered by the rest of their names', async () => {
  const maildir = at('second');
  for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(maildir, part), { recursive: true });
  for (const micros of [12, 100000, 5]) {
    writeFileSync(join(maildir, `new/1700000003.M${micros}P7.x`), `Subject: ${micros}\n\n`);
  }
  const inbox = await newInbox();
  expect(await importFiles([maildir], inbox)).toMatchObject({ imported: 3 });
  const messages = (await api('GET', `/inboxes/${inbox}/messages`)) as unknown as { subject: string }[];
  expect(messages.map(({ subject }) => subject).reverse()).toEqual(['5', '12', '100000']);
});

test('a message that is read in a Maildir is imported as read, and exported as read', async () => {
  const maildir = at('flags');
  for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(maildir, part), { recursive: true });
  writeFileSync(join(maildir, 'cur/1700000002.x:2,RS'), 'Subject: seen\n\n');
  writeFileSync(join(maildir, 'cur/1700000001.x:2,'), 'Subject: old\n\n');
  writeFileSync(join(maildir, 'new/1700000003.x'), 'Subject: new\n\n');
  writeFileSync(join(maildir, 'tmp/1700000000.x'), 'Subject: half');
  const inbox = await newInbox();
  expect(await importFiles([maildir], inbox)).toMatchObject({ imported: 3 });
  const messages = (await api('GET', `/inboxes/${inbox}/messages`)) as unknown as {
    subject: string;
    read: boolean;
  }[];
  expect(messages.map(({ subject, read }) => [subject, read]).reverse()).toEqual([
    ['old', false],
    ['seen', true],
    ['new', false],
  ]);
  const out = at('flags-out');
  await take(inbox, out, '--format', 'maildir');
  expect([readdirSync(join(out, 'cur')).length, readdirSync(join(out, 'new')).length]).toEqual([1, 2]);
  expect(readdirSync(join(out, 'cur'))[0]).toEndWith(':2,S');
  // A second export only has what has arrived since.
  await importFiles([writeMails('since', ['Subject: since\n\n'])], inbox);
  expect(await take(inbox, out, '--format', 'maildir')).toMatchObject({ exported: 1, there_already: 3 });
});

test.if(existsSync(corpus))(
  'the corpus of malformed mails comes back byte for byte',
  async () => {
    const names = readdirSync(corpus).sort();
    mkdirSync(at('robust'));
    for (const [index, name] of names.entries()) {
      cpSync(join(corpus, name), join(at('robust'), `${String(index).padStart(5, '0')}.eml`));
    }
    const inbox = await newInbox();
    expect(await importFiles([at('robust')], inbox)).toMatchObject({ imported: names.length });
    expect(await take(inbox, at('robust.mbox'))).toMatchObject({ exported: names.length });
    const reader = new MboxReader(MAIL_BYTES_MAX);
    const found = [...reader.push(readFileSync(at('robust.mbox'))), ...reader.end()];
    expect(found.map(({ raw }) => hash(raw.toString('latin1')))).toEqual(textsIn(at('robust')).map(hash));
  },
  60_000,
);

test('an export leaves out what the disk has damaged, says so, and fails; it has all the other mail', async () => {
  const inbox = await newInbox();
  const mails = ['one', 'lost', 'two', 'torn', 'spoilt', 'three'].map((name) => {
    const body = name === 'torn' ? crypto.getRandomValues(Buffer.alloc(600_000)).toString('base64') : '';
    return `Subject: ${name}\r\n\r\n${body.replace(/.{76}/g, '$&\r\n')}\r\n`;
  });
  await importFiles([writeMails('before-damage', mails)], inbox);
  const listed = (await api('GET', `/inboxes/${inbox}/messages`)) as unknown as { id: string }[];
  const ids = listed.map(({ id }) => id).reverse();
  const where = { dataDir: at('data') };
  loseMail(where, ids[1]!);
  losePiece(where, ids[3]!, 1);
  spoilContent(where, ids[4]!);
  const args = ['mail', 'export', inbox, '--out', at('after-damage'), '--json'];
  const { status, stdout, stderr } = await postern(args, env);
  expect(JSON.parse(stdout)).toMatchObject({ exported: 3, there_already: 0, damaged: 3 });
  for (const index of [1, 3, 4]) expect(stderr).toContain(`Message ${ids[index]} is left out: `);
  expect(status).toBe(1);
  expect(textsIn(at('after-damage'))).toEqual([mails[0]!, mails[2]!, mails[5]!]);
  // Another command would find the damage of this one.
  await api('DELETE', `/inboxes/${inbox}`);
}, 30_000);

describe('mail import and mail export say what to do about', () => {
  const wrong: [string, string[], number, string][] = [
    ['no file', ['mail', 'import', '--inbox', 'x@postern.test'], 2, 'FILE is missing'],
    [
      'a file that does not exist',
      ['mail', 'import', '/nope.eml', '--inbox', 'x@postern.test'],
      1,
      'File /nope.eml does not exist',
    ],
    [
      'an inbox that does not exist',
      ['mail', 'import', import.meta.path, '--format', 'eml', '--inbox', 'x@postern.test'],
      1,
      'There is no inbox',
    ],
    [
      'a device',
      ['mail', 'import', '/dev/zero', '--inbox', 'x@postern.test'],
      1,
      'neither a file nor a folder',
    ],
    ['an empty folder', ['mail', 'import', folder.path, '--inbox', 'x@postern.test'], 1, 'is not a Maildir'],
    [
      'a file that is not an mbox',
      ['mail', 'import', import.meta.path, '--format', 'mbox', '--inbox', 'box-1@postern.test'],
      1,
      'is not an mbox file',
    ],
    [
      'an unknown format',
      ['mail', 'import', import.meta.path, '--format', 'pst', '--inbox', 'x@postern.test'],
      2,
      'must be one of',
    ],
    [
      'an export to an existing file',
      ['mail', 'export', 'box-1@postern.test', '--out', at('there.mbox')],
      1,
      'already exists',
    ],
    [
      'an export into one eml file',
      ['mail', 'export', 'box-1@postern.test', '--out', at('all.eml')],
      2,
      'give a folder',
    ],
  ];
  test.each(wrong)('%s', async (_, args, expected, message) => {
    writeFileSync(at('there.mbox'), 'mine');
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toContain(message);
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(readFileSync(at('there.mbox'), 'utf8')).toBe('mine');
    expect(existsSync(at('all.eml'))).toBe(false);
  });
});

test('mail comes back byte for byte even when no server runs', async () => {
  const alone = { ...env, POSTERN_DATA_DIR: at('alone') };
  const account = await posternJson<{ account_id: string }>(
    ['account', 'create', '--email', 'bob@example.com'],
    alone,
  );
  expect(account.account_id).toStartWith('acct_');
  await using other = await startServing(['serve'], alone);
  const { api_key: key } = await posternJson<{ api_key: string }>(
    ['key', 'create', account.account_id],
    alone,
  );
  await fetch(`${other.ready.http}/api/v1/inboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"routing_key":"bob"}',
  });
  await other[Symbol.asyncDispose]();
  const args = ['mail', 'import', at('odd'), '--inbox', 'bob@postern.test'];
  expect(await posternJson<Imported>(args, alone)).toMatchObject({ imported: odd.length });
  await posternJson(['mail', 'export', 'bob@postern.test', '--out', at('bob')], alone);
  expect(textsIn(at('bob')).map(hash)).toEqual(odd.map(hash));
  expect(statSync(at('bob')).mode & 0o777).toBe(0o700);
}, 30_000);

test('a command waits for a server that is starting', async () => {
  const starting = { ...env, POSTERN_DATA_DIR: at('starting') };
  await posternJson(['account', 'create', '--email', 'ann@example.com'], starting);
  // A server holds the folder early in its start, and responds later.
  const lock = (await lockFolder(at('starting')))!;
  const command = postern(['mail', 'export', 'none@postern.test', '--out', at('early')], starting);
  // Long enough for the command to find the folder locked. If the command is slower, it does not have to wait.
  const early = await Promise.race([command, Bun.sleep(1_000)]);
  lock.release();
  expect(early).toBeUndefined();
  const { stderr } = await command;
  expect(stderr).toBe('There is no inbox none@postern.test. Use its id or its address.\n');
});

test('an id from a hostile server can’t name a file outside the folder', async () => {
  mkdirSync(at('hostile'));
  mkdirSync(at('outside'));
  const listed = [{ id: `msg_/../../../outside/planted`, received_at: 1, read: false, envelope_from: '' }];
  const hostile = Bun.serve({
    unix: join(at('hostile'), 'control.sock'),
    fetch: (request) =>
      new URL(request.url).pathname === '/list'
        ? Response.json({ output: listed, base_url: '' })
        : new Response('Subject: planted'),
  });
  try {
    for (const format of ['eml', 'maildir']) {
      const args = ['mail', 'export', 'x', '--format', format, '--out', at('hostile-out')];
      const { status, stderr } = await postern(args, { POSTERN_DATA_DIR: at('hostile') });
      expect(stderr).toContain('without a valid id');
      expect(status).toBe(1);
    }
    expect(readdirSync(at('outside'))).toEqual([]);
  } finally {
    await hostile.stop(true);
  }
});
