/** What an owner does in the dashboard: keys, members, webhooks, usage, and mail that SMTP refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { diary as diaryRules } from '../../../src/rules/diary.ts';
import { makeSurroundings, type Surroundings } from '../../features/webhooks/hooked.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, owner, type Person } from './visitor.ts';

const clock = new FakeClock();
let outside: Surroundings;
let appliance: RunningAppliance;
let ann: Person;
let eve: Person;

beforeAll(async () => {
  outside = await makeSurroundings();
  appliance = await startAppliance({ clock, settings: { ...outside.settings, smtp_max_size: '64KiB' } });
  [ann, eve] = [await owner(appliance), await owner(appliance)];
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
});

async function createInbox(person: Person) {
  const { json } = await person.visitor.post('/keys', { name: 'for a test' });
  return appliance.inbox({ account: person.account, key: json.data.api_key });
}

describe('keys', () => {
  test('are shown once, work at once, and stop at once', async () => {
    const created = (await ann.visitor.post('/keys', { name: ' ci ' })).json.data;
    expect(created).toMatchObject({ name: 'ci', role: 'owner', revoked_at: null });
    const works = () => appliance.request('GET', '/api/v1/account', { key: created.api_key });
    expect((await works()).status).toBe(200);
    const list = await ann.visitor.get('/keys');
    expect(list.text).not.toContain(created.api_key);
    expect(list.json.data[0]).toMatchObject({ key_id: created.key_id, minted_by: ann.email });
    expect((await eve.visitor.ask('DELETE', `/keys/${created.key_id}`)).status).toBe(404);
    expect((await ann.visitor.ask('DELETE', `/keys/${created.key_id}`)).status).toBe(200);
    expect((await works()).status).toBe(401);
    const after = (await ann.visitor.get('/keys')).json.data as { revoked_at: string | null }[];
    const isLive = after.map(({ revoked_at }) => revoked_at === null);
    expect(isLive).toEqual(isLive.toSorted((one, other) => Number(other) - Number(one)));
    expect(after.find(({ revoked_at }) => revoked_at !== null)).toMatchObject({ key_id: created.key_id });
    expect((await ann.visitor.post('/keys', { name: 'a\u0000b' })).status).toBe(422);
  });

  test('of a member have the member’s role, and members see only their own', async () => {
    const mia = await member(appliance, ann.account);
    const created = (await mia.visitor.post('/keys', { name: 'hers' })).json.data;
    expect(created.role).toBe('member');
    expect((await mia.visitor.get('/keys')).json.data).toHaveLength(1);
    const owners = (await ann.visitor.post('/keys', { name: 'owner’s' })).json.data;
    expect((await mia.visitor.ask('DELETE', `/keys/${owners.key_id}`)).status).toBe(404);
    expect((await ann.visitor.ask('DELETE', `/keys/${created.key_id}`)).status).toBe(200);
  });
});

describe('members', () => {
  test('change roles with their keys; the last owner stays', async () => {
    const mia = await member(appliance, ann.account);
    const key = (await mia.visitor.post('/keys', { name: 'k' })).json.data;
    const list = (await ann.visitor.get('/members')).json.data as {
      user_id: string;
      email: string;
      is_you: boolean;
    }[];
    const [me] = list.filter(({ is_you }) => is_you);
    const { user_id } = list.find(({ email }) => email === mia.email)!;
    const last = await ann.visitor.ask('PATCH', `/members/${me!.user_id}`, { role: 'member' });
    expect([last.status, last.json.error.code]).toEqual([409, 'conflict']);
    expect((await ann.visitor.ask('DELETE', `/members/${me!.user_id}`)).status).toBe(409);
    const role = async () => {
      const keys = (await ann.visitor.get('/keys')).json.data as { key_id: string; role: string }[];
      return keys.find(({ key_id }) => key_id === key.key_id)?.role;
    };
    await ann.visitor.ask('PATCH', `/members/${user_id}`, { role: 'owner' });
    expect([await role(), (await mia.visitor.get('/me')).json.data.role]).toEqual(['owner', 'owner']);
    await ann.visitor.ask('PATCH', `/members/${user_id}`, { role: 'member' });
    expect([await role(), (await mia.visitor.get('/me')).json.data.role]).toEqual(['member', 'member']);
    expect((await eve.visitor.ask('DELETE', `/members/${user_id}`)).status).toBe(404);
    expect((await eve.visitor.post(`/members/${user_id}/link`)).status).toBe(404);
    expect((await ann.visitor.ask('PATCH', `/members/${user_id}`, { role: 'boss' })).status).toBe(422);
  });

  test('get a new link when they lost a link or password, and the old one becomes invalid', async () => {
    const created = (await ann.visitor.post('/members', { email: 'lost@example.org' })).json.data;
    expect((await ann.visitor.post('/members', { email: 'lost@example.org' })).status).toBe(409);
    const again = (await ann.visitor.post(`/members/${created.user_id}/link`)).json.data;
    const tokenIn = ({ invite_path }: { invite_path: string }) => invite_path.split('/').at(-1);
    expect((await eve.visitor.get(`/invite/${tokenIn(created)}`)).status).toBe(404);
    expect((await eve.visitor.get(`/invite/${tokenIn(again)}`)).status).toBe(200);
  });
});

describe('webhooks', () => {
  test('are set, tested, inspected, resent, rotated, turned off and removed', async () => {
    const inbox = await createInbox(ann);
    const at = `/webhooks/${inbox.id}`;
    const { receiver } = outside;
    const refused = await ann.visitor.ask('PUT', at, { url: 'https://10.0.0.1/' });
    expect([refused.status, refused.json.error.code]).toEqual([400, 'webhook_ssrf_rejected']);
    expect((await eve.visitor.ask('PUT', at, { url: outside.url })).status).toBe(404);
    const created = (await ann.visitor.ask('PUT', at, { url: outside.url })).json.data;
    expect(created.secret).toStartWith('whsec_');

    receiver.answer({ status: 418, body: 'short and stout' });
    const tested = (await ann.visitor.post(`${at}/test`)).json.data;
    expect(tested).toMatchObject({ kind: 'answered', status: 418, body: 'short and stout' });

    receiver.answer({ status: 400, body: 'no thanks' });
    await sendMail({ port: appliance.smtpPort, from: 'a@sender.test', to: [inbox.address], raw: 'x\r\n' });
    const failed = await eventually(async () => {
      const { deliveries } = (await ann.visitor.get(at)).json.data;
      return deliveries[0]?.status === 'failed' && deliveries[0];
    });
    expect(failed).toMatchObject({ answer: 'no thanks', attempts: [{ response_status: 400, error: null }] });
    const again = { event_id: failed.event_id };
    expect((await eve.visitor.post(`${at}/replay`, again)).status).toBe(404);
    expect((await eve.visitor.get(at)).status).toBe(404);

    receiver.answer({ status: 200, body: 'thanks' });
    expect((await ann.visitor.post(`${at}/replay`, again)).status).toBe(200);
    const delivered = await eventually(async () => {
      const { deliveries } = (await ann.visitor.get(at)).json.data;
      return deliveries[0]?.status === 'delivered' && deliveries[0];
    });
    // Only answers to failed attempts are kept.
    expect(delivered.answer).toBeNull();

    expect((await ann.visitor.post(`${at}/rotate`)).json.data.secret).not.toBe(created.secret);
    expect((await ann.visitor.post(`${at}/disable`)).json.data.enabled).toBe(false);
    const list = await ann.visitor.get('/webhooks');
    expect(list.json.data).toMatchObject([{ address: inbox.address }]);
    expect(list.text).not.toContain('whsec_');
    expect((await ann.visitor.ask('DELETE', at)).status).toBe(204);
    expect((await ann.visitor.get(at)).json.data.webhook).toBeNull();
  });

  test('are listed page by page, those of the newest inbox first', async () => {
    const cy = await owner(appliance);
    const addresses: string[] = [];
    for (let hooks = 0; hooks < 3; hooks++) {
      const inbox = await createInbox(cy);
      expect((await cy.visitor.ask('PUT', `/webhooks/${inbox.id}`, { url: outside.url })).status).toBe(200);
      addresses.unshift(inbox.address);
    }
    const first = (await cy.visitor.get('/webhooks?limit=2')).json;
    const cursor = encodeURIComponent(first.pagination.next_cursor);
    const last = (await cy.visitor.get(`/webhooks?limit=2&cursor=${cursor}`)).json;
    expect([first.data.length, last.pagination.has_more]).toEqual([2, false]);
    expect([...first.data, ...last.data].map(({ address }) => address)).toEqual(addresses);
    expect((await ann.visitor.get(`/webhooks?limit=2&cursor=${cursor}`)).status).toBe(422);
  });

  test('get an event again without sending it to the other webhooks that had it', async () => {
    const inbox = await createInbox(ann);
    const at = `/webhooks/${inbox.id}`;
    const { receiver } = outside;
    receiver.answer({ status: 200 });
    const ofAccount = await ann.visitor.post('/account-webhooks', {
      url: outside.url.replace('/mail', '/all-mail'),
      events: ['email.received'],
    });
    expect(ofAccount.status).toBe(201);
    await ann.visitor.ask('PUT', at, { url: outside.url });
    await sendMail({ port: appliance.smtpPort, from: 'a@sender.test', to: [inbox.address], raw: 'x\r\n' });
    const listPaths = (event: string) =>
      receiver.requests
        .filter(({ headers }) => headers['x-service-event-id'] === event)
        .map(({ path }) => path);
    const sent = await eventually(async () => {
      const [delivery] = (await ann.visitor.get(at)).json.data.deliveries;
      return delivery?.status === 'delivered' && listPaths(delivery.event_id).length === 2 && delivery;
    });

    expect((await ann.visitor.post(`${at}/replay`, { event_id: sent.event_id })).status).toBe(200);
    await eventually(async () => listPaths(sent.event_id).length > 2);
    const kept = await ann.visitor.get(`/account-webhooks/${ofAccount.json.data.id}/deliveries`);
    expect(kept.json.data[0]).toMatchObject({ event_id: sent.event_id, status: 'delivered' });
    expect(listPaths(sent.event_id).sort()).toEqual(['/all-mail', '/mail', '/mail']);
  });

  test('need a plan that includes them', async () => {
    const free = await owner(appliance, 'free');
    const inbox = await createInbox(free);
    expect((await free.visitor.get('/webhooks')).json.data).toEqual([]);
    const refused = await free.visitor.ask('PUT', `/webhooks/${inbox.id}`, { url: outside.url });
    expect(refused.json.error.code).toBe('webhook_entitlement_required');
    expect((await free.visitor.post(`/webhooks/${inbox.id}/test`)).status).toBe(403);
  });
});

test('usage is shown beside the caps of the plan', async () => {
  const { visitor } = await owner(appliance, 'pro');
  const { data } = (await visitor.get('/usage')).json;
  expect(data).toMatchObject({
    plan: 'pro',
    caps: { inboxes: 50 },
    used: { inboxes: 0, concurrent_waits: 0 },
    month: { messages_received: 0 },
  });
});

describe('the diary', () => {
  const entries = async (person: Person, path = '/diary') => (await person.visitor.get(path)).json.data;

  test('shows an account why its mail was refused, and nothing of other accounts', async () => {
    const inbox = await createInbox(eve);
    const port = appliance.smtpPort;
    const big = `Subject: big\r\n\r\n${'x'.repeat(70 * 1024)}\r\n`;
    await sendMail({ port, from: 'big@sender.test', to: [inbox.address], raw: big });
    expect(await entries(eve)).toMatchObject([
      {
        reason: 'too_large',
        code: 552,
        recipient: inbox.address,
        envelope_from: 'big@sender.test',
        times: 1,
      },
    ]);
    expect(await entries(ann)).toEqual([]);
    const key = (await eve.visitor.post('/keys', { name: 'k' })).json.data.api_key;
    await appliance.request('DELETE', `/api/v1/inboxes/${inbox.id}`, { key });
    await sendMail({
      port,
      from: 'late@sender.test',
      to: [inbox.address.replace('@', '+tag@')],
      raw: 'x\r\n',
    });
    expect((await entries(eve))[0]).toMatchObject({ reason: 'unknown_recipient', code: 550 });
    // An address on their own domain is theirs, with or without an inbox.
    await ann.visitor.post('/domains', { name: 'own.example.net' });
    await sendMail({ port, from: 'a@sender.test', to: ['typo@own.example.net'], raw: 'x\r\n' });
    expect(await entries(ann)).toMatchObject([{ recipient: 'typo@own.example.net' }]);
    // The first account is the operator’s: it sees every account’s entries, and those of no account.
    await sendMail({ port, from: 'a@sender.test', to: ['typo@postern.test'], raw: 'x\r\n' });
    const all = await entries(ann, '/operator/diary');
    expect(all).toMatchObject([{ recipient: 'typo@postern.test', is_ours: false }, {}, {}, {}]);
  });

  test('includes refusals outside of handlers: an announced size, too many recipients, a closed connection', async () => {
    const settings = { smtp_recipients_max: '1', smtp_bad_commands_max: '2', smtp_max_size: '64KiB' };
    await using strict = await startAppliance({ settings });
    const them = await owner(strict);
    const created = (await them.visitor.post('/keys', { name: 'k' })).json.data;
    const inbox = await strict.inbox({ account: them.account, key: created.api_key });
    using client = await SmtpClient.greet({ port: strict.smtpPort });
    await client.say('MAIL FROM:<a@b.test> SIZE=1000000', 552);
    await client.say('MAIL FROM:<a@b.test>', 250);
    await client.say(`RCPT TO:<${inbox.address}>`, 250);
    await client.say('RCPT TO:<other@postern.test>', 452);
    for (const code of [500, 421]) {
      client.send('NONSENSE');
      if (code === 500) await client.reply();
      else for (let reply = await client.reply(); reply.code !== code; ) reply = await client.reply();
    }
    const all = (await entries(them, '/operator/diary')) as { reason: string; code: number }[];
    expect(all.map(({ reason, code }) => [reason, code])).toEqual([
      ['too_many_faults', 421],
      ['too_many_recipients', 452],
      ['too_large', 552],
    ]);
  });

  test('groups a flood into one entry per kind, limits the entries per client, and drops old ones', async () => {
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.say('EHLO flood.test', 250);
    await client.say('MAIL FROM:<flood@sender.test>', 250);
    for (let one = 0; one < 3; one++) await client.say('RCPT TO:<same@postern.test>', 550);
    const diary = appliance.services.diary;
    for (let one = 0; one < 500; one++) {
      diary.note({
        reason: 'unknown_recipient',
        client_address: '198.51.100.1',
        helo: 'flood',
        envelope_from: 'f@sender.test',
        recipient: `guess${one}@postern.test`,
      });
    }
    const all = (await entries(ann, '/operator/diary?limit=100')) as {
      client_address: string;
      times: number;
    }[];
    const flood = all.filter(({ client_address }) => client_address === '198.51.100.1');
    expect(flood).toHaveLength(diaryRules.entriesOfClient + 1);
    expect(flood.reduce((sum, { times }) => sum + times, 0)).toBe(500);
    expect(all).toContainEqual(expect.objectContaining({ recipient: 'same@postern.test', times: 3 }));
    await clock.leap((diaryRules.keptDays + 1) * 86_400_000);
    const { diaryJobs } = await import('../../../src/features/ingest/diary/jobs.ts');
    await appliance.run(diaryJobs[0]!);
    ann = { ...ann, visitor: (await owner(appliance)).visitor };
    const { listWholeDiary: wholeDiary } = await import('../../../src/features/ingest/diary/sql.ts');
    expect(wholeDiary(appliance.services.store, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});

/** Polls until the claim is true. */
async function eventually<Value>(ask: () => Promise<Value | false | undefined>): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('none of these requests caused a server error', () => {
  expect(appliance.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
