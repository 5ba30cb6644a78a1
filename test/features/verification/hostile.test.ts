/** Odd and hostile tokens, texts, files and forms get the right code, and never a 500. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { api } from '../../../src/app/routes.ts';
import { dedupeTokens, splitTokens } from '../../../src/features/verification/tokens.ts';
import { startVerifying, type Verifying } from './verifying.ts';

let here: Verifying;
beforeAll(async () => {
  here = await startVerifying({ settings: { limits: 'off' } });
  here.domain('good.test');
});
afterAll(() => here[Symbol.asyncDispose]());

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const zip = Buffer.from('504b0304140000000800000021', 'hex');
const KIB_64 = 65_536;
const padded = (bytes: number) => Buffer.from('ann@good.test\n'.padEnd(bytes, '\n'));

const atoms = [
  '',
  '@',
  '.',
  '..',
  '-',
  '_',
  '"',
  '\\',
  "'",
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  ',',
  ';',
  ':',
  ' ',
  '\t',
  '\r',
  '\n',
  '\u0000',
  '\u0001',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\ufffd',
  'ü',
  'ß',
  'İ',
  '例',
  '😀',
  '👨‍👩‍👧',
  'e\u0301',
  'ﬃ',
  'ａ',
  '。',
  '\ue000',
  '\u{10ffff}',
  '%00',
  '%40',
  '\\u0000',
  'xn--',
  'xn--a',
  'XN--',
  'localhost',
  '127.0.0.1',
  '[127.0.0.1]',
  '[IPv6:::1]',
  '0x7f.1',
  '::1',
  '1',
  'a'.repeat(64),
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '=1+1',
  '+1',
  '-1',
  '<%=7*7%>',
  '{{7*7}}',
  "' OR 1=1--",
  '"; DROP TABLE usage',
  '../../etc/passwd',
  'mailto:',
  'http://',
  '\r\nRCPT TO:<x@y>',
  '%0d%0a',
  '$(id)',
];

/** Each atom before, after and in both parts of an address. */
const tokens = atoms.flatMap((atom) => [
  `${atom}ann@good.test`,
  `ann${atom}@good.test`,
  `ann@${atom}good.test`,
  `ann@good.test${atom}`,
  `${atom}@${atom}`,
]);

describe('hostile addresses', () => {
  test(`number more than 300 here`, () => expect(new Set(tokens).size).toBeGreaterThan(300));

  test('get a verdict when sent alone, or 422 if they are not an address at all', async () => {
    for (const email of tokens) {
      const reply = await here.verify({ email });
      const hasForm = /^.+@[^@]+$/s.test(email) && email.length <= 320;
      expect([email, reply.status]).toEqual([email, hasForm ? 200 : 422]);
      if (hasForm) expect(reply.json.data.email).toBe(email);
      else expect(reply.json.error.code).toBe('validation_error');
    }
  });

  test('get a row each in lists, texts and files, never an error of the whole request', async () => {
    for (let at = 0; at < tokens.length; at += 25) {
      const some = tokens.slice(at, at + 25);
      const listed = await here.batch({ emails: some });
      expect([listed.status, listed.json.data?.summary.total]).toEqual([200, dedupeTokens(some).length]);
      const text = some.join('\n');
      const pasted = await here.batch({ text });
      expect([pasted.status, pasted.json.data?.summary.total]).toEqual([200, splitTokens(text).length]);
      const plain = text.replaceAll('\u0000', '');
      const filed = await here.upload(new File([plain], 'x.csv'));
      expect([filed.status, filed.json.data?.summary.total]).toEqual([200, splitTokens(plain).length]);
    }
  });

  test('can’t inject a line into the SMTP session in full mode', async () => {
    for (let at = 0; at < tokens.length; at += 25) {
      expect((await here.batch({ emails: tokens.slice(at, at + 25), mode: 'full' })).status).toBe(200);
    }
    const said = here.exchange.sessions.flat();
    expect(said.length).toBeGreaterThan(50);
    const known = /^(EHLO mx\.postern\.test|MAIL FROM:<>( SMTPUTF8)?|RCPT TO:<[^\r\n]+@good\.test>|QUIT)$/;
    expect(said.filter((line) => !known.test(line))).toEqual([]);
  });
});

