/** What is specific to streams: the form of events, ending and continuing, slow readers, proxies. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { isoTime } from '../../../src/platform/core/clock.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { sendRaw } from '../../peers/raw-http.ts';
import type { RunningAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, makeUrl, newBox, parked, type Query, startWaiting } from './doors.ts';
import { RawClient, requestText } from './raw-client.ts';
import { SseClient, type SseEvent } from './sse-client.ts';

let appliance: RunningAppliance;
let clock: FakeClock;
const opened: SseClient[] = [];
beforeAll(async () => {
  clock = new FakeClock();
  appliance = await startWaiting({}, clock);
});
afterEach(async () => {
  for (const client of opened.splice(0)) client.close();
  await allGone(appliance);
  expect(appliance.logged.splice(0)).toEqual([]);
});
afterAll(() => appliance[Symbol.asyncDispose]());

async function open(box: Box, query: Query = {}, headers: Record<string, string> = {}, url = appliance.url) {
  const authorization = `Bearer ${box.holder.key}`;
  const client = await SseClient.open(makeUrl({ url }, 'stream', box, query), { authorization, ...headers });
  opened.push(client);
  return client;
}

const { retry, ...nothing } = { retry: '1000' };
async function started(client: SseClient) {
  expect(await client.next()).toEqual({ ...nothing, retry });
  return client;
}
const readMessage = (event: SseEvent | null) => JSON.parse(event?.data ?? 'null');
async function ids(client: SseClient, count: number) {
  const found: (string | undefined)[] = [];
  while (found.length < count) found.push((await client.next())?.id);
  return found;
}

describe('a stream', () => {
  test('sends retry, then messages with their ids, under headers that forbid buffering', async () => {
    const box = await newBox(appliance);
    const client = await open(box);
    expect(client.status).toBe(200);
    expect(client.headers.get('content-type')).toStartWith('text/event-stream');
    expect(client.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(client.headers.get('x-accel-buffering')).toBe('no');
    expect(client.headers.has('content-length')).toBe(false);
    await started(client);
    const id = await arrive(appliance, box, { content: { text: 'a\nb\r\nc\u2028d\n\ndata: e' } });
    const event = await client.next();
    expect(event).toMatchObject({ event: 'message', id });
    expect(readMessage(event)).toMatchObject({ id, text: 'a\nb\r\nc\u2028d\n\ndata: e' });
  });

  test('has a heartbeat every 10 s, and bye at 25 s', async () => {
    const box = await newBox(appliance);
    const beforeUs = clock.nowUs();
    const client = await started(await open(box));
    await parked(appliance, 1);
    await clock.advance(9_999);
    await clock.advance(1);
    expect(await client.next()).toEqual({ comment: 'heartbeat' });
    await clock.advance(10_000);
    expect(await client.next()).toEqual({ comment: 'heartbeat' });
    await clock.advance(4_999);
    await parked(appliance, 1);
    await clock.advance(1);
    const bye = await client.next();
    expect(bye?.event).toBe('bye');
    const { reason, since } = readMessage(bye);
    expect(reason).toBe('recycle');
    expect(Date.parse(since) * 1000).toBeLessThanOrEqual(beforeUs);
    expect(await client.next()).toBeNull();
    // Nothing that arrived since is lost.
    const id = await arrive(appliance, box);
    expect(await ids(await started(await open(box, { since })), 1)).toEqual([id]);
  });

  test('answers 406 unless the client accepts its own type, JSON or anything', async () => {
    const box = await newBox(appliance);
    for (const accept of ['text/event-stream', 'application/json', '*/*', 'text/*, */*;q=0', '']) {
      const client = await open(box, {}, { accept });
      expect([accept, client.status]).toEqual([accept, 200]);
      expect(client.headers.get('content-type')).toStartWith('text/event-stream');
    }
    for (const accept of ['text/html', 'text/event-stream;q=0, application/json;q=0', 'image/*']) {
      const client = await open(box, {}, { accept });
      expect([accept, client.status, client.error.code]).toEqual([accept, 406, 'not_acceptable']);
    }
  });

  test('sends only its headers for HEAD, without a slot and without blocking', async () => {
    const box = await newBox(appliance);
    const path = `/api/v1/inboxes/${box.id}/stream`;
    const reply = await appliance.request('HEAD', path, { key: box.holder.key });
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers.get('content-type')).toStartWith('text/event-stream');
    expect(appliance.services.waits.slots.size).toBe(0);
    expect((await appliance.request('HEAD', `${path}?since=x`, { key: box.holder.key })).status).toBe(422);
  });
});

