/** Mail for a domain, from RCPT to the inbox. */
import { describe, expect, test } from 'bun:test';
import { findCaller } from '../../../src/features/accounts/sql.ts';
import { changeAccountOp } from '../../../src/features/accounts/writes.ts';
import { checkDomain } from '../../../src/features/domains/check.ts';
import { disableDomainOp, enableDomainOp } from '../../../src/features/domains/writes.ts';
import { hashSecret } from '../../../src/platform/core/id.ts';
import { nodata } from '../../peers/dns-server.ts';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { startAppliance } from '../../start.ts';
import { readyDomain } from './ready.ts';
import { DAY, startWorld, type World } from './world.ts';

const raw = 'From: ann@example.org\r\nSubject: Hello\r\n\r\nYour code is 482913.\r\n';

/** The answer to RCPT: code and text. */
async function rcpt({ appliance }: World, to: string): Promise<string> {
  const client = await SmtpClient.greet({ port: appliance.smtpPort });
  await client.say('MAIL FROM:<ann@example.org>', 250);
  client.send(`RCPT TO:<${to}>`);
  const { code, lines } = await client.reply();
  client.close();
  return `${code} ${lines[0]?.slice(0, 5)}`;
}

const send = ({ appliance }: World, ...to: string[]) =>
  sendMail({ port: appliance.smtpPort, from: 'ann@example.org', to, raw });

const recipients = async (world: World, inboxId: string) => {
  const { json } = await world.api('GET', `/inboxes/${inboxId}/messages?limit=100`);
  const ids: string[] = json.data.map(({ id }: { id: string }) => id).reverse();
  const got = await Promise.all(ids.map((id) => world.api('GET', `/messages/${id}`)));
  return got.map(({ json: { data } }) => data.envelope_recipient);
};

const taken = '250 2.1.5';
const unknown = '550 5.1.1';
const relay = '550 5.7.1';
const deferred = '450 4.2.1';
const stopped = '550 5.2.1';

describe('mail for a domain', () => {
  test('reaches its inboxes, however they are written', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('münchen.example');
    const inbox = await world.appliance.inbox(world.owner, { domain: id, routing_key: 'desk' });
    expect(inbox.address).toBe('desk@xn--mnchen-3ya.example');
    const to = [
      'desk@xn--mnchen-3ya.example',
      'Desk@XN--Mnchen-3ya.Example',
      'desk+shop@xn--mnchen-3ya.example',
    ];
    for (const one of to) expect((await send(world, one)).data?.code).toBe(250);
    expect(await recipients(world, inbox.id)).toEqual(to);
    const client = await SmtpClient.greet({ port: world.appliance.smtpPort });
    await client.say('MAIL FROM:<ann@example.org> SMTPUTF8', 250);
    await client.say('RCPT TO:<desk@München.example>', 250);
    await client.say('DATA', 354);
    client.data(raw);
    await client.expect(250);
    client.close();
    expect(await recipients(world, inbox.id)).toEqual([...to, 'desk@München.example']);
    expect(await rcpt(world, 'nobody@xn--mnchen-3ya.example')).toBe(unknown);
    expect(await rcpt(world, 'desk@sub.xn--mnchen-3ya.example')).toBe(relay);
  });

  test('is accepted for a verified domain only', async () => {
    await using world = await startWorld();
    await world.register('waiting.example');
    expect(await rcpt(world, 'postmaster@waiting.example')).toBe(relay);
    expect(await rcpt(world, 'x@waiting.example')).toBe(relay);
    expect(await rcpt(world, 'x@unheard-of.example')).toBe(relay);
  });

  test('for postmaster and abuse is always accepted', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    for (const name of ['postmaster', 'Abuse']) expect(await rcpt(world, `${name}@one.example`)).toBe(taken);
    const inbox = await world.appliance.inbox(world.owner, { domain: id, routing_key: 'postmaster' });
    await send(world, 'postmaster@one.example');
    expect(await recipients(world, inbox.id)).toEqual(['postmaster@one.example']);
  });

  test('is deferred for five days when the domain stops being verified, then refused', async () => {
    await using world = await startWorld();
    const domain = await world.verified('one.example');
    await world.appliance.inbox(world.owner, { domain: domain.id, routing_key: 'desk' });
    world.dns.set('one.example', 'MX', nodata);
    for (let day = 0; day < 6; day++) {
      expect(await rcpt(world, 'desk@one.example')).toBe(taken);
      await world.later(DAY);
    }
    expect((await world.get(domain)).status).toBe('failed');
    for (let day = 0; day < 5; day++) {
      expect(await rcpt(world, 'desk@one.example')).toBe(deferred);
      expect(await rcpt(world, 'other@one.example')).toBe(unknown);
      await world.clock.leap(DAY);
    }
    expect(await rcpt(world, 'desk@one.example')).toBe(stopped);
    world.publish(domain);
    // The server's own scheduler may just have checked it. It then checks again a day later.
    for (let day = 0; day < 3 && (await world.get(domain)).status !== 'verified'; day++)
      await world.later(DAY);
    expect(await rcpt(world, 'desk@one.example')).toBe(taken);
  });

  test('is deferred while the operator has disabled it, for five days from then', async () => {
    await using world = await startWorld();
    const { services } = world.appliance;
    const { id } = await world.verified('one.example');
    await world.appliance.inbox(world.owner, { domain: id, routing_key: 'desk' });
    await services.store.write(disableDomainOp, { id });
    await world.clock.leap(4 * DAY);
    expect(await rcpt(world, 'desk@one.example')).toBe(deferred);
    // Disabling again does not restart the count, nor does enabling without the records in the DNS.
    world.dns.set('one.example', 'MX', nodata);
    await checkDomain(services, await services.store.write(enableDomainOp, { id }), 'operator');
    await services.store.write(disableDomainOp, { id });
    await world.clock.leap(DAY);
    expect(await rcpt(world, 'desk@one.example')).toBe(stopped);
  });

  test('of a domain that is released goes nowhere', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    expect((await world.api('DELETE', `/domains/${id}`)).status).toBe(204);
    expect(await rcpt(world, 'postmaster@one.example')).toBe(relay);
  });
});