describe('files', () => {
  const rows: [name: string, content: Uint8Array | string, status: number | string, rows?: number][] = [
    ['list.csv', 'ann@good.test', 200, 1],
    ['list.txt', 'ann@good.test', 200, 1],
    ['LIST.CSV', 'ann@good.test', 200, 1],
    ['a.b.csv', 'ann@good.test', 200, 1],
    ['.csv', 'ann@good.test', 200, 1],
    ['../../etc/x.txt', 'ann@good.test', 200, 1],
    ['bom.csv', '\ufeffann@good.test', 200, 1],
    ['header.csv', 'name,email\nAnn,ann@good.test\n', 200, 4],
    ['quoted.csv', '"Smith, Ann","ann@good.test"\r\n"line\nbreak","bob@good.test"\r\n', 200, 6],
    ['doubled.csv', '"ann@good.test","say ""hello"""\n', 200, 3],
    ['old-mac.txt', 'ann@good.test\rbob@good.test\r', 200, 2],
    ['doubles.txt', 'ann@good.test\n'.repeat(4_000), 200, 1],
    ['doubles.csv', 'a@b.c,'.repeat(10_000), 200, 1],
    ['full.txt', padded(KIB_64), 200, 1],
    ['over.txt', padded(KIB_64 + 1), 'file_too_large'],
    ['far-over.csv', padded(10 * KIB_64), 'file_too_large'],
    ['many.csv', Array.from({ length: 101 }, (_, index) => `a${index}@b.c`).join('\n'), 'batch_too_large'],
    ['long.csv', `${'x'.repeat(KIB_64 - 1)}`, 200, 1],
    ['nul.csv', 'ann@good.test\u0000', 'malformed_file'],
    ['zip.csv', zip, 'malformed_file'],
    ['utf16.csv', utf16('ann@good.test'), 'malformed_file'],
    ['utf16.txt', utf16('例え'), 'malformed_file'],
    ['latin1.csv', Buffer.from('j\xf6rg@good.test', 'latin1'), 'malformed_file'],
    ['overlong.csv', Buffer.from([0x61, 0xc0, 0x80]), 'malformed_file'],
    ['surrogate.csv', Buffer.from([0xed, 0xa0, 0x80]), 'malformed_file'],
    ['cut.csv', Buffer.from([0x61, 0xe4, 0xbe]), 'malformed_file'],
    ['random.txt', Buffer.from([0x80, 0x81, 0xfe, 0xff]), 'malformed_file'],
    ['empty.csv', '', 'validation_error'],
    ['blank.csv', ' \r\n,;\t', 'validation_error'],
    ['list.pdf', 'ann@good.test', 'unsupported_file_type'],
    ['list.csv.exe', 'ann@good.test', 'unsupported_file_type'],
    ['csv', 'ann@good.test', 'unsupported_file_type'],
    ['list.csv ', 'ann@good.test', 'unsupported_file_type'],
    ['list.xlsx', zip, 'unsupported_file_type'],
  ];
  for (const [name, content, wanted, total] of rows) {
    test(`${name}: ${wanted}`, async () => {
      const reply = await here.upload(new File([content as string], name));
      expect([reply.status, reply.json.error?.code ?? reply.json.data.summary.total]).toEqual(
        wanted === 200 ? [200, total] : [422, wanted],
      );
      if (wanted !== 200) expect(reply.json.error.fields.file).toBeArrayOfSize(1);
    });
  }
});

/** A form as bytes that no library would write. */
function form(parts: [head: string, body: string | Uint8Array][], end = '--x--\r\n'): Buffer {
  const pieces = parts.flatMap(([head, body]) => [`--x\r\n${head}\r\n\r\n`, body, '\r\n']);
  return Buffer.concat([...pieces, end].map((piece) => Buffer.from(piece as string)));
}

const FILE = 'Content-Disposition: form-data; name="file"; filename="x.csv"\r\nContent-Type: text/csv';
const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;

