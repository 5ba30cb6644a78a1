/** Sends random dialogues and requests, built from almost correct pieces, while mail arrives. */
import { connect } from 'node:net';
import { findSlowest, makeInbox, type Outcome, type Part, Stage } from './stage.ts';

const ROUNDS = { full: 4_000, short: 200 };
const AT_ONCE = 20;
const TALK_MS = 400;

export const fuzz: Part = {
  meaning: 'random SMTP dialogues and HTTP requests, while mail arrives',
  async run(length): Promise<Outcome> {
    const rounds = ROUNDS[length];
    await using stage = await Stage.open({ POSTERN_SMTP_CONNECTIONS: '2000', POSTERN_SMTP_MAX_SIZE: '1MiB' });
    // Another inbox than the mail's, because a random DELETE may be valid.
    const victim = await makeInbox(stage.server, stage.apiKey);
    const seen = new Map<string, number>();
    let left = rounds;
    const attacker = async () => {
      while (left-- > 0) {
        const isSmtp = left % 2 === 0;
        const said = isSmtp
          ? await talk(stage.smtpPort, makeDialogue(victim.address))
          : await talk(stage.httpPort, request(stage, victim.id));
        for (const code of readCodes(said, isSmtp)) seen.set(code, (seen.get(code) ?? 0) + 1);
      }
    };
    let isOver = false;
    const mail = stage.sendUntil(() => isOver, 20);
    await Promise.all(Array.from({ length: AT_ONCE }, attacker)).finally(() => (isOver = true));
    const tookMs = await mail;
    const bad = [...seen].filter(([code]) => code === 'HTTP 500' || code === 'SMTP 451');
    const faults = [...bad.map(([code, count]) => `${count} times ${code}`), ...(await stage.faults())];
    const codes = [...seen].sort().map(([code, count]) => `${code}: ${count}`);
    return {
      figures: { rounds, mails: tookMs.length, ...findSlowest(tookMs), answers: codes.join(', ') },
      faults: [...faults, ...(await stage.end())],
    };
  },
};

const pickAny = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;
const pickNumber = (most: number) => Math.floor(Math.random() * (most + 1));
const pickRarely = (text: string, usual: string) => (pickNumber(9) === 0 ? text : usual);
const makeNoise = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(pickNumber(200)))).toString('latin1');
const makeLong = () => pickAny(['a', '<', ' ', '.', 'é', '\0']).repeat(pickAny([10, 1000, 20_000]));

/** MIME headers and bodies that do not match. */
function makeOddMail(): string {
  const lines = [
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: text/html; charset=x',
    'Content-Type: ;;;',
    '--b',
    '--b--',
    'Content-Transfer-Encoding: base64',
    'Content-Transfer-Encoding: quoted-printable',
    '=?utf-8?B?=?=',
    'Subject: =?x?Q?',
    'From: <<<@',
    'To: a: b: c;',
    'Date: 99',
    `Message-ID: ${makeLong()}`,
    '<a href="http://',
    '<!--',
    'Your code is 482913',
    '',
    '',
    '',
    makeNoise(),
    makeLong(),
    '=',
    '..',
    '\t',
    'message/rfc822',
    'filename*0*=utf-8',
  ];
  return Array.from(
    { length: pickNumber(40) },
    () => pickAny(lines) + pickAny(['\r\n', '\r\n', '\r\n', '\n', '\r']),
  ).join('');
}

function makeDialogue(inbox: string): string {
  const lines = [
    'EHLO x',
    'HELO',
    'MAIL FROM:<a@example.org>',
    'MAIL FROM:<>',
    `MAIL FROM:<${makeLong()}@x>`,
    'MAIL FROM:<a@b> SIZE=99999999999',
    `RCPT TO:<${inbox}>`,
    `RCPT TO:<${inbox}>`,
    'RCPT TO:<nobody@postern.test>',
    `RCPT TO:<${makeLong()}>`,
    'DATA',
    'DATA',
    'RSET',
    'NOOP',
    'QUIT',
    'VRFY x',
    'AUTH PLAIN AAAA',
    'STARTTLS',
    'BDAT 10 LAST',
    'XCLIENT ADDR=1.2.3.4',
    '.',
    '..',
    `Subject: fuzz\r\n\r\n${makeLong()}`,
    'Content-Type: multipart/mixed; boundary=""',
    makeNoise(),
    makeLong(),
    '',
  ];
  const ends = ['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\0\r\n', ''];
  const odd = Array.from({ length: 1 + pickNumber(25) }, () => pickAny(lines) + pickAny(ends)).join('');
  if (pickNumber(2) === 0) return odd;
  // Gets far enough for a mail to follow.
  const opening = `EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<${inbox}>\r\nDATA\r\n`;
  return `${opening}${makeOddMail()}${pickAny(['\r\n.\r\n', '\r\n.\r\n', '\n.\n', '\r\n.\n'])}${pickAny(['', odd, opening])}`;
}