describe('a catch-all', () => {
  const turn = (world: World, id: string, catchAll: boolean) =>
    world.api('PATCH', `/domains/${id}/catch_all`, { catch_all: catchAll });

  test('receives mail for which there is no inbox, with the address as written', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const desk = await world.appliance.inbox(world.owner, { domain: id, routing_key: 'desk' });
    const { catch_all_inbox_id: all } = (await turn(world, id, true)).json.data;
    const others = ['Anybody@One.Example', 'any.body+tag@one.example', 'postmaster@one.example'];
    for (const to of [...others, 'desk@one.example']) expect((await send(world, to)).data?.code).toBe(250);
    expect(await recipients(world, all)).toEqual(others);
    expect(await recipients(world, desk.id)).toEqual(['desk@one.example']);
    // Two addresses of one mail become two messages there.
    await send(world, 'a@one.example', 'b@one.example', 'desk@one.example');
    expect((await recipients(world, all)).slice(3)).toEqual(['a@one.example', 'b@one.example']);
    await turn(world, id, false);
    expect(await rcpt(world, 'anybody@one.example')).toBe(unknown);
  });

  test('wakes clients that wait on its inbox', async () => {
    await using world = await startWorld();
    const { id } = await world.verified('one.example');
    const { catch_all_inbox_id: all } = (await turn(world, id, true)).json.data;
    await send(world, 'sign-up-1@one.example');
    const { json } = await world.api('GET', `/inboxes/${all}/messages/wait?since=0`);
    expect(json.data).toMatchObject({ otp: '482913', envelope_recipient: 'sign-up-1@one.example' });
  });

  test('defers mail while the plan has none, and while its domain is deferred', async () => {
    await using world = await startWorld();
    const { services } = world.appliance;
    const { id } = await world.verified('one.example');
    await turn(world, id, true);
    const plan = (name: 'pro' | 'business') =>
      services.store.write(changeAccountOp, { account_no: world.owner.account.no, changes: { plan: name } });
    await plan('pro');
    expect(await rcpt(world, 'any@one.example')).toBe(unknown);
    await plan('business');
    expect(await rcpt(world, 'any@one.example')).toBe(taken);
    await services.store.write(disableDomainOp, { id });
    expect(await rcpt(world, 'any@one.example')).toBe(deferred);
  });
});

test('an inbox that capture mode creates on a verified domain is bound to that domain', async () => {
  await using appliance = await startAppliance({ capture: { apiKey: 'secret' } });
  const api = (method: string, path: string, body?: unknown) =>
    appliance.request(method, `/api/v1${path}`, { key: 'secret', body });
  const { no } = findCaller(appliance.services.store, hashSecret('secret'))!.account;
  const other = await appliance.holder();
  const own = await readyDomain(appliance.services, no, 'one.example', 'none');
  await readyDomain(appliance.services, other.account.no, 'two.example', 'none');
  await api('POST', '/domains', { name: 'three.example' });
  const found: Record<string, unknown> = {};
  for (const name of ['one', 'two', 'three']) {
    const to = `new@${name}.example`;
    await sendMail({ port: appliance.smtpPort, from: 'a@b.example', to: [to], raw });
    found[name] = (await api('GET', `/inboxes/${to}`)).json.data.domain;
  }
  expect(found).toEqual({ one: own.id, two: null, three: null });
  expect((await api('DELETE', `/domains/${own.id}`)).json.error.code).toBe('domain_has_inboxes');
});

test('capture mode accepts mail for a registered domain like any other', async () => {
  await using appliance = await startAppliance({ capture: { apiKey: 'secret' } });
  const reply = await sendMail({
    port: appliance.smtpPort,
    from: 'a@b.example',
    to: ['new@one.example'],
    raw,
  });
  expect(reply.data?.code).toBe(250);
  const { json } = await appliance.request('GET', '/api/v1/inboxes/new@one.example/messages', {
    key: 'secret',
  });
  expect(json.data).toHaveLength(1);
});
