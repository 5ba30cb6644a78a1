/** A forward by a rule, over real SMTP: which bytes leave, to whom, what ends a loop, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { formatResent, readTrail } from '../../../src/features/mail-rules/errands/resent.ts';
import { readBounceAddress } from '../../../src/features/outbound/sending/bounce-address.ts';
import { createMemberKey } from '../outbound/held.ts';
import { verdict } from '../outbound/sender.ts';
import { DOMAIN, Forwarding, makeRaw } from './forwarding.ts';

let own: Forwarding;
beforeAll(async () => {
  own = await Forwarding.start();
});
afterAll(() => own[Symbol.asyncDispose]());

/** What is below our own fields. */
function original(data: string): string {
  return data.slice(data.indexOf('\r\n', data.indexOf('Received: ')) + 2).replace(/^(\t.*\r\n)+/, '');
}

/** Forwards of mail with this subject to Ann, and what she got. */
async function forward(raw: string, subject = 'Invoice') {
  const { mails } = own.sender.far;
  const before = mails.length;
  const rule = await own.rule({ subject, forward_to: ['Ann@far.test'.toLowerCase()] });
  const id = await own.receive(Buffer.from(raw, 'latin1'));
  const outcome = await own.outcome(id);
  if (outcome.status === 'done') await own.arrived(before + 1);
  await own.call('DELETE', `/rules/${rule}`);
  return { id, outcome, mail: mails[before] };
}

describe('a forward', () => {
  test('has the original bytes below our own header fields, and our own envelope', async () => {
    const raw = makeRaw(
      'Invoice',
      ['To: desk', 'DKIM-Signature: v=1; b=x'],
      'Hello  \r\n.dot\r\n\tZo\xeb\r\n\r\n',
    );
    const { id, outcome, mail } = await forward(raw);
    expect(original(mail!.data)).toBe(raw);
    expect(mail!.to).toEqual(['ann@far.test']);
    const emailId = outcome.outbound_email_id!;
    expect(readBounceAddress(own.sender.appliance.services, mail!.from)).toEqual({
      emailId,
      domain: 'far.test',
    });
    expect(mail!.data).toStartWith(`DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${DOMAIN}`);
    expect(mail!.data).toContain(`\r\nResent-From: desk@${DOMAIN}\r\nResent-To: ann@far.test\r\n`);
    expect(mail!.data).toMatch(/\r\nResent-Date: .* \+0000\r\n/);
    expect(mail!.data).toContain(`id ${id};\r\n`);
    const email = await own.call('GET', `/outbound_emails/${emailId}`);
    expect(email.json.data).toMatchObject({ kind: 'forward', subject: 'Invoice', to: ['ann@far.test'] });
    expect(outcome).toMatchObject({ action: 'forward', detail: 'ann@far.test', status: 'done', attempts: 1 });
  });

  test('is in the thread of its message', async () => {
    const { id } = await forward(makeRaw('Threaded', ['References: <0@else.test>']), 'Threaded');
    const { json } = await own.call('GET', `/messages/${id}`);
    const thread = await own.call('GET', `/threads/${json.data.thread_id}`);
    const directions = thread.json.data.messages.map(({ direction }: { direction: string }) => direction);
    expect(directions.slice(-2)).toEqual(['in', 'out']);
  });

  test('of a large mail has all of it', async () => {
    const body = `${'x'.repeat(70)}\r\n`.repeat(20_000);
    const raw = makeRaw('Large', [], body);
    const { mail } = await forward(raw, 'Large');
    expect(original(mail!.data)).toBe(raw);
  });

  test('has valid SMTP line ends, and an empty line if the mail has no body', async () => {
    const bare = await forward('From: b@else.test\nSubject: Bare\n\none\rtwo\nthree\r\n', 'Bare');
    expect(original(bare.mail!.data)).toBe(
      'From: b@else.test\r\nSubject: Bare\r\n\r\none\r\ntwo\r\nthree\r\n',
    );
    const headed = await forward('From: b@else.test\r\nSubject: Headed\r\n', 'Headed');
    expect(original(headed.mail!.data)).toBe('From: b@else.test\r\nSubject: Headed\r\n\r\n');
  });

  test('puts nothing that a sender wrote into our own fields', async () => {
    const encoded = `=?utf-8?B?${Buffer.from('Evil\r\nBcc: x@evil.test\r\n\r\nbody').toString('base64')}?=`;
    const { mail } = await forward(makeRaw(encoded), 'Evil');
    const ours = mail!.data.slice(0, mail!.data.indexOf('From: Bob'));
    expect(ours).not.toMatch(/evil/i);
    expect(original(mail!.data)).toContain(`Subject: ${encoded}`);
  });
});

