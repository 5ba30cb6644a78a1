/** Runs every check that a route's value implies on every route. A route without an example here fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { routes } from '../../src/app/routes.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { limits } from '../../src/rules/limits.ts';
import { readyDomain } from '../features/domains/ready.ts';
import { Sender, sending } from '../features/outbound/sender.ts';
import { makeTrap } from '../features/traps/shared-trap.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { examples, findExample, type Own, unknownIds } from './route-examples.ts';

let appliance: RunningAppliance;
let owner: Holder;
let other: Holder;
let trap: Holder;
let own: Own;
const stricts = new Map<string, RunningAppliance>();

beforeAll(async () => {
  appliance = await startAppliance({ settings: { ...sending, metrics: 'on' } });
  other = await appliance.holder();
  trap = await makeTrap(appliance);
  const sender = await Sender.join(appliance);
  owner = sender.owner;
  const inbox = await appliance.inbox(owner);
  own = {
    inbox: inbox.id,
    message: await appliance.deliver(inbox.address),
    address: inbox.address,
    domain: (await readyDomain(appliance.services, owner.account.no, 'one.example', 'none')).id,
    outbound: (await sender.send()).json.data.id,
    webhook: (await sender.post('/webhooks', { url: 'https://hooks.example.com/', events: ['email.sent'] }))
      .json.data.id,
    approved: (await sender.post('/outbound_allowlist', { email: 'b@example.org' })).json.data.id,
    rule: (await sender.post('/rules', { mark_read: true })).json.data.id,
  };
});
afterAll(async () => {
  for (const one of [appliance, ...stricts.values()]) await one[Symbol.asyncDispose]();
});

function expectFailure(
  reply: Awaited<ReturnType<RunningAppliance['request']>>,
  status: number,
  code: string,
) {
  expect(reply.json?.error).toMatchObject({ code, request_id: reply.headers.get('x-request-id') });
  expect(reply.status).toBe(status);
  expect(reply.json.error.message).toBeString();
  expect(reply.json.error.fields).toBeObject();
  expect(Object.keys(reply.json)).toEqual(['error']);
  expect(Object.keys(reply.json.error).sort()).toEqual(['code', 'fields', 'message', 'request_id']);
  expect(reply.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
}

for (const route of routes) {
  describe(`${route.method} ${route.path}`, () => {
    const example = findExample(route);
    // A wait over all inboxes has no id that could be unknown, so a wrong query makes it answer at once.
    const unheld = route.waits && !route.path.includes('/:') ? '?since=' : '';
    const ask = (key: string | undefined, headers: Record<string, string> = {}, body = example.body) =>
      appliance.request(route.method, example.path(own) + unheld, { key, body, headers });

    test('has an example', () => expect(Object.keys(examples)).toContain(route.name));

    if (route.auth === 'key') {
      test('asks for a key before anything else', async () => {
        for (const authorization of [
          '',
          'Bearer',
          'Bearer ',
          'Bearer pst_live_wrong',
          `Basic ${owner.key}`,
          owner.key,
        ]) {
          const reply = await ask(undefined, { authorization }, route.body ? 'not json' : undefined);
          expectFailure(reply, 401, 'authentication_required');
          expect(reply.headers.get('www-authenticate')).toBe('Bearer');
          expect(reply.headers.has('x-ratelimit-limit')).toBe(false);
        }
      });

      test('sends limit headers with every answer, errors included', async () => {
        const reply = await ask(other.key);
        expect(Number(reply.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
        expect(Number(reply.headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(0);
        expect(Number(reply.headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_700_000_000);
      });
    } else {
      test('ignores a key', async () => {
        expect((await ask('pst_live_wrong')).status).not.toBe(401);
      });
    }

    if (route.auth === 'key' && route.path.includes('/:')) {
      test('answers the same for another account’s resource as for one that does not exist', async () => {
        const foreign = await ask(other.key);
        const path = example.path({ ...unknownIds, address: 'x@y' });
        const unknown = await appliance.request(route.method, path, { key: owner.key, body: example.body });
        for (const reply of [foreign, unknown]) expectFailure(reply, 404, 'not_found');
        const { request_id: _, ...left } = foreign.json.error;
        const { request_id: __, ...right } = unknown.json.error;
        expect(left).toEqual(right);
      });
    }

    test('answers other methods 405 with Allow', async () => {
      const here = routes.filter(({ path }) => path === route.path).map(({ method }) => method as string);
      const wrong = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
        (method) => !here.includes(method),
      );
      for (const method of wrong) {
        const path = example.path(own);
        const reply = await appliance.request(method, path, { key: owner.key });
        expectFailure(reply, 405, 'method_not_allowed');
        const allowed = reply.headers.get('allow')?.split(', ') ?? [];
        expect(allowed).toEqual(expect.arrayContaining(here));
        expect(allowed.includes('HEAD')).toBe(allowed.includes('GET'));
      }
    });

    test('does not match with a trailing slash', async () => {
      for (const path of [`${example.path(own)}/`, `${example.path(own)}//`]) {
        expectFailure(await appliance.request(route.method, path, { key: owner.key }), 404, 'not_found');
      }
    });

    if (!route.content.includes('*/*')) {
      test('answers 406 when the client accepts neither JSON nor its own type', async () => {
        for (const accept of ['text/html', 'application/json;q=0', 'image/*, text/*;q=0.5']) {
          if (accept.includes('q=0') && !route.content.includes('application/json')) continue;
          if (route.content.includes(accept)) continue;
          if (accept.includes('text/*') && route.content.some((type) => type.startsWith('text/'))) continue;
          expectFailure(await ask(owner.key, { accept }), 406, 'not_acceptable');
        }
      });
    }

    if (route.body) {
      const entitled = () => (route.fails.includes('not_a_trap') ? trap : owner);

      test('accepts only JSON', async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/jsonx',
          ...(route.form ? [] : ['multipart/form-data']),
        ]) {
          expectFailure(
            await ask(entitled().key, { 'content-type': type }, 'a=b'),
            415,
            'unsupported_media_type',
          );
        }
      });

      test('refuses a body over its bound, announced or not', async () => {
        const big = JSON.stringify({ x: 'x'.repeat(route.bodyBytesMax) });
        expectFailure(await ask(entitled().key, {}, big), 413, 'payload_too_large');
        const chunks = new ReadableStream({
          start(controller) {
            for (let at = 0; at < big.length; at += 8192)
              controller.enqueue(Buffer.from(big.slice(at, at + 8192)));
            controller.close();
          },
        });
        const response = await fetch(appliance.url + example.path(own), {
          method: route.method,
          body: chunks,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${entitled().key}` },
        });
        expect([
          response.status,
          ((await response.json()) as { error: { code: string } }).error.code,
        ]).toEqual([413, 'payload_too_large']);
      });

      test('names what is wrong with a body', async () => {
        for (const body of ['{bad', '[1', '', '\ufeff{', 'null', '[]', '"x"', '7', '['.repeat(60_000)]) {
          if (body === '' && route.bodyOptional) continue;
          const reply = await ask(entitled().key, {}, body);
          expectFailure(reply, 422, 'validation_error');
          expect(reply.json.error.fields.body).toBeArray();
        }
        const badUtf8 = await appliance.request(route.method, example.path(own), {
          key: entitled().key,
          body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        });
        expectFailure(badUtf8, 422, 'validation_error');
        expect(badUtf8.json.error.fields.body).toBeArray();
      });

      test('names keys that it does not accept', async () => {
        const body = { ...(example.body as object), surprise: 1, another: 2 };
        const reply = await ask(entitled().key, {}, body);
        expectFailure(reply, 422, 'validation_error');
        expect(reply.json.error.fields).toMatchObject({
          surprise: ['is not a known field'],
          another: ['is not a known field'],
        });
      });

      test('names the first of many unknown keys, and says how many more there are', async () => {
        const body = { ...(example.body as object) } as Record<string, unknown>;
        for (let count = 0; count < 3_000; count++) body[`x${count}`] = 1;
        const reply = await ask(entitled().key, {}, body);
        expectFailure(reply, 422, 'validation_error');
        const { fields } = reply.json.error;
        expect([fields.x0, fields.x49, fields.x50, fields.body]).toEqual([
          ['is not a known field'],
          ['is not a known field'],
          undefined,
          ['has more unknown fields: 2950'],
        ]);
        expect(reply.text.length).toBeLessThan(5_000);
      });
    }

    if (route.limits.length > 0) {
      for (const name of new Set([...route.limits, ...route.budgets])) {
        test(`enforces the limit ${name}`, async () => {
          const strict = await strictIn(name, route);
          const holder = await strict.holder();
          const path = example.path({ ...unknownIds, address: 'x@postern.test' }) + unheld;
          const options = { key: holder.key, body: example.body };
          expect((await strict.request(route.method, path, options)).status).not.toBe(429);
          const reply = await strict.request(route.method, path, options);
          expectFailure(reply, 429, limits[name].code);
          expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
          if (route.auth === 'key') expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
        });
      }
    }
  });
}

/** An appliance with this limit set to one. Limits per account share an appliance; others get their own. */
async function strictIn(name: string, { auth, name: of }: Route): Promise<RunningAppliance> {
  const sharedBy = auth === 'key' ? name : `${name} ${of}`;
  const settings = { ...sending, limits: 'on', [`limit_${name}`]: '1' };
  const strict = stricts.get(sharedBy) ?? (await startAppliance({ settings }));
  stricts.set(sharedBy, strict);
  return strict;
}

test('whatever is created can be fetched at its Location with the same key', async () => {
  const { owner: maker, ...sender } = await Sender.join(appliance, 'three.example');
  const ids = { ...own, inbox: sender.inbox.id, message: await appliance.deliver(sender.inbox.address) };
  const found: Record<string, string> = {};
  // Only a trap has SMTP faults.
  const creating = routes.filter(
    ({ creates, auth, fails }) => creates && auth === 'key' && !fails.includes('not_a_trap'),
  );
  for (const route of creating) {
    const example = findExample(route);
    // What other tests created belongs to them.
    const ownBody = JSON.stringify(example.body)
      .replace('one.example', 'three.example')
      .replace('two.', 'four.');
    const created = await appliance.request(route.method, example.path(ids), {
      key: maker.key,
      body: ownBody,
    });
    const location = created.headers.get('location');
    const got = location && (await appliance.request('GET', location, { key: maker.key }));
    const isSame = got && got.json.data.id === created.json.data.id;
    found[route.name] = got ? `${created.status} ${got.status} ${isSame}` : created.text;
  }
  expect(found).toEqual(Object.fromEntries(creating.map(({ name }) => [name, '201 200 true'])));
});

test('an account that is not active is refused everywhere, after its key is known', async () => {
  const { changeAccountOp } = await import('../../src/features/accounts/writes.ts');
  for (const status of ['unverified', 'suspended', 'inactive'] as const) {
    const holder = await appliance.holder();
    await appliance.services.store.write(changeAccountOp, {
      account_no: holder.account.no,
      changes: { status },
    });
    for (const route of routes.filter(({ auth }) => auth === 'key')) {
      const reply = await appliance.request(route.method, findExample(route).path(own), {
        key: holder.key,
        headers: { 'content-type': 'text/plain' },
      });
      expectFailure(reply, 403, 'account_forbidden');
    }
  }
});

test('a revoked key stops working at once', async () => {
  const { revokeKeyOp } = await import('../../src/features/accounts/keys/writes.ts');
  const { listKeys: keysOf } = await import('../../src/features/accounts/sql.ts');
  const holder = await appliance.holder();
  expect((await appliance.request('GET', '/api/v1/account', { key: holder.key })).status).toBe(200);
  const [key] = keysOf(appliance.services.store, holder.account.no);
  await appliance.services.store.write(revokeKeyOp, { id: key?.id ?? '' });
  expect((await appliance.request('GET', '/api/v1/account', { key: holder.key })).status).toBe(401);
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
