/** MailHog's client for Node, as its users call it, with only host and port changed. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import mailhogClient from 'mailhog';
import { type CompatScene, openScene, plainMail, richMail } from './scene.ts';

let scene: CompatScene;
let mailhog: mailhogClient.API;
beforeAll(async () => {
  scene = await openScene();
  mailhog = mailhogClient({ host: '127.0.0.1', port: scene.port });
});
beforeEach(async () => void (await scene.ask('DELETE', '/api/v1/messages')));
afterAll(() => scene[Symbol.asyncDispose]());

const ENCODED = [
  'From: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= <app@example.com>',
  'To: jane@example.org',
  'Subject: =?utf-8?B?w4TDtsO8?=',
  'Date: Sun, 22 Nov 2026 10:00:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative;\r\n boundary="b"',
  '',
  'a preamble',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe =E2=82=AC',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  '<p>Grüße</p>',
  '--b--',
  '',
].join('\r\n');

// biome-ignore lint/suspicious/noExplicitAny: tests read it as it is on the wire.
async function readJson(path: string): Promise<any> {
  return (await scene.ask('GET', path)).json();
}

describe('mailhog', () => {
  test('lists mails with the fields that its users read', async () => {
    await scene.send({ to: ['jane@example.org', 'hidden@example.net'], raw: ENCODED });
    const result = (await mailhog.messages())!;
    expect([result.total, result.count, result.start]).toEqual([1, 1, 0]);
    const [mail] = result.items;
    expect(mail!.subject).toBe('Äöü');
    expect(mail!.from).toBe('Grüße <app@example.com>');
    expect(mail!.to).toBe('jane@example.org');
    expect(mail!.text?.trim()).toBe('Grüße €');
    expect(mail!.html?.trim()).toBe('<p>Grüße</p>');
    expect(mail!.date).toEqual(new Date('2026-11-22T10:00:00Z'));
    expect(Math.abs(mail!.deliveryDate!.getTime() - Date.now())).toBeLessThan(60_000);
    expect(mail!.attachments).toEqual([]);
  });

  test('gets every field of MailHog', async () => {
    await scene.send({ to: ['jane@example.org', 'hidden@example.net'], raw: ENCODED });
    const [item] = (await readJson('/api/v2/messages')).items;
    const path = (Mailbox: string, Domain: string) => ({ Relays: null, Mailbox, Domain, Params: '' });
    expect(item).toMatchObject({
      ID: expect.stringMatching(/^msg_/),
      From: path('app', 'example.com'),
      To: [path('jane', 'example.org'), path('hidden', 'example.net')],
      Raw: { From: 'app@example.com', To: ['jane@example.org', 'hidden@example.net'], Data: ENCODED },
    });
    expect(item.Raw.Helo).not.toBe('');
    expect(item.Content.Body).toStartWith('a preamble\r\n--b\r\n');
    expect(item.Content.Headers['Content-Type']).toEqual(['multipart/alternative; boundary="b"']);
    expect(item.Content.Headers['Return-Path']).toEqual(['<app@example.com>']);
    expect(item.Content.Headers['Message-ID']).toEqual([item.ID]);
    expect(item.Content.MIME).toBeNull();
    // As in MailHog, the preamble and the text after the last boundary are parts too.
    expect(item.MIME.Parts.map(({ Body }: { Body: string }) => Body)).toEqual([
      'a preamble',
      'Gr=C3=BC=C3=9Fe =E2=82=AC',
      '<p>Grüße</p>',
      '--',
    ]);
    const [whole] = (await readJson('/api/v2/messages')).items;
    expect(await readJson(`/api/v1/messages/${whole.ID}`)).toEqual(whole);
    const file = await scene.ask('GET', `/api/v1/messages/${whole.ID}/download`);
    expect(await file.text()).toEndWith(ENCODED);
  });

  test('has nested parts and attachments', async () => {
    await scene.send({ to: ['jane@example.org'], raw: richMail('Rich') });
    const { items } = (await mailhog.messages(0, 1))!;
    const [file] = items[0]!.attachments;
    expect([file!.name, file!.type, file!.encoding]).toEqual([
      'rows.csv',
      'text/csv; name="rows.csv"',
      'base64',
    ]);
    expect(Buffer.from(file!.Body, 'base64').toString()).toBe('a,b\r\n1,2\r\n');
    const [first] = (await readJson('/api/v2/messages')).items[0].MIME.Parts;
    expect(first.MIME.Parts).toHaveLength(3);
  });

  test('pages and searches, newest first', async () => {
    for (const [subject, to, text] of [
      ['One', 'jane@example.org', 'ananas'],
      ['Two', 'bob@example.org', 'banane'],
      ['Three', 'jane@example.org', 'code 4711'],
    ] as const) {
      await scene.send({ to: [to], raw: plainMail({ subject, text, to }) });
    }
    await scene.send({
      to: ['ann@example.org'],
      from: 'shop@example.net',
      raw: plainMail({ subject: 'Four', text: 'x' }),
    });
    const subjects = ({ items }: mailhogClient.Messages) => items.map(({ subject }) => subject);
    expect(subjects((await mailhog.messages(1, 2))!)).toEqual(['Three', 'Two']);
    expect(subjects((await mailhog.search('JANE@example', 'to'))!)).toEqual(['Four', 'Three', 'One']);
    expect(subjects((await mailhog.search('jane', 'to', 1, 1))!)).toEqual(['Three']);
    expect((await mailhog.search('jane', 'to', 1, 1))!.total).toBe(3);
    expect(subjects((await mailhog.search('shop@example.net', 'from'))!)).toEqual(['Four']);
    expect(subjects((await mailhog.search('4711'))!)).toEqual(['Three']);
    expect(await mailhog.latestTo('bob@example.org')).toMatchObject({ subject: 'Two' });
    // Not only the envelope counts, but also the header.
    expect(await mailhog.latestFrom('app@example.com')).toMatchObject({ subject: 'Four' });
    expect(await mailhog.latestContaining('ananas')).toMatchObject({ subject: 'One' });
    expect(await mailhog.latestContaining('nothing like it')).toBe(0 as never);
  });

  test('finds text that is only in a header', async () => {
    await scene.send({ to: ['jane@example.org'], raw: richMail('Rich') });
    expect((await mailhog.search('=one-click'))!.count).toBe(1);
    expect((await mailhog.search('Help <help'))!.count).toBe(1);
  });

  test('deletes one mail, and all', async () => {
    await scene.send({
      to: ['jane@example.org', 'bob@example.org'],
      raw: plainMail({ subject: 'One', text: 'x' }),
    });
    await scene.send({ to: ['jane@example.org'], raw: plainMail({ subject: 'Two', text: 'x' }) });
    const { items } = (await mailhog.messages())!;
    expect((await mailhog.deleteMessage(items[1]!.ID))!.statusCode).toBe(200);
    expect((await mailhog.messages())!.items.map(({ subject }) => subject)).toEqual(['Two']);
    // MailHog's client parses any body as JSON, but this one is empty.
    expect((await mailhog.deleteAll())!.statusCode).toBe(200);
    expect((await mailhog.messages())!.total).toBe(0);
  });

  test('returns a mail with many multi-byte characters whole', async () => {
    const text = 'äöü€😀'.repeat(40_000);
    await scene.send({
      to: ['jane@example.org'],
      raw: `From: a@example.com\r\nSubject: x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`,
    });
    expect((await mailhog.messages())!.items[0]!.text).toBe(text);
  });
});
