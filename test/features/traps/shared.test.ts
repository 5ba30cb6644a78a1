/** A trap of many projects: what the mail of each may reach, and what the API shows of it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { deleteAccount } from '../../../src/features/accounts/delete.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { makeTrap, sendTo, setTrap, signIn } from './shared-trap.ts';

let server: RunningAppliance;
let port: number;
beforeAll(async () => {
  server = await startAppliance({
    settings: { limits: 'off', smtp_connections_per_ip: '500', plan_free_inboxes: '2' },
  });
  port = server.smtpPort;
});
afterAll(() => server[Symbol.asyncDispose]());

const get = (path: string, { key }: Holder) => server.request('GET', `/api/v1${path}`, { key });
const subjects = (reply: { json: { data: { subject: string }[] } }) =>
  reply.json.data.map(({ subject }) => subject);

describe('200 projects side by side', () => {
  test('each see only their own mail, however they ask', async () => {
    const projects = await Promise.all(Array.from({ length: 200 }, () => makeTrap(server)));
    const addresses = ['ann@example.com', 'ann@postern.test', 'abuse@postern.test', 'ann+tag@example.com'];
    const sends = fc.sample(
      fc.record({
        project: fc.nat({ max: projects.length - 1 }),
        to: fc.uniqueArray(fc.constantFrom(...addresses), { minLength: 1, maxLength: 3 }),
      }),
      { numRuns: 400, seed: 7 },
    );
    const expected = projects.map(() => [] as { to: string; subject: string }[]);
    const wait = (index: number) =>
      server.request('GET', '/api/v1/messages/wait?timeout=25&since=0&require=any', {
        key: projects[index]!.key,
      });
    const waits = projects.map((_, index) =>
      sends.some(({ project }) => project === index) ? wait(index) : null,
    );
    const lines = sends.map(async ({ project, to }, index) => {
      const subject = `mail ${index} of project ${project}`;
      for (const one of to) expected[project]!.push({ to: one, subject });
      using client = await signIn({ port }, projects[project]!.key, `project-${project}`);
      await sendTo(client, to, subject);
    });
    await Promise.all(lines);
    for (const [index, project] of projects.entries()) {
      const own = expected[index]!;
      const all = await get('/messages?limit=100', project);
      expect(subjects(all).sort()).toEqual(own.map(({ subject }) => subject).sort());
      const found = await get('/messages?limit=100&q=mail', project);
      expect(subjects(found).sort()).toEqual(own.map(({ subject }) => subject).sort());
      for (const address of ['ann@postern.test', 'ann%2Btag@example.com']) {
        const to = decodeURIComponent(address);
        const ofAddress = await get(`/inboxes/${address}/messages?limit=100`, project);
        expect(subjects(ofAddress).sort()).toEqual(
          own
            .filter((one) => one.to === to)
            .map(({ subject }) => subject)
            .sort(),
        );
      }
      const first = await waits[index];
      if (first) expect(own.map(({ subject }) => subject)).toContain(first.json.data.subject);
    }
  }, 60_000);
});

describe('the trap of an account', () => {
  test('accepts addresses of other accounts, of the server and reserved ones, without affecting those accounts', async () => {
    const trap = await makeTrap(server);
    const other = await server.holder();
    const box = await server.inbox(other, { routing_key: 'bob-of-other' });
    using client = await signIn({ port }, trap.key);
    await sendTo(client, [
      box.address,
      'postmaster',
      'admin@postern.test',
      'bounce+x@postern.test',
      'a@b.c.example',
    ]);
    expect((await get('/messages', trap)).json.data).toHaveLength(5);
    expect((await get('/messages', other)).json.data).toEqual([]);
    const own = (await get(`/inboxes/${box.address}`, trap)).json.data;
    expect(own).toMatchObject({ address: box.address, domain: null });
    expect(own.id).not.toBe(box.id);
    expect((await get(`/inboxes?address=${box.address}`, trap)).json.data).toMatchObject([{ id: own.id }]);
    expect((await get(`/inboxes?address=${box.address}`, other)).json.data).toMatchObject([{ id: box.id }]);
    expect((await get(`/inboxes/${own.id}`, other)).status).toBe(404);
    // The address is still the other account's to the world.
    using stranger = await SmtpClient.greet({ port });
    await sendTo(stranger, [box.address], 'from outside');
    expect(subjects(await get('/messages', other))).toEqual(['from outside']);
    expect((await get('/messages', trap)).json.data).toHaveLength(5);
  });

  test('accepts nothing without AUTH, and claims no address', async () => {
    const trap = await makeTrap(server);
    using client = await signIn({ port }, trap.key);
    await sendTo(client, ['unclaimed@postern.test']);
    using stranger = await SmtpClient.greet({ port });
    await stranger.say('MAIL FROM:<a@example.org>', 250);
    await stranger.say('RCPT TO:<unclaimed@postern.test>', 550);
    await stranger.say('RCPT TO:<any@one.example>', 550);
    const again = await server.request('POST', '/api/v1/inboxes', {
      key: trap.key,
      body: { routing_key: 'unclaimed' },
    });
    expect([again.status, again.json.error.code]).toEqual([409, 'conflict']);
    const other = await server.holder();
    expect((await server.inbox(other, { routing_key: 'unclaimed' })).address).toBe('unclaimed@postern.test');
  });

  test('is never public', async () => {
    const trap = await makeTrap(server);
    using client = await signIn({ port }, trap.key);
    await sendTo(client, ['secret@postern.test']);
    const refused = await server.request('PATCH', '/api/v1/inboxes/secret@postern.test', {
      key: trap.key,
      body: { public: true },
    });
    expect(refused.json.error.code).toBe('public_not_allowed_on_custom_domain');
  });

  test('delivers to the account’s own inbox where it has the address', async () => {
    const trap = await makeTrap(server);
    const box = await server.inbox(trap);
    using client = await signIn({ port }, trap.key);
    await sendTo(client, [box.address]);
    expect((await get(`/inboxes/${box.id}/messages`, trap)).json.data).toHaveLength(1);
    expect((await get('/inboxes', trap)).json.data).toHaveLength(1);
  });

  test('answers 452 beyond the inboxes of its plan, at RCPT or at the end of DATA if another session was faster', async () => {
    const trap = await makeTrap(server, 'free');
    using client = await signIn({ port }, trap.key);
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say('RCPT TO:<one@cap.example>', 250);
    await client.say('RCPT TO:<two@cap.example>', 250);
    await client.say('RCPT TO:<ONE@cap.example>', 250);
    await client.say('RCPT TO:<three@cap.example>', 452);
    using faster = await signIn({ port }, trap.key);
    await sendTo(faster, ['zero@cap.example']);
    await client.say('DATA', 354);
    client.data('Subject: x\r\n\r\nx\r\n');
    await client.expect(452);
    expect((await get('/messages', trap)).json.data).toHaveLength(1);
    await sendTo(client, ['zero@cap.example']);
    expect((await get('/inboxes/other@cap.example/messages', trap)).status).toBe(200);
    const full = await get('/inboxes/further@cap.example/messages', trap);
    expect([full.status, full.json.error.message]).toEqual([404, expect.stringContaining('Delete some')]);
  });

  test('has every address in the API too, for no account but its own', async () => {
    const trap = await makeTrap(server);
    const empty = await get('/inboxes/new@any.example/messages', trap);
    expect([empty.status, empty.json.data]).toEqual([200, []]);
    expect((await get('/inboxes/new@any.example/messages/latest', trap)).status).toBe(404);
    expect((await get('/inboxes/new@any.example/messages', await server.holder())).status).toBe(404);
    const waiting = get('/inboxes/first@any.example/messages/wait?timeout=20&require=any', trap);
    using client = await signIn({ port }, trap.key);
    await sendTo(client, ['first@any.example'], 'hello');
    expect((await waiting).json.data.subject).toBe('hello');
  });

  test('refuses mail for an inbox that is turned off, and shows it in its diary', async () => {
    const trap = await makeTrap(server);
    await get('/inboxes/off@any.example', trap);
    await server.request('PATCH', '/api/v1/inboxes/off@any.example', {
      key: trap.key,
      body: { is_enabled: false },
    });
    using client = await signIn({ port }, trap.key);
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say('RCPT TO:<off@any.example>', 550);
  });

  test('stays readable when it is turned off, but accepts no more logins', async () => {
    const trap = await makeTrap(server);
    {
      using client = await signIn({ port }, trap.key);
      await sendTo(client, ['kept@any.example']);
    }
    await setTrap(server, trap, false);
    expect((await get('/inboxes/kept@any.example/messages', trap)).json.data).toHaveLength(1);
    expect((await get('/inboxes/other@any.example/messages', trap)).status).toBe(404);
  });

  test('obeys its own fault rules, and no others', async () => {
    const [one, other] = [await makeTrap(server), await makeTrap(server)];
    const add = (holder: Holder, body: Record<string, unknown>) =>
      server.request('POST', '/api/v1/smtp_faults', { key: holder.key, body });
    expect((await add(one, { stage: 'rcpt', reply: '450 4.2.1 later', times: 1 })).status).toBe(201);
    expect((await add(await server.holder(), { stage: 'rcpt', drop: true })).json.error.code).toBe(
      'not_a_trap',
    );
    for (const stage of ['connect', 'ehlo']) {
      const refused = await add(one, { stage, drop: true });
      expect([refused.status, Object.keys(refused.json.error.fields)]).toEqual([422, ['stage']]);
    }
    using second = await signIn({ port }, other.key);
    await sendTo(second, ['x@any.example']);
    using first = await signIn({ port }, one.key);
    await first.say('MAIL FROM:<a@example.org>', 250);
    await first.say('RCPT TO:<x@any.example>', 450);
    await first.say('RCPT TO:<x@any.example>', 250);
    await first.say('RCPT TO:<y+fault-550@any.example>', 550);
    // Without AUTH there is no trap, and the name requests no fault.
    const box = await server.inbox(other);
    using stranger = await SmtpClient.greet({ port });
    await sendTo(stranger, [box.address.replace('@', '+fault-550@')]);
    await add(one, { stage: 'auth', reply: '454 4.7.0 not now', times: 1 });
    await expect(signIn({ port }, one.key)).rejects.toThrow('454');
    using again = await signIn({ port }, one.key);
    await sendTo(again, ['x@any.example']);
  });

  test('leaves no fault rules behind when its account is deleted', async () => {
    const { key, account } = await makeTrap(server);
    const body = { stage: 'rcpt', drop: true };
    expect((await server.request('POST', '/api/v1/smtp_faults', { key, body })).status).toBe(201);
    const { services } = server;
    expect(services.faultRules.has(account.no)).toBe(true);
    await deleteAccount(services, account.no);
    expect(services.faultRules.has(account.no)).toBe(false);
  });

  test('may hold more waits than its plan allows, counted apart from the server’s', async () => {
    const trap = await makeTrap(server, 'free');
    const waits = Array.from({ length: 150 }, () => get('/messages/wait?timeout=20&require=any', trap));
    const other = await server.holder();
    await until(() => server.services.waits.slots.heldBy(trap.account.no) >= 150);
    const box = await server.inbox(other);
    const plain = get(`/inboxes/${box.id}/messages/wait?timeout=20&require=any`, other);
    using client = await signIn({ port }, trap.key);
    await sendTo(client, ['all@any.example']);
    expect(new Set((await Promise.all(waits)).map(({ status }) => status))).toEqual(new Set([200]));
    using stranger = await SmtpClient.greet({ port });
    await sendTo(stranger, [box.address]);
    expect((await plain).status).toBe(200);
  });
});