describe('a loop', () => {
  test('from a rule to its own inbox is refused when the rule is created', async () => {
    await own.call('POST', '/outbound_allowlist', { email: own.inbox.address });
    const body = (inboxId: string | null) => ({ inbox_id: inboxId, forward_to: [`desk+x@${DOMAIN}`] });
    for (const inbox of [null, own.inbox.id])
      expect(verdict(await own.call('POST', '/rules', body(inbox)))).toBe('422 validation_error forward_to');
    const other = await own.inboxNamed('other');
    // From elsewhere it may be forwarded there, when it is approved.
    expect(verdict(await own.call('POST', '/rules', body(other.id)))).toBe(
      '422 recipient_not_approved forward_to',
    );
  });

  test('ends when the mail comes back with a mark of its inbox, but only if the mark is ours', async () => {
    const { key } = own.sender.appliance.services;
    const trail = readTrail(Buffer.from(makeRaw('Back')), key);
    const mark = (inbox: string, hops: number) => {
      const resending = {
        inbox: { id: inbox, address: 'x' },
        to: 'y',
        resentId: '<z>',
        date: '',
        receivedField: '',
      };
      return /X-Postern-Forwarded: .*/.exec(formatResent(resending, { ...trail, hops: hops - 1 }, key))![0];
    };
    const marked = async (...fields: string[]) => (await forward(makeRaw('Back', fields), 'Back')).outcome;
    expect(await marked(mark(own.inbox.id, 1))).toMatchObject({ status: 'refused' });
    expect((await marked(mark(own.inbox.id, 1))).reason).toContain(
      'this inbox has forwarded the mail before',
    );
    expect((await marked(mark('inbox_other', 3))).reason).toContain('3 inboxes of this server');
    expect(await marked(mark('inbox_other', 2))).toMatchObject({ status: 'done' });
    const forged = mark(own.inbox.id, 1).replace(/mac=.*/, `mac=${'0'.repeat(32)}`);
    expect(await marked(forged)).toMatchObject({ status: 'done' });
  });

  test('through servers that do not know each other is ended by the number of Received lines', async () => {
    const received = Array.from(
      { length: 31 },
      () => 'Received: from x by y; Sat, 21 Nov 2026 08:00:00 +0000',
    );
    const { outcome } = await forward(makeRaw('Circle', received), 'Circle');
    expect(outcome.reason).toContain('31 Received lines');
  });
});

