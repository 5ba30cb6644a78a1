/** POST and GET /outbound_emails: the answers, the queue, and every refusal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { simpleParser } from 'mailparser';
import { countQueued, findOwnEmail, listRecipients } from '../../../src/features/outbound/sql.ts';
import { outbound as rules } from '../../../src/rules/outbound.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { countRows, refuseRowsOf, suppressRecipient } from '../../store-state.ts';
import { DOMAIN, Sender, verdict } from './sender.ts';

let sender: Sender;
beforeAll(async () => {
  sender = await Sender.start();
});
afterAll(() => sender[Symbol.asyncDispose]());

describe('an email that is sent', () => {
  test('is returned in full, found again, and composed as requested', async () => {
    const reply = await sender.send({
      from_address: `Shop <hello@${DOMAIN}>`,
      to: ['Ann <Ann.Lee@EXAMPLE.org>', 'bob@bücher.example'],
      cc: ['"Dee, Jr." <dee@example.net>'],
      bcc: ['eve@example.com'],
      reply_to: 'Help <help@example.org>',
      subject: 'Grüße 🎉',
      body_text: 'Good morning,\nAnn.',
      body_html: '<p>Good morning, <b>Ann</b>.</p>',
    });
    expect(reply.status).toBe(201);
    const email = reply.json.data;
    // A copy, because toMatchObject of Bun 1.4 writes its matchers into its argument.
    expect(reply.headers.get('location')).toBe(`/api/v1/outbound_emails/${email.id}`);
    expect(structuredClone(email)).toMatchObject({
      id: expect.stringMatching(/^out_[0-9a-f]{32}$/),
      inbox_id: null,
      from_address: `Shop <hello@${DOMAIN}>`,
      to: ['Ann <Ann.Lee@example.org>', 'bob@xn--bcher-kva.example'],
      cc: ['Dee, Jr. <dee@example.net>'],
      bcc: ['eve@example.com'],
      reply_to: 'Help <help@example.org>',
      subject: 'Grüße 🎉',
      status: 'queued',
      recipients: [
        'Ann.Lee@example.org',
        'bob@xn--bcher-kva.example',
        'dee@example.net',
        'eve@example.com',
      ].map((each) => ({ email: each, status: 'queued', response: null })),
      attempts: 0,
      last_error: null,
      message_id: expect.stringMatching(/^<[0-9a-f]{32}@shop\.example>$/),
      kind: 'send',
      sent_at: null,
    });
    const found = (await sender.get(`/outbound_emails/${email.id}`)).json.data;
    // The dispatcher is already at work, so its fields are not compared.
    for (const each of [found, email]) {
      for (const field of ['status', 'attempts', 'last_error', 'recipients']) delete each[field];
    }
    expect(found).toEqual(email);

    const mime = sender.mime(reply);
    expect(mime.toString()).not.toContain('eve@example.com');
    expect(mime.toString()).not.toMatch(/^bcc:/im);
    const mail = await simpleParser(mime);
    expect(mail.messageId).toBe(email.message_id);
    expect(mail.subject).toBe('Grüße 🎉');
    expect(mail.from?.value).toEqual([{ name: 'Shop', address: `hello@${DOMAIN}` }]);
    expect(mail.replyTo?.value).toEqual([{ name: 'Help', address: 'help@example.org' }]);
    expect(mail.text?.trim()).toBe('Good morning,\nAnn.');
    expect(mail.html).toBe('<p>Good morning, <b>Ann</b>.</p>');
    expect(Math.abs(mail.date!.getTime() - Date.now())).toBeLessThan(60_000);
  });

  test('goes to a mailbox once, however often it is named', async () => {
    const { json } = await sender.send({
      to: ['Ann <ann@example.org>', 'ANN@Example.Org', 'bob@example.org'],
      cc: ['bob@example.org', 'cy@example.org'],
      bcc: ['cy@example.org', 'ann@example.org', 'dee@example.org'],
    });
    expect(json.data).toMatchObject({
      to: ['Ann <ann@example.org>', 'bob@example.org'],
      cc: ['cy@example.org'],
      bcc: ['dee@example.org'],
    });
    expect(json.data.recipients).toHaveLength(4);
  });

  test('may have null where a field is left out', async () => {
    const fields = { cc: null, bcc: null, reply_to: null, body_html: null };
    expect(verdict(await sender.send(fields))).toBe('201');
    expect(verdict(await sender.send({ body_text: null, body_html: '<p>x</p>' }))).toBe('201');
    expect(verdict(await sender.send({ subject: '' }))).toBe('201');
  });

  test('is announced to the sender after it is stored', async () => {
    const { services } = sender.appliance;
    const heard: unknown[] = [];
    const cancel = services.queued.listen(({ outbound_no, domains }) => {
      heard.push([listRecipients(services.store, outbound_no).length, domains]);
    });
    await sender.send({ to: ['a@one.example', 'b@one.example'], cc: ['c@two.example'] });
    await sender.send({ to: 'nobody' });
    cancel();
    expect(heard).toEqual([[3, ['one.example', 'two.example']]]);
  });

  test('can’t be seen by another account', async () => {
    const { id } = (await sender.send()).json.data;
    const { key } = await sender.appliance.holder();
    for (const path of [id, 'out_x', `out_${'0'.repeat(32)}`]) {
      const reply = await sender.appliance.request('GET', `/api/v1/outbound_emails/${path}`, { key });
      expect(verdict(reply)).toBe('404 not_found');
    }
  });
});

describe('a refusal', () => {
  const table: [string, Record<string, unknown>, string][] = [
    ['no sender', { from_address: undefined }, 'from_address'],
    ['a sender that is no text', { from_address: ['a@shop.example'] }, 'from_address'],
    ['nobody to send to', { to: [] }, 'to'],
    ['no to', { to: undefined }, 'to'],
    ['a to that is no array', { to: 'ann@example.org' }, 'to'],
    ['a to of something else', { to: [7] }, 'to'],
    ['a cc that is no array', { cc: 'ann@example.org' }, 'cc'],
    ['a bcc that is no array', { bcc: {} }, 'bcc'],
    ['a reply_to that is an array', { reply_to: ['ann@example.org'] }, 'reply_to'],
    ['no subject', { subject: undefined }, 'subject'],
    ['a subject that is null', { subject: null }, 'subject'],
    ['a subject that is too long', { subject: 'x'.repeat(999) }, 'subject'],
    ['no body', { body_text: undefined }, 'body_text'],
    ['a body that is empty', { body_text: '' }, 'body_text'],
    ['a body that is no text', { body_text: 7 }, 'body_text'],
    ['html that is no text', { body_html: {} }, 'body_html'],
    ['an unknown field', { attachment: [] }, 'attachment'],
    ['a from that is no address', { from_address: 'shop' }, 'from_address'],
    ['a cc that is no address', { cc: ['shop@'] }, 'cc'],
    ['a bcc that is no address', { bcc: ['@shop'] }, 'bcc'],
    ['a reply_to that is no address', { reply_to: 'a b@shop.example' }, 'reply_to'],
    ['far too many entries', { bcc: Array.from({ length: 101 }, () => 'a@example.org') }, 'bcc'],
  ];
  for (const [what, fields, field] of table) {
    test(what, async () => {
      expect(verdict(await sender.send(fields))).toBe(`422 validation_error ${field}`);
    });
  }

  test('names every wrong field, and which entry', async () => {
    const { json } = await sender.send({ to: ['ann@example.org', 'bob', 'cy'], cc: ['@'], reply_to: 'x' });
    expect(Object.keys(json.error.fields).sort()).toEqual(['cc', 'reply_to', 'to']);
    expect(json.error.fields.to).toEqual([
      'entry 2 must be an address like name@example.com',
      'entry 3 must be an address like name@example.com',
    ]);
  });

  test('is the answer to more than ten recipients in to, cc and bcc together', async () => {
    const some = (count: number, at: string) =>
      Array.from({ length: count }, (_, index) => `a${index}@${at}`);
    const lists = { to: some(4, 'a.example'), cc: some(3, 'b.example'), bcc: some(3, 'c.example') };
    expect(verdict(await sender.send(lists))).toBe('201');
    expect(verdict(await sender.send({ ...lists, cc: some(4, 'b.example') }))).toBe(
      '422 validation_error to',
    );
    expect(verdict(await sender.send({ to: some(11, 'a.example') }))).toBe('422 validation_error to');
    // Recipients named twice count once.
    expect(verdict(await sender.send({ ...lists, bcc: [...lists.bcc, ...lists.to] }))).toBe('201');
  });

  test('is the answer to more recipients than the setting allows', async () => {
    await using own = await Sender.start({ settings: { outbound_recipients_max: '2' } });
    const to = ['a@x.example', 'b@x.example'];
    expect(verdict(await own.send({ to }))).toBe('201');
    expect(verdict(await own.send({ to, bcc: ['c@x.example'] }))).toBe('422 validation_error to');
  });

  test('is the answer to a body over 1 MiB, and to no smaller one', async () => {
    const room = 1024 * 1024 - 300;
    expect(verdict(await sender.send({ body_text: 'x'.repeat(room) }))).toBe('201');
    expect(verdict(await sender.send({ body_text: 'x'.repeat(room + 300) }))).toBe(
      '413 payload_too_large body',
    );
  });
});

describe('a suppressed recipient', () => {
  test('is refused by name in its field, in any case, until the entry expires', async () => {
    const clock = new FakeClock();
    await using own = await Sender.start({ clock });
    for (const email of ['bounced@example.org', 'cy@example.org'])
      suppressRecipient(own.appliance, own.owner.account.no, email);
    const request = { to: ['ann@example.org', 'Bounced@Example.org'], bcc: ['Cy <CY@example.org>'] };
    const reply = await own.send(request);
    expect(verdict(reply)).toBe('422 recipient_rejected to bcc');
    expect(reply.json.error.fields).toEqual({
      to: ['Bounced@example.org is on the suppression list'],
      bcc: ['CY@example.org is on the suppression list'],
    });
    expect(countQueued(own.appliance.services.store, own.owner.account.no)).toBe(0);
    const other = await Sender.join(own.appliance, 'other.example');
    expect(verdict(await other.send({ ...request, from_address: 'a@other.example' }))).toBe('201');
    clock.set(clock.nowUs() + rules.suppressedS * 1_000_000);
    expect(verdict(await own.send(request))).toBe('201');
  });
});

describe('caps and limits', () => {
  test('allow twenty sends a minute of any kind, then say when to retry', async () => {
    const clock = new FakeClock();
    await using own = await Sender.start({ clock, settings: { limits: 'on' } });
    const compose = () =>
      own.post(`/inboxes/${own.inbox.id}/compose`, { to: ['a@x.example'], subject: 'x', body_text: 'x' });
    for (let count = 0; count < 10; count++) {
      expect(verdict(await own.send())).toBe('201');
      expect(verdict(await compose())).toBe('201');
    }
    for (const reply of [await own.send(), await compose()]) {
      expect(verdict(reply)).toBe('429 outbound_rate_limited');
      expect(reply.headers.get('retry-after')).toBe('60');
    }
    clock.set(clock.nowUs() + 60_000_000);
    expect(verdict(await own.send())).toBe('201');
  });

  test('still hold as caps when rate limits are off', async () => {
    await using own = await Sender.start({
      settings: {
        plan_business_outbound_recipients_per_hour: '23',
        plan_business_outbound_queued: '22',
      },
    });
    for (let count = 0; count < 21; count++) expect(verdict(await own.send())).toBe('201');
    const two = await own.send({ to: ['a@x.example', 'b@x.example', 'c@x.example'] });
    expect(verdict(two)).toBe('403 outbound_quota_exceeded');
    expect(Number(two.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(verdict(await own.send())).toBe('201');
    const full = await own.send();
    expect(verdict(full)).toBe('429 outbound_rate_limited');
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    const account = (await own.get('/account')).json.data;
    expect(account.usage.outbound_recipients).toBe(22);
    expect(account.caps).toMatchObject({ outbound_queued: 22, outbound_recipients_per_day: 1000 });
  });
});

const composed = { to: ['ann@example.org'], subject: 'x', body_text: 'x' };

describe('an Idempotency-Key', () => {
  test('creates one email for two requests, even when the caps are used up in between', async () => {
    await using own = await Sender.start({ settings: { plan_business_outbound_recipients_per_hour: '1' } });
    const once = { 'idempotency-key': 'k-1' };
    const [first, second] = await Promise.all([own.send({}, once), own.send({}, once)]);
    expect(first.status).toBe(201);
    expect(second.json).toEqual(first.json);
    expect(verdict(await own.send())).toBe('403 outbound_quota_exceeded');
    expect((await own.send({}, once)).json).toEqual(first.json);
    expect(verdict(await own.send({ subject: 'another' }, once))).toBe('409 conflict');
    expect(countQueued(own.appliance.services.store, own.owner.account.no)).toBe(1);
  });

  test('returns the first answer again when its message is gone', async () => {
    await using own = await Sender.start();
    const { inbox, appliance, owner } = own;
    const message = await appliance.deliver(inbox.address, { content: { answer_to: ['ann@example.org'] } });
    const repeat = { 'idempotency-key': 'k-4' };
    const ask = async () => {
      const replies = [
        await own.send({}, repeat),
        await own.post(`/inboxes/${inbox.id}/compose`, composed, repeat),
        await own.post(`/inboxes/${inbox.id}/messages/${message}/reply`, { body_text: 'x' }, repeat),
        await own.post(`/inboxes/${inbox.id}/messages/${message}/forward`, { to: composed.to }, repeat),
      ];
      return replies.map(({ status, text }) => [status, text]);
    };
    const first = await ask();
    expect(first.map(([status]) => status)).toEqual([201, 201, 201, 201]);
    for (const path of [`messages/${message}`, `inboxes/${inbox.id}`, `domains/${own.domainId}`]) {
      const reply = await appliance.request('DELETE', `/api/v1/${path}`, { key: owner.key });
      expect([path, reply.status]).toEqual([path, 204]);
    }
    expect(await ask()).toEqual(first);
    expect(verdict(await own.send({ subject: 'another' }, repeat))).toBe('409 conflict');
    expect(verdict(await own.send())).toBe('403 sending_domain_not_eligible');
  });

  test('used for a reply to one message does not count for a reply to another', async () => {
    const { inbox, appliance } = sender;
    const content = { answer_to: ['ann@example.org'] };
    const paths = [
      await appliance.deliver(inbox.address, { content }),
      await appliance.deliver(inbox.address, { content }),
    ].map((id) => `/inboxes/${inbox.id}/messages/${id}/reply`);
    const once = { 'idempotency-key': 'k-2' };
    expect(verdict(await sender.post(paths[0]!, { body_text: 'x' }, once))).toBe('201');
    expect(verdict(await sender.post(paths[1]!, { body_text: 'x' }, once))).toBe('409 conflict');
  });
});

test('nothing is left of an email when the database refuses a row halfway', async () => {
  await using own = await Sender.start();
  const { services } = own.appliance;
  refuseRowsOf(own.appliance, 'outbound_mime');
  const once = { 'idempotency-key': 'k-3' };
  expect((await own.send({}, once)).status).toBeGreaterThanOrEqual(500);
  expect(countQueued(services.store, own.owner.account.no)).toBe(0);
  expect((await own.get('/account')).json.data.usage.outbound_recipients).toBe(0);
  expect(countRows(own.appliance, 'outbound_recipient')).toBe(0);
  expect(countRows(own.appliance, 'idempotency')).toBe(0);
  expect(findOwnEmail(services.store, own.owner.account.no, 'out_x')).toBeNull();
});
