/** Releasing from a capture: the bytes as they came, through the smarthost, to the allow-list and nowhere else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ReleaseDiary } from '../../../src/features/outbound/release/diary.ts';
import { owner } from '../../doors/dashboard/visitor.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { startMailServer } from '../../peers/mail-server.ts';
import { startAppliance } from '../../start.ts';
import { keep, makeCapture, release } from './releasing.ts';

const hasBrowser = haveBrowser();
const ATTACHMENT = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256))
  .toString('base64')
  .replace(/.{76}/g, '$&\r\n');

/** Dots at the starts of lines, a folded header, 8-bit text, an attachment, and odd white space. */
const RAW = [
  'Received: from app (app [10.0.0.1])',
  '\tby somewhere; Mon, 23 Nov 2026 08:00:00 +0000',
  'From:   Shop  <shop@example.com>',
  'To: customer@example.net',
  'Bcc: hidden@example.net',
  'Subject: =?utf-8?Q?R=C3=BCckgabe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  'Grüße,  ',
  '.',
  '..two',
  '.one\t',
  '',
  '--x',
  'Content-Type: application/octet-stream; name=a.bin',
  'Content-Transfer-Encoding: base64',
  '',
  ATTACHMENT,
  '--x--',
  '',
].join('\r\n');

describe('a released mail', () => {
  test('arrives byte for byte, attachments and Bcc header included, in an envelope of its own', async () => {
    await using peer = await startMailServer({ extensions: ['8BITMIME', 'SIZE 10000000', 'AUTH PLAIN'] });
    await using capture = await makeCapture(peer);
    const id = await keep(capture, RAW);
    const { status, json } = await release(capture, id, ['ann@example.com', 'Bob <bob@team.example>']);
    expect([status, json.data]).toEqual([
      200,
      {
        is_exact: true,
        releases: ['ann@example.com', 'bob@team.example'].map((to) => ({
          at: expect.any(String),
          is_accepted: true,
          to,
          reply: '250 2.0.0 taken',
        })),
      },
    ]);
    const [mail] = peer.mails;
    expect(peer.mails).toHaveLength(1);
    expect([mail!.from, mail!.to, mail!.login]).toEqual([
      'ann@example.com',
      ['ann@example.com', 'bob@team.example'],
      'me:secret',
    ]);
    expect(Buffer.from(mail!.data, 'latin1').equals(Buffer.from(RAW))).toBe(true);
    const opened = (await capture.request('GET', `/dashboard/api/messages/${id}`)).json.data;
    expect(opened.releases.map(({ to }: { to: string }) => to)).toEqual([
      'bob@team.example',
      'ann@example.com',
    ]);
  });

  test('goes without TLS to a smarthost whose STARTTLS fails, and the log says so', async () => {
    await using peer = await startMailServer({ tls: { key: '', cert: '' } });
    await using capture = await startAppliance({
      capture: {},
      logLevel: 'info',
      settings: { release_smarthost: `smtp://127.0.0.1:${peer.port}`, release_allow: 'team.example' },
    });
    const id = await keep(capture, RAW);
    expect((await release(capture, id, ['ann@team.example'])).status).toBe(200);
    expect(peer.mails).toMatchObject([{ isSecure: false }]);
    const lines = capture.logged.filter((line) => line.includes('mail goes without TLS'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', host: '127.0.0.1' }]);
  });

  test('is sent only to addresses on the allow-list', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer);
    const id = await keep(capture, RAW);
    const refused = ['eve@example.com', 'ann@team.example.org', 'ann@sub.team.example', 'x@example.com'];
    for (const to of refused) {
      const { status, json } = await release(capture, id, ['ann@example.com', to]);
      expect([status, json.error.code]).toEqual([422, 'recipient_not_approved']);
      expect(json.error.fields.to[0]).toContain('POSTERN_RELEASE_ALLOW');
    }
    for (const to of [
      [],
      ['no address'],
      'ann@example.com',
      ['ann@example.com\r\nRCPT TO:<eve@example.org>'],
      undefined,
    ])
      expect((await release(capture, id, to)).status).toBe(422);
    const many = Array.from({ length: 11 }, (_, index) => `a${index}@team.example`);
    expect((await release(capture, id, many)).status).toBe(422);
    expect((await release(capture, 'msg_0', ['ann@example.com'])).status).toBe(404);
    expect(peer.connections).toBe(0);
  });

  test('is bounded to 30 in a minute, although capture has no limits', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer, { limits: 'off' });
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    for (let count = 0; count < 30; count++)
      expect((await release(capture, id, ['ann@example.com'])).status).toBe(200);
    const { status, json, headers } = await release(capture, id, ['ann@example.com']);
    expect([status, json.error.code]).toEqual([429, 'outbound_rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeWithin(1, 61);
    expect(peer.mails).toHaveLength(30);
  });

  test('is bounded again from now on when the clock is set back', () => {
    const clock = new FakeClock();
    const diary = new ReleaseDiary(clock);
    const takeAll = () => Array.from({ length: 31 }, () => diary.take()).filter((waitS) => waitS !== null);
    expect(takeAll()).toEqual([60]);
    clock.set(clock.nowUs() - 3_600_000_000);
    expect(takeAll()).toEqual([60]);
  });

  test('with bare line feeds reports that SMTP turned them into CRLF', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer);
    const id = await keep(capture, 'Subject: x\r\n\r\none\ntwo\r\n');
    const { json } = await release(capture, id, ['ann@example.com']);
    expect(json.data.is_exact).toBe(false);
    expect(peer.mails[0]!.data).toBe('Subject: x\r\n\r\none\r\ntwo\r\n');
  });

  test('whose stored bytes contain another end-of-data mark stays one mail', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer);
    await keep(capture, RAW);
    const smuggled = 'MAIL FROM:<eve@example.org>\r\nend\r\n';
    const ends = ['\n.\n', '\r.\r', '\r\n.\r', '\n.\r\n', '\r.\r\n', '\r\r\n.\r\n', '\r\n.\r\n'];
    // The second time across the pieces in which it is sent.
    for (const pad of [0, 65_520]) {
      for (const end of ends) {
        const raw = `Subject: x\r\n\r\n${'x'.repeat(pad)}${end}${smuggled}`;
        const id = await capture.deliver('customer@example.net', { raw });
        const before = peer.mails.length;
        expect((await release(capture, id, ['ann@example.com'])).status).toBe(200);
        expect(peer.mails).toHaveLength(before + 1);
        const { data } = peer.mails.at(-1)!;
        expect(data).toEndWith(smuggled);
        expect(data).not.toMatch(/(^|[^\r])\n|\r(?!\n)/);
      }
    }
  });
});