test('only an owner can set up a forward, or change a rule that has one', async () => {
  const { appliance, owner } = own.sender;
  const key = await createMemberKey(appliance, owner);
  const ask = (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/api/v1${path}`, { key, body });
  const id = await own.rule({ subject: 'nothing like it', forward_to: ['ann@far.test'] });
  const forbidden = '403 account_forbidden';
  expect(verdict(await ask('POST', '/rules', { forward_to: ['ann@far.test'] }))).toBe(forbidden);
  expect(verdict(await ask('PATCH', `/rules/${id}`, { subject: null }))).toBe(forbidden);
  const tags = await ask('POST', '/rules', { subject: 'nothing like it', tags: ['x'] });
  expect(verdict(tags)).toBe('201');
  expect(verdict(await ask('PATCH', `/rules/${tags.json.data.id}`, { forward_to: ['ann@far.test'] }))).toBe(
    forbidden,
  );
  expect(verdict(await ask('DELETE', `/rules/${id}`))).toBe(forbidden);
  expect(verdict(await ask('DELETE', `/rules/${tags.json.data.id}`))).toBe('204');
  await own.call('DELETE', `/rules/${id}`);
});

describe('a forward is refused, and the mail stays', () => {
  test('to an address that is not approved, when the rule is created and afterwards', async () => {
    const created = await own.call('POST', '/rules', { forward_to: ['eve@far.test'] });
    expect(verdict(created)).toBe('422 recipient_not_approved forward_to');
    const approved = await own.call('POST', '/outbound_allowlist', { email: 'eve@far.test' });
    const rule = await own.rule({ subject: 'Eve', forward_to: ['eve@far.test'] });
    await own.call('DELETE', `/outbound_allowlist/${approved.json.data.id}`);
    const id = await own.receive(makeRaw('Eve'));
    expect(await own.outcome(id)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('approved'),
    });
    await own.call('DELETE', `/rules/${rule}`);
  });

  test('from an inbox on the shared domain, as the dry run has said', async () => {
    const shared = await own.sender.appliance.inbox(own.sender.owner);
    const rule = await own.rule({ inbox_id: shared.id, forward_to: ['ann@far.test'] });
    const id = await own.receive(makeRaw('Shared'), shared.address);
    const { reason } = await own.outcome(id);
    expect(reason).toContain('sending_domain_not_eligible');
    const dry = await own.call('POST', '/rules/dry_run', { rule_id: rule });
    expect(dry.json.data[0].actions).toEqual([
      { rule_id: rule, rule_name: '', action: 'forward', detail: 'ann@far.test', refused: reason },
    ]);
    await own.call('DELETE', `/rules/${rule}`);
  });

  test('over the hourly quota, and each mail has its diary line and none is lost', async () => {
    await using small = await Forwarding.start({
      settings: { plan_business_outbound_recipients_per_hour: '3' },
    });
    await small.rule({ forward_to: ['ann@far.test'] });
    const ids: string[] = [];
    for (let sent = 0; sent < 8; sent++) ids.push(await small.receive(makeRaw(`Mail ${sent}`)));
    const outcomes = await Promise.all(ids.map((id) => small.outcome(id)));
    expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(3);
    const refused = outcomes.filter(({ status }) => status === 'refused');
    expect(refused.map(({ reason }) => reason?.includes('outbound_quota_exceeded'))).toEqual(
      Array(5).fill(true),
    );
    await small.arrived(3);
  });

  test('in a flood, as fast as the mail arrives', async () => {
    await using small = await Forwarding.start({
      settings: { plan_business_outbound_recipients_per_hour: '3' },
    });
    await small.rule({ forward_to: ['ann@far.test'] });
    const { appliance } = small.sender;
    const deliver = () => appliance.deliver(small.inbox.address, { raw: makeRaw() });
    const ids = await Promise.all(Array.from({ length: 1_000 }, deliver));
    const began = performance.now();
    const outcomes = [];
    for (const id of ids) outcomes.push(await small.outcome(id));
    expect(outcomes.filter(({ status }) => status === 'done')).toHaveLength(3);
    expect(outcomes.filter(({ status }) => status === 'refused')).toHaveLength(997);
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 60_000);

  test('when its message is deleted first', async () => {
    const rule = await own.rule({ subject: 'Gone', forward_to: ['ann@far.test'], delete_after_days: 1 });
    const id = await own.receive(makeRaw('Gone'));
    await own.call('DELETE', `/messages/${id}`);
    await own.call('DELETE', `/rules/${rule}`);
    expect(verdict(await own.call('GET', `/messages/${id}/diary`))).toBe('404 not_found');
  });
});