describe('a resumed stream', () => {
  test('continues from the id in bye, and Last-Event-ID overrides since', async () => {
    const box = await newBox(appliance);
    const client = await started(await open(box));
    const all = [await arrive(appliance, box), await arrive(appliance, box)];
    expect(await ids(client, 2)).toEqual(all);
    await clock.advance(25_000);
    const events = [await client.next(), await client.next(), await client.next()];
    expect(readMessage(events[2]!)).toEqual({ reason: 'recycle', since: all[1] });
    all.push(await arrive(appliance, box));
    const headers = { 'last-event-id': all[0]! };
    expect(await ids(await started(await open(box, { since: 0 }, headers)), 2)).toEqual(all.slice(1));
    const wrong = await open(box, { since: 0 }, { 'last-event-id': 'nonsense' });
    expect([wrong.status, Object.keys(wrong.error.fields)]).toEqual([422, ['since']]);
    // A browser that has seen none yet sends it empty.
    expect(await ids(await started(await open(box, { since: 0 }, { 'last-event-id': '' })), 3)).toEqual(all);
  });

  test('with since=0 sends the unread matches, oldest first, then new messages, read or not', async () => {
    const box = await newBox(appliance);
    const all: string[] = [];
    for (let n = 0; n < 120; n++)
      all.push(await arrive(appliance, box, { otp: n % 3 === 1 ? null : '123456' }));
    const read = {
      key: box.holder.key,
      body: { action: 'mark_read', ids: all.filter((_, n) => n % 3 === 2) },
    };
    for (let at = 0; at < 40; at += 40) await appliance.request('POST', '/api/v1/messages/batch', read);
    const client = await started(await open(box, { since: 0, require: 'otp' }));
    const wanted = all.filter((_, n) => n % 3 === 0);
    wanted.push(await arrive(appliance, box));
    expect(await ids(client, wanted.length)).toEqual(wanted);
  });

  test('leaves out messages erased before they were sent', async () => {
    const box = await newBox(appliance);
    const all = [await arrive(appliance, box), await arrive(appliance, box), await arrive(appliance, box)];
    await appliance.request('DELETE', `/api/v1/messages/${all[1]}`, { key: box.holder.key });
    expect(await ids(await started(await open(box, { since: 1 })), 2)).toEqual([all[0], all[2]]);
  });

  test('says 0 again in bye before any message of a long backlog, so that none is skipped', async () => {
    const where = await startWaiting({}, clock);
    const box = await newBox(where);
    await Promise.all(Array.from({ length: 3_000 }, () => where.deliver(box.address)));
    const last = await arrive(where, box);
    const client = await open(box, { since: 0, require: 'otp' }, {}, where.url);
    const stop = where.services.waits;
    await until(() => stop.size === 1 || stop.slots.size === 0);
    stop.stop();
    const events: SseEvent[] = [];
    for (let event = await client.next(); event; event = await client.next()) events.push(event);
    const { since } = readMessage(events.at(-1)!);
    // If it had already reached the end, the code was sent, and its id is where to continue.
    expect(since).toBe(events.some(({ event }) => event === 'message') ? last : '0');
    await where[Symbol.asyncDispose]();
  });

  test('can repeat the largest possible time', async () => {
    const box = await newBox(appliance);
    const client = await started(await open(box, { since: '253402300799' }));
    await clock.advance(25_000);
    const events = [await client.next(), await client.next(), await client.next()];
    const { since } = readMessage(events[2]!);
    expect(since).toBe(isoTime(253_402_300_799_000_000));
    expect((await open(box, { since })).status).toBe(200);
  });
});

const big = { content: { html: `<p>${'x'.repeat(1024 * 1024 - 10)}</p>` } };

describe('a reader that stops', () => {
  test('costs no memory, is cut off after at most two heartbeats, and releases its slot', async () => {
    const box = await newBox(appliance);
    const client = await RawClient.ask(appliance, 'stream', box, {});
    await parked(appliance, 1);
    await until(() => client.received > 0);
    client.socket.pause();
    const sent: string[] = [];
    for (let n = 0; n < 10; n++) sent.push(await arrive(appliance, box, big));
    Bun.gc(true);
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 30; n++) sent.push(await arrive(appliance, box, big));
    Bun.gc(true);
    // Had they been queued, there would be 30 MiB more.
    expect(process.memoryUsage().rss - before).toBeLessThan(15 * 1024 * 1024);
    await clock.advance(10_000);
    await clock.advance(10_000);
    await allGone(appliance);
    client.socket.resume();
    await until(() => client.closed);
    expect(client.received).toBeLessThan(20 * 1024 * 1024);
    expect(client.tail).not.toContain('event: bye');
  });

  test('and resumes in time gets every message once', async () => {
    const box = await newBox(appliance);
    const client = await started(await open(box));
    await parked(appliance, 1);
    const all: string[] = [];
    for (let n = 0; n < 12; n++) all.push(await arrive(appliance, box, big));
    expect(await ids(client, all.length)).toEqual(all);
    await clock.advance(10_000);
    expect(await client.next()).toEqual({ comment: 'heartbeat' });
  });
});

describe('between client and server', () => {
  test('a reverse proxy passes on each event and a hang-up at once', async () => {
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        return fetch(appliance.url + pathname + search, { headers: request.headers, signal: request.signal });
      },
    });
    const box = await newBox(appliance);
    const client = await started(await open(box, {}, {}, `http://127.0.0.1:${proxy.port}`));
    for (let n = 0; n < 5; n++) {
      const id = await arrive(appliance, box);
      expect((await client.next())?.id).toBe(id);
    }
    const wait = fetch(makeUrl({ url: `http://127.0.0.1:${proxy.port}` }, 'wait', box), {
      headers: { authorization: `Bearer ${box.holder.key}` },
    });
    await parked(appliance, 2);
    const id = await arrive(appliance, box);
    expect(((await (await wait).json()) as { data: { id: string } }).data.id).toBe(id);
    client.close();
    await allGone(appliance);
    await proxy.stop(true);
  });

  test('HTTP/1.0 works for streams and waits', async () => {
    const box = await newBox(appliance);
    const id = await arrive(appliance, box);
    const text = requestText('wait', box, { since: 0 }).replace('HTTP/1.1', 'HTTP/1.0');
    expect((await sendRaw(appliance.httpPort, text))?.body).toContain(id);
    const client = await RawClient.connect(appliance);
    client.socket.write(requestText('stream', box, { since: 0 }).replace('HTTP/1.1', 'HTTP/1.0'));
    await until(() => client.tail.includes(`id: ${id}`));
    client.socket.destroy();
  });
});