describe('a release that fails', () => {
  test('reports what the smarthost said, and is recorded', async () => {
    await using peer = await startMailServer({
      onRcpt: (to) => (to.startsWith('ann') ? '550 5.7.1 not you' : null),
    });
    await using capture = await makeCapture(peer);
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    const none = await release(capture, id, ['ann@example.com']);
    expect([none.status, none.json.error.message]).toEqual([
      409,
      'The smarthost refused the mail: 550 5.7.1 not you',
    ]);
    const some = await release(capture, id, ['ann@example.com', 'bob@team.example']);
    expect(some.json.data.releases.map(({ is_accepted }: { is_accepted: boolean }) => is_accepted)).toEqual([
      false,
      true,
    ]);
    const opened = (await capture.request('GET', `/dashboard/api/messages/${id}`)).json.data;
    expect(opened.releases).toHaveLength(3);
  });

  test('because no server is reachable names the setting to check', async () => {
    const peer = await startMailServer();
    await using capture = await makeCapture(peer);
    await peer[Symbol.asyncDispose]();
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    const { status, json } = await release(capture, id, ['ann@example.com']);
    expect([status, json.error.message]).toEqual([
      409,
      expect.stringContaining('Check POSTERN_RELEASE_SMARTHOST.'),
    ]);
  });
});

describe('without the settings', () => {
  test('neither capture nor a server releases anything', async () => {
    await using peer = await startMailServer();
    await using capture = await startAppliance({ capture: {} });
    const id = await keep(capture, 'Subject: x\r\n\r\nx\r\n');
    expect((await release(capture, id, ['ann@example.com'])).status).toBe(404);
    expect((await capture.request('GET', '/dashboard/api/me')).json.data.release_allow).toBeNull();
    const settings = { release_smarthost: `smtp://127.0.0.1:${peer.port}`, release_allow: 'ann@example.com' };
    await using server = await startAppliance({ settings });
    const { visitor } = await owner(server);
    expect((await visitor.post('/messages/msg_0/release', { to: ['ann@example.com'] })).status).toBe(404);
    expect(peer.connections).toBe(0);
  });
});

describe.skipIf(!hasBrowser)('in the dashboard', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  test('a mail is released by keyboard, a refused address is reported at its field, and the Delivery tab has it', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer);
    const id = await keep(capture, RAW);
    const { page, faults, violations, close } = await browser.open(`${capture.url}/dashboard/all/${id}`);
    await page.getByRole('button', { name: 'Release' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Release message' });
    await dialog.getByText('Allowed: ann@example.com, team.example').waitFor();
    expect(await dialog.getByLabel('To').inputValue()).toBe('ann@example.com');
    await dialog.getByLabel('To').fill('eve@example.org');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('POSTERN_RELEASE_ALLOW allows only').waitFor();
    expect(await violations()).toEqual([]);
    await dialog.getByLabel('To').fill('ann@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Message released').waitFor();
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.getByRole('region', { name: 'Released' }).getByText('250 2.0.0 taken').waitFor();
    expect(await violations()).toEqual([]);
    expect(peer.mails).toHaveLength(1);
    expect(faults).toEqual([]);
    await close();
  });

  test('the message’s buttons fit on a phone', async () => {
    await using peer = await startMailServer();
    await using capture = await makeCapture(peer);
    const id = await keep(capture, RAW);
    const looks = { phone: true };
    const { page, close } = await browser.open(`${capture.url}/dashboard/all/${id}`, looks);
    await page.getByRole('button', { name: 'Release' }).waitFor();
    const { x, width } = (await page.getByRole('button', { name: 'Delete', exact: true }).boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(page.viewportSize()!.width);
    await close();
  });
});
