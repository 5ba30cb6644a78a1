/** The listener for other tools' clients: who is refused, what is bounded, and how wrong input is answered. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cpuMs } from '../../peers/cpu-time.ts';
import { type CompatScene, openScene, plainMail } from './scene.ts';

let scene: CompatScene;
beforeAll(async () => {
  scene = await openScene({ smtp_max_size: '65536', smtp_recipients_max: '3' });
});
beforeEach(async () => void (await scene.ask('DELETE', '/api/v1/messages')));
afterAll(() => scene[Symbol.asyncDispose]());

const status = async (...given: Parameters<CompatScene['ask']>) => (await scene.ask(...given)).status;
const send = (body: unknown) => scene.ask('POST', '/api/v1/send', { body: JSON.stringify(body) });
const sender = { Email: 'app@example.com' };
const to = [{ Email: 'jane@example.org' }];

describe('a request', () => {
  test('needs no key, and may have one, which is ignored', async () => {
    expect(await status('GET', '/api/v1/messages')).toBe(200);
    expect(await status('GET', '/api/v1/messages', { headers: { authorization: 'Basic YTpi' } })).toBe(200);
  });

  test('with a foreign Host is refused', async () => {
    for (const host of ['evil.example', 'evil.example:8026', '127.0.0.1.evil.example']) {
      expect([host, await status('GET', '/api/v1/messages', { headers: { host } })]).toEqual([host, 403]);
    }
    for (const host of ['localhost, evil.example', 'localhost@evil.example', 'localhost/']) {
      expect([host, await status('GET', '/api/v1/messages', { headers: { host } })]).toEqual([host, 400]);
    }
    for (const host of ['localhost', `127.0.0.1:${scene.port}`, 'mail.localhost']) {
      expect([host, await status('GET', '/api/v1/messages', { headers: { host } })]).toEqual([host, 200]);
    }
  });

  test('from another website is refused', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:3000' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    ];
    for (const headers of foreign) {
      expect([headers, await status('GET', '/api/v1/messages', { headers })]).toEqual([headers, 403]);
      expect([headers, await status('DELETE', '/api/v1/messages', { headers })]).toEqual([headers, 403]);
    }
    expect(await status('GET', '/api/v1/messages', { headers: { origin: scene.url } })).toBe(200);
  });

  test('that a proxy passes on is refused, because its client may be on another machine', async () => {
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      const headers = { [name]: '192.0.2.7' };
      expect([name, await status('GET', '/api/v1/messages', { headers })]).toEqual([name, 403]);
      expect([name, await status('DELETE', '/api/v1/messages', { headers })]).toEqual([name, 403]);
    }
  });

  test('for an unknown path gets 404, and with another method 405', async () => {
    for (const path of [
      '/',
      '/api/v1/nothing',
      '/api/v1/message/msg_1',
      '/api/v1/message/%zz',
      '/api/v1/message/latest',
    ]) {
      expect([path, await status('GET', path)]).toEqual([path, 404]);
    }
    for (const path of [
      '/view/latest.txt',
      '/view/latest.html',
      '/view/latest.pdf',
      '/api/v1/messages/msg_1',
    ]) {
      expect([path, await status('GET', path)]).toEqual([path, 404]);
    }
    expect(await status('DELETE', '/api/v1/messages/msg_1')).toBe(404);
    const wrong = await scene.ask('PATCH', '/api/v1/messages');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, GET, PUT']);
    expect(await status('OPTIONS', '/api/v1/messages')).toBe(405);
    expect(await status('HEAD', '/api/v1/messages')).toBe(200);
  });

  test('that can’t be read gets 400 with a reason', async () => {
    const reasons: [string, string, string, string][] = [
      ['PUT', '/api/v1/messages', '{', 'The body is not valid JSON.'],
      ['PUT', '/api/v1/messages', '', 'The body is missing.'],
      ['PUT', '/api/v1/messages', '{"IDs":"x"}', 'IDs must be an array.'],
      ['PUT', '/api/v1/messages', '{"IDs":[1]}', 'IDs must be an array of texts.'],
      ['PUT', '/api/v1/messages', '{"Read":"yes"}', 'Read must be true or false.'],
      ['PUT', '/api/v1/messages', '{"IDs":["a"],"Search":"b"}', 'not both'],
      ['DELETE', '/api/v1/messages', 'x', 'The body is not valid JSON.'],
      ['DELETE', '/api/v1/search', '', 'no search query'],
    ];
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'Kept', text: 'x' }) });
    for (const [method, path, body, reason] of reasons) {
      const response = await scene.ask(method, path, { body });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
    }
    for (const path of ['/api/v2/search', '/api/v2/search?kind=from', '/api/v2/search?kind=x&query=y']) {
      expect([path, await status('GET', path)]).toEqual([path, 400]);
    }
    expect(await status('GET', `/api/v1/search?query=${'x'.repeat(1_001)}`)).toBe(400);
    expect(await status('GET', `/api/v1/search?query=${'x+'.repeat(60)}`)).toBe(400);
    expect((await (await scene.ask('GET', '/api/v1/messages')).json()) as object).toMatchObject({
      total: 1,
      unread: 1,
    });
  });

  test('with strange numbers is answered as if they were left out', async () => {
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'One', text: 'x' }) });
    for (const query of ['start=-1', 'limit=-1', 'start=x&limit=1e9', 'limit=999999999999', 'before=never']) {
      const list = (await (await scene.ask('GET', `/api/v1/messages?${query}`)).json()) as { count: number };
      expect([query, list.count]).toEqual([query, 1]);
    }
    const past = (await (await scene.ask('GET', '/api/v1/messages?before=2020-01-01')).json()) as {
      count: number;
    };
    expect(past.count).toBe(0);
    expect(await (await scene.ask('GET', '/api/v2/messages?limit=0&start=-3')).json()).toMatchObject({
      count: 1,
    });
  });

  test('has a bounded body', async () => {
    expect(await status('PUT', '/api/v1/messages', { body: ' '.repeat(1024 * 1024 + 1) })).toBe(413);
    const large = await send({ From: sender, To: to, Text: 'x'.repeat(200_000) });
    expect([large.status, await large.json()]).toEqual([
      413,
      { Error: 'The body has more than 131072 bytes.' },
    ]);
    const mail = await send({ From: sender, To: to, Text: 'x'.repeat(100_000) });
    expect([mail.status, await mail.json()]).toEqual([413, { Error: 'The mail has more than 65536 bytes.' }]);
  });

  test('is answered with headers that forbid browsers to sniff its type or to cache it', async () => {
    const { headers } = await scene.ask('GET', '/api/v1/messages');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('sending', () => {
  test('accepts the names of fields in any case, as Go does', async () => {
    const sent = await send({
      from: { email: 'a@example.com' },
      to: [{ email: 'jane@example.org' }],
      subject: 'Low',
    });
    expect(sent.status).toBe(200);
  });

  test('stores a mail that is too large to be kept in memory', async () => {
    const small = await openScene();
    const content = Buffer.alloc(600_000, 7);
    const body = {
      From: sender,
      To: to,
      Attachments: [{ Filename: 'a.bin', Content: content.toString('base64') }],
    };
    const { ID } = (await (
      await small.ask('POST', '/api/v1/send', { body: JSON.stringify(body) })
    ).json()) as { ID: string };
    const part = await small.ask('GET', `/api/v1/message/${ID}/part/1`);
    expect(Buffer.from(await part.arrayBuffer()).equals(content)).toBe(true);
    await small[Symbol.asyncDispose]();
  });

  test('reads the white space of an attachment in linear time', async () => {
    const blanks = ' '.repeat(100_000);
    const attach = (content: string) =>
      send({ From: sender, To: to, Attachments: [{ Filename: 'a', Content: content }] });
    const began = cpuMs();
    expect((await attach(`AAAA${blanks}%`)).status).toBe(400);
    expect((await attach(`AA \r\nAA== \n`)).status).toBe(200);
    expect(cpuMs() - began).toBeLessThan(1_000);
  });

  test('refuses a request that is not a mail, with an error in JSON', async () => {
    const wrong: [object, string][] = [
      [{}, 'invalid From address'],
      [{ From: sender }, 'there is no recipient'],
      [{ From: sender, To: [{ Email: 'x' }] }, 'invalid To address: x'],
      [{ From: sender, To: [{ Email: 'a@b.example\r\nX: y' }] }, 'invalid To address'],
      [{ From: sender, To: 'jane@example.org' }, 'To must be an array.'],
      [{ From: sender, To: to, Bcc: [{ Email: 'a@b.example' }] }, 'Bcc must be an array of texts.'],
      [
        { From: sender, To: to, Bcc: ['a@b.example', 'b@b.example', 'c@b.example'] },
        'more than 3 recipients',
      ],
      [{ From: sender, To: to, Subject: 'a\nb' }, 'Subject must be one line'],
      [{ From: { ...sender, Name: 'a\r\nBcc: x' }, To: to }, 'From name must be one line'],
      [{ From: sender, To: to, Subject: 7 }, 'Subject must be text.'],
      [{ From: sender, To: to, Headers: { Subject: 'x' } }, 'cannot overwrite header'],
      [{ From: sender, To: to, Headers: { 'A B': 'x' } }, 'an invalid name'],
      [{ From: sender, To: to, Headers: { A: 'x\r\nB: y' } }, 'must be one line'],
      [{ From: sender, To: to, Headers: { A: 1 } }, 'must be text'],
      [
        { From: sender, To: to, Attachments: [{ Filename: 'a', Content: '%%%' }] },
        'error decoding base64 attachment "a"',
      ],
      [
        { From: sender, To: to, Attachments: [{ Filename: 'a', Content: '', ContentType: 'x;y' }] },
        'is not a media type',
      ],
    ];
    for (const [body, reason] of wrong) {
      const response = await send(body);
      expect([body, response.status, await response.json()]).toEqual([
        body,
        400,
        { Error: expect.stringContaining(reason) },
      ]);
    }
  });
});

describe('mails', () => {
  test('that arrive at the same moment for the same recipients are two rows', async () => {
    const raw = plainMail({ subject: 'Same', text: 'x' });
    await Promise.all([1, 2, 3].map(() => scene.send({ to: ['a@example.org', 'b@example.org'], raw })));
    expect(await (await scene.ask('GET', '/api/v1/messages')).json()).toMatchObject({ total: 3, count: 3 });
    expect(await (await scene.ask('GET', '/api/v2/messages')).json()).toMatchObject({ total: 3, count: 3 });
  });

  test('are all counted, found and deleted even if that takes more than one read of the store', async () => {
    await scene.send({ to: ['many@example.org'], raw: plainMail({ subject: 'Mail 0', text: 'x' }) });
    for (let at = 1; at < 600; at++) await scene.trap.deliver('many@example.org', { subject: `Mail ${at}` });
    expect(await (await scene.ask('GET', '/api/v1/messages?limit=1000')).json()).toMatchObject({
      total: 600,
      count: 600,
    });
    const found = await (await scene.ask('GET', '/api/v1/search?query=subject:"mail+42"')).json();
    expect(found).toMatchObject({ messages_count: 11 });
    expect(await status('PUT', '/api/v1/messages', { body: '{"Read":true}' })).toBe(200);
    expect(await (await scene.ask('GET', '/api/v1/messages?limit=0')).json()).toMatchObject({
      total: 600,
      unread: 0,
    });
    expect(await status('DELETE', '/api/v1/messages')).toBe(200);
    expect(await (await scene.ask('GET', '/api/v1/messages')).json()).toMatchObject({ total: 0 });
  });

  test('that are requested a hundred times at once are returned each time', async () => {
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'One', text: 'x' }) });
    const all = await Promise.all(
      Array.from({ length: 100 }, () => status('GET', '/api/v1/search?query=one')),
    );
    expect(all.every((one) => one === 200)).toBe(true);
  });

  test('with hostile headers and parts are answered', async () => {
    const parts = '--b\r\n'.repeat(3_000);
    const raw = `From: ,,, <\r\nTo: "\r\nSubject: =?utf-8?Q?=FF?=\r\nContent-Type: multipart/mixed; boundary=b\r\n__proto__: x\r\n\r\n${parts}`;
    await scene.send({ to: ['jane@example.org'], from: '', raw });
    const { ID } = (
      (await (await scene.ask('GET', '/api/v1/messages')).json()) as { messages: { ID: string }[] }
    ).messages[0]!;
    for (const path of [`message/${ID}`, `message/${ID}/headers`, `message/${ID}/raw`, `messages/${ID}`]) {
      expect([path, await status('GET', `/api/v1/${path}`)]).toEqual([path, 200]);
    }
    expect(await status('GET', `/view/${ID}.txt`)).toBe(200);
    expect(await status('GET', '/api/v2/messages')).toBe(200);
  });

  test('with sixteen thousand fields of one name have their headers shown quickly', async () => {
    await scene.send({ to: ['jane@example.org'], raw: `${'X:\r\n'.repeat(16_000)}\r\nx` });
    const began = cpuMs();
    const response = await scene.ask('GET', '/api/v1/message/latest/headers');
    expect((await response.json()) as Record<string, string[]>).toMatchObject({ X: { length: 16_000 } });
    expect(cpuMs() - began).toBeLessThan(500);
  });
});
