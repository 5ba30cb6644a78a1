/** `GET /messages/{id}/checks` (docs/checks.md): its response, who may ask for it, and which links it requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sendMail } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { makeSurroundings, type Surroundings } from '../webhooks/hooked.ts';

let world: Surroundings;
let appliance: RunningAppliance;
let owner: Holder;
let address: string;

beforeAll(async () => {
  world = await makeSurroundings();
  appliance = await startAppliance({ settings: world.settings });
  owner = await appliance.holder();
  address = (await appliance.inbox(owner)).address;
});
afterAll(async () => {
  await appliance[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const HEAD =
  'Date: Mon, 23 Nov 2026 17:09:22 +0000\r\nMessage-ID: <1@shop.org>\r\nFrom: Shop <a@shop.org>\r\nTo: b@c.org\r\n';

/** Sends HTML by SMTP; returns the id of the message. */
async function receive(html: string, head = HEAD): Promise<string> {
  const raw = `${head}Content-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;
  const { data } = await sendMail({ port: appliance.smtpPort, from: 'a@shop.org', to: [address], raw });
  expect(data?.code).toBe(250);
  const list = await appliance.request('GET', '/api/v1/messages?limit=1', { key: owner.key });
  return list.json.data[0].id;
}

/** Stores a mail with this HTML, as the parser would have read it. */
const store = (html: string, at = { appliance, address }) =>
  at.appliance.deliver(at.address, { raw: `${HEAD}\r\nx\r\n`, has_html: true, content: { html, text: '' } });

const check = (id: string, query = '', key = owner.key) =>
  appliance.request('GET', `/api/v1/messages/${id}/checks${query}`, { key });

describe('the checks of a message', () => {
  test('have every part, and point to the place in the HTML', async () => {
    const head = `${HEAD}List-Unsubscribe: <https://shop.org/u>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`;
    const id = await receive(
      '<html>\r\n<img src="a.png"><a href="http://shop.org/">Shop</a>\r\n<video>',
      head,
    );
    const { status, json } = await check(id);
    expect(status).toBe(200);
    expect(json.data).toEqual({
      html: {
        score: expect.any(Number),
        warnings: [
          {
            feature: '<video> element',
            where: 'line 3: <video>',
            support: { full: expect.any(Number), partial: expect.any(Number), none: expect.any(Number) },
            clients: expect.arrayContaining(['Outlook (Windows)']),
            partly: expect.any(Array),
            url: 'https://www.caniemail.com/features/html-video/',
          },
        ],
        data_date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      },
      links: [{ url: 'http://shop.org/', text: 'Shop', problem: 'http instead of https' }],
      list_unsubscribe: { present: true, one_click: true, urls: ['https://shop.org/u'], problems: [] },
      size: { bytes: expect.any(Number), html_bytes: expect.any(Number), clipped_by: [] },
      accessibility: [
        { rule: 'lang', element: 'line 1: <html>' },
        { rule: 'alt', element: 'line 2: <img src="a.png">' },
      ],
      headers: [{ rule: 'text_part', text: 'There is HTML but no plain text.' }],
    });
  });

  test('of a mail without HTML give the score 100', async () => {
    const id = await appliance.deliver(address, { raw: `${HEAD}\r\nHi\r\n` });
    const { json } = await check(id);
    expect(json.data.html).toMatchObject({ score: 100, warnings: [] });
    expect([json.data.size.clipped_by, json.data.accessibility, json.data.headers]).toEqual([[], [], []]);
  });

  test('of a mail of another account are not found', async () => {
    const id = await store('<p>x</p>');
    const stranger = await appliance.holder();
    for (const reply of [await check(id, '', stranger.key), await check('msg_x')])
      expect([reply.status, reply.json.error.code]).toEqual([404, 'not_found']);
    expect((await check(id, '', 'wrong')).status).toBe(401);
  });

  test('accept no value of fetch but links', async () => {
    const reply = await check(await store('<p>x</p>'), '?fetch=images');
    expect([reply.status, reply.json.error.fields]).toEqual([422, { fetch: ['must be links'] }]);
  });

  test('of large and deeply nested HTML are complete', async () => {
    for (const html of ['<div>'.repeat(150_000), `<p>${'a '.repeat(400_000)}</p>`]) {
      const { status, json } = await check(await store(html));
      expect([status, json.data.size.clipped_by]).toEqual([200, ['gmail']]);
    }
  }, 60_000);

  test('that kill the parser process get 422, and the next mail is checked', async () => {
    const { mailReader } = appliance.services;
    const original = mailReader.findings;
    const id = await store('<p>x</p>');
    mailReader.findings = async () => null;
    try {
      const reply = await check(id);
      expect([reply.status, Object.keys(reply.json.error.fields)]).toEqual([422, ['id']]);
    } finally {
      mailReader.findings = original;
    }
    expect((await check(id)).status).toBe(200);
  });
});