describe('forms', () => {
  const send = (body: Uint8Array | string, type = 'multipart/form-data; boundary=x') =>
    here.appliance.request('POST', '/api/v1/verify/batch', {
      key: here.holder.key,
      body,
      headers: { 'content-type': type },
    });
  const good: [string, string] = [FILE, 'ann@good.test'];

  const cases: Record<string, [body: Uint8Array | string, wanted: number | string, type?: string]> = {
    'the file alone': [form([good]), 200],
    'the file and a mode': [form([good, [field('mode'), 'safe']]), 200],
    'a mode that is none': [form([good, [field('mode'), 'x']]), 'validation_error mode'],
    'no file': [form([[field('mode'), 'safe']]), 'validation_error file'],
    'a file that is only a field': [form([[field('file'), 'ann@good.test']]), 'validation_error file'],
    'two files': [form([good, good]), 'validation_error file'],
    'a file and a text': [form([good, [field('text'), 'a@b.c']]), 'validation_error text'],
    'a file and a list': [form([good, [field('emails'), 'a@b.c']]), 'validation_error emails'],
    'a field named as every object has one': [
      form([good, [field('__proto__'), '1']]),
      'validation_error __proto__',
    ],
    nothing: [form([]), 'validation_error'],
    'an empty body': ['', 'validation_error'],
    'no end': [form([good], ''), 'validation_error'],
    'another boundary': [form([good]).toString().replaceAll('--x', '--y'), 'validation_error'],
    'no boundary': [form([good]), 'validation_error body', 'multipart/form-data'],
    'an empty boundary': [form([good]), 'validation_error', 'multipart/form-data; boundary='],
    'JSON that says it is a form': ['{"emails":["a@b.c"]}', 'validation_error'],
    bytes: [Buffer.from([0xff, 0x00, 0x80]), 'validation_error'],
    'thousands of fields': [
      form(Array.from({ length: 900 }, (_, index) => [field(`f${index}`), ''])),
      'validation_error',
    ],
    'another kind of multipart': [form([good]), 415, 'multipart/mixed; boundary=x'],
    'a form of a page': ['file=x', 415, 'application/x-www-form-urlencoded'],
    'the bare file': ['ann@good.test', 415, 'text/csv'],
  };
  for (const [what, [body, wanted, type]] of Object.entries(cases)) {
    test(`${what}: ${wanted}`, async () => {
      const reply = await send(body, type);
      if (typeof wanted === 'number') return expect(reply.status).toBe(wanted);
      const [code, named] = wanted.split(' ');
      expect([reply.status, reply.json.error.code]).toEqual([422, code]);
      expect(Object.keys(reply.json.error.fields)).not.toBeEmpty();
      if (named) expect(Object.keys(reply.json.error.fields)).toContain(named);
    });
  }

  test('that hold too large a file are refused by its announced length, and without one', async () => {
    const body = form([[FILE, padded(KIB_64 + 20_000)]]);
    const chunked = await fetch(`${here.appliance.url}/api/v1/verify/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${here.holder.key}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: new ReadableStream({
        start(controller) {
          for (let at = 0; at < body.length; at += 8_192) controller.enqueue(body.subarray(at, at + 8_192));
          controller.close();
        },
      }),
    });
    const reply = (await chunked.json()) as { error: { code: string } };
    for (const [status, code] of [
      [chunked.status, reply.error.code],
      [(await send(body)).status, (await send(body)).json.error.code],
    ]) {
      expect([status, code]).toEqual([422, 'file_too_large']);
    }
  });

  test('as JSON may be as large as any body: a hundred of the longest addresses fit, more is 413', async () => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `${String(index).padStart(3, '0')}${'ü'.repeat(317)}`,
    );
    expect((await send(JSON.stringify({ emails }), 'application/json')).json.data.summary.total).toBe(100);
    const over = await send(JSON.stringify({ text: 'a@b.c '.repeat(11_000) }), 'application/json');
    expect([over.status, over.json.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('with a hundred thousand entries that are not text are refused for one reason, quickly', () => {
    const schema = api.routes.find(({ name }) => name === 'verifyBatch')?.body;
    const issues = schema?.safeParse({ emails: Array(1_000).fill(1) }).error?.issues;
    expect(issues?.map(({ path, message }) => [path, message])).toEqual([[['emails'], 'must be strings']]);
  });

  test('of arbitrary bytes never cause a server error', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (head, body) => {
        const reply = await send(
          Buffer.concat([Buffer.from('--x\r\n'), head, Buffer.from('\r\n\r\n'), body]),
        );
        return reply.status === 422 || reply.status === 200;
      }),
      { numRuns: 150 },
    );
  });
});

test('none of these requests caused a server error', () => expect(here.appliance.logged).toEqual([]));