function request({ apiKey }: Stage, inbox: string): string {
  const [path, body] = [makePath(inbox), makeBody()];
  const length = pickAny([body.length, body.length, body.length, body.length + 5, 0]);
  const headers = [
    `Host: ${pickRarely(pickAny(['', makeLong().slice(0, 100)]), 'localhost')}`,
    pickAny([
      `Authorization: Bearer ${apiKey}`,
      `Authorization: Bearer ${apiKey}`,
      'Authorization: Bearer x',
      `Authorization: ${pickNumber(9) === 0 ? makeNoise().replace(/[\r\n]/g, '') : `Bearer ${apiKey}`}`,
    ]),
    `Content-Type: ${pickAny(['application/json', 'application/json', 'text/plain', 'multipart/form-data; boundary=x', ';;'])}`,
    pickAny([
      `Content-Length: ${Buffer.byteLength(body, 'latin1') === body.length ? length : 0}`,
      pickRarely('Transfer-Encoding: chunked', `Content-Length: ${body.length}`),
      pickRarely('Content-Length: -1', `Content-Length: ${body.length}`),
    ]),
    pickAny([
      '',
      'Idempotency-Key: x',
      'Accept: text/html',
      'Last-Event-ID: x',
      'Range: bytes=0-',
      'Expect: 100-continue',
    ]),
  ];
  const method = pickAny(['GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'BREW']);
  return `${method} ${path.replace(/[\r\n ]/g, '')} HTTP/1.1\r\n${headers.filter(Boolean).join('\r\n')}\r\n\r\n${body}`;
}

function makePath(inbox: string): string {
  return pickAny([
    '/api/v1/inboxes',
    `/api/v1/inboxes/${inbox}`,
    `/api/v1/inboxes/${inbox}/messages?limit=${pickAny(['1', '0', '-1', 'x', '1e9', '%00'])}`,
    `/api/v1/inboxes/${inbox}/messages/wait?timeout=1&since=${pickAny(['0', 'x', '9e99', '%ff', '1'])}`,
    '/api/v1/messages/batch',
    '/api/v1/verify',
    '/api/v1/messages/msg_x/raw',
    '/api/v1/agents/register',
    '/api/v1/outbound_emails',
    '/api/v1/domains',
    '/%',
    '//',
    '/healthz',
    `/${makeLong()}`,
    `/api/v1/inboxes?cursor=${encodeURIComponent(makeNoise())}`,
    `/api/v1/public/emails/${encodeURIComponent(makeNoise())}/messages`,
  ]);
}

function makeBody(): string {
  return pickAny([
    '',
    '{',
    '[]',
    'null',
    '{"read":1}',
    '{"action":"fetch","ids":[1]}',
    `{"label":"${'x'.repeat(pickNumber(200))}"}`,
    '{"metadata":{"a":{}}}',
    `{"email":"${pickAny(['a@b', 'a@@', `${'a'.repeat(400)}@b`, '"\\u0000"@b'])}"}`,
    makeNoise(),
    '['.repeat(pickNumber(50_000)),
    `{"__proto__":${pickNumber(9)}}`,
  ]);
}

/** Sends everything, in one to three pieces, and returns what is answered until nothing more comes. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let said = '';
    const timer = setTimeout(() => socket.destroy(), TALK_MS);
    socket.on('data', (bytes) => (said += bytes.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(said);
    });
    const cut = pickNumber(text.length);
    socket.write(Buffer.from(text.slice(0, cut), 'latin1'));
    setTimeout(() => socket.writable && socket.write(Buffer.from(text.slice(cut), 'latin1')), 5);
  });
}

function readCodes(said: string, isSmtp: boolean): string[] {
  const pattern = isSmtp ? /^(\d{3})(?: |$)/gm : /^HTTP\/1\.1 (\d{3})/gm;
  return Array.from(said.matchAll(pattern), ([, code]) => `${isSmtp ? 'SMTP' : 'HTTP'} ${code}`);
}