describe('fetch=links', () => {
  const link = (path: string, text = 'x') =>
    `<a href="https://hook.test:${world.receiver.port}${path}">${text}</a>`;
  const pathsSince = (count: number) =>
    world.receiver.requests.slice(count).map(({ method, path }) => `${method} ${path}`);

  test('requests each link by HEAD, then by GET if that fails, and reports redirects without following them', async () => {
    world.receiver.answer(({ method, path }) => {
      if (path === '/moved') return { status: 302, headers: { location: 'http://169.254.169.254/' } };
      if (path === '/no-head') return { status: method === 'HEAD' ? 405 : 200 };
      return { status: path === '/gone' ? 404 : 200 };
    });
    const before = world.receiver.requests.length;
    const id = await store(['/fine', '/moved', '/gone', '/no-head'].map((path) => link(path)).join(''));
    expect(pathsSince(before)).toEqual([]);
    const { json } = await check(id, '?fetch=links');
    expect(
      json.data.links.map(({ fetched, problem }: { fetched: object; problem: string }) => ({
        ...fetched,
        problem,
      })),
    ).toEqual([
      // The name ends in .test, which is a private one.
      { status: 200, location: null, reason: null, problem: 'private host' },
      { status: 302, location: 'http://169.254.169.254/', reason: null, problem: 'private host' },
      { status: 404, location: null, reason: null, problem: 'private host' },
      { status: 200, location: null, reason: null, problem: 'private host' },
    ]);
    expect(pathsSince(before).sort()).toEqual(
      ['GET /gone', 'GET /no-head', 'HEAD /fine', 'HEAD /gone', 'HEAD /moved', 'HEAD /no-head'].sort(),
    );
    expect(world.receiver.requests.at(-1)!.headers).not.toHaveProperty('cookie');
  });

  test('never requests the magic link, a secret or a link to unsubscribe', async () => {
    const before = world.receiver.requests.length;
    const id = await receive(
      `<p>Confirm your address:</p>${link('/verify?token=kJ8sQ2mNv7LxW4tR', 'Confirm your address')}` +
        `${link('/r/4f9d2c81aa3e77b0c6d1')}${link('/unsubscribe')}${link('/prefs', 'Unsubscribe')}<a href="mailto:a@b.org">x</a>`,
    );
    const { json } = await check(id, '?fetch=links');
    const reasons = json.data.links.map(({ fetched }: { fetched: { reason: string } }) => fetched.reason);
    expect(reasons).toEqual(['magic_link', 'secret', 'unsubscribe', 'unsubscribe', 'not_web']);
    expect(pathsSince(before)).toEqual([]);
  });

  test('requests at most twenty', async () => {
    world.receiver.answer({ status: 200 });
    const before = world.receiver.requests.length;
    const id = await store(Array.from({ length: 25 }, (_, at) => link(`/page/${at}`)).join('\r\n'));
    const { json } = await check(id, '?fetch=links');
    const reasons = json.data.links.map(({ fetched }: { fetched: { reason: string } }) => fetched.reason);
    expect(reasons.filter((reason: string) => reason === 'too_many')).toHaveLength(5);
    expect(pathsSince(before)).toHaveLength(20);
  });

  test('is refused for private networks and plain http by the guard that webhooks use', async () => {
    await using strict = await startAppliance({
      settings: { ...world.settings, webhook_allow_networks: '192.0.2.0/24' },
    });
    const holder = await strict.holder();
    const own = await strict.inbox(holder);
    const connections = world.receiver.connections;
    const targets = [
      `https://hook.test:${world.receiver.port}/`,
      `https://127.0.0.1:${world.receiver.port}/`,
      `https://localhost:${world.receiver.port}/`,
      `https://[::ffff:127.0.0.1]:${world.receiver.port}/`,
      'https://169.254.169.254/meta',
      'http://93.184.216.34/',
    ];
    const html = targets.map((url) => `<a href="${url}">x</a>`).join('');
    const id = await store(html, { appliance: strict, address: own.address });
    const { json } = await strict.request('GET', `/api/v1/messages/${id}/checks?fetch=links`, {
      key: holder.key,
    });
    const reasons = json.data.links.map(({ fetched }: { fetched: { reason: string } }) => fetched.reason);
    expect(reasons).toEqual(targets.map(() => 'refused'));
    expect(world.receiver.connections).toBe(connections);
  });

  test('is limited for each account, per hour and at one time', async () => {
    await using bounded = await startAppliance({
      settings: { ...world.settings, limits: 'on', limit_link_requests_per_hour: '3' },
    });
    const holder = await bounded.holder();
    const own = await bounded.inbox(holder);
    const ask = (id: string, query: string) =>
      bounded.request('GET', `/api/v1/messages/${id}/checks${query}`, { key: holder.key });
    world.receiver.answer({ status: 200 });
    const id = await store(link('/a') + link('/b'), { appliance: bounded, address: own.address });
    expect((await ask(id, '?fetch=links')).status).toBe(200);
    const refused = await ask(id, '?fetch=links');
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(id, '')).status).toBe(200);
  });
});
