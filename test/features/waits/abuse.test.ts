/** Misbehaving clients: afterwards nothing waits, no slot is held, no error is logged, and new clients are served. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { claimMessageOp } from '../../../src/features/waits/writes.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { sendRaw } from '../../peers/raw-http.ts';
import type { RunningAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { allGone, arrive, type Box, doors, newBox, parked, startWaiting, waitDoor } from './doors.ts';
import { RawClient, requestText } from './raw-client.ts';

let appliance: RunningAppliance;
beforeAll(async () => {
  appliance = await startWaiting();
});
afterEach(async () => {
  await allGone(appliance);
  expect(appliance.logged.splice(0)).toEqual([]);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** A new wait is still parked and woken. */
async function expectServed(): Promise<void> {
  const box = await newBox(appliance);
  const asked = doors.map((door) => door.ask(appliance, box));
  await parked(appliance, 2);
  const id = await arrive(appliance, box);
  for (const one of asked) {
    expect((await one.first()).id).toBe(id);
    one.hangUp();
  }
}

/** A fixed sequence, so that a failure can be reproduced. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

async function misbehave(box: Box, random: (below: number) => number): Promise<void> {
  const client = await RawClient.connect(appliance);
  const door = random(2) ? 'wait' : 'stream';
  const query = { require: 'message', since: String(random(2)), mark_read: random(2) === 1 };
  const text = requestText(door, box, query);
  client.socket.write(random(4) === 0 ? text.slice(0, random(text.length)) : text);
  if (random(3) === 0) client.socket.pause();
  if (random(3) > 0) await Bun.sleep(random(20));
  const go = [
    () => client.socket.destroy(),
    () => client.socket.resetAndDestroy(),
    () => client.socket.end(),
    () => client.socket.end(text),
  ];
  go[random(4)]!();
  await Bun.sleep(random(5));
  client.socket.destroy();
}

test('1,000 clients that come and go at random while mail arrives leave nothing behind', async () => {
  const random = numbers(42);
  const boxes = [await newBox(appliance), await newBox(appliance)];
  let comes = true;
  const mail = (async () => {
    while (comes) await arrive(appliance, boxes[random(2)]!);
  })();
  let begun = 0;
  const oneAfterAnother = async () => {
    while (begun++ < 1_000) await misbehave(boxes[random(2)]!, random);
  };
  await Promise.all(Array.from({ length: 50 }, oneAfterAnother));
  comes = false;
  await mail;
  await allGone(appliance);
  await expectServed();
}, 20_000);

test('all of many waits on one inbox are woken by one message', async () => {
  const box = await newBox(appliance);
  const asked = Array.from({ length: 200 }, (_, n) => doors[n % 2]!.ask(appliance, box));
  await parked(appliance, 200);
  const id = await arrive(appliance, box);
  for (const one of asked) expect((await one.first()).id).toBe(id);
  for (const one of asked) one.hangUp();
});

describe('a malformed request', () => {
  test('with any odd parameters is answered or parked', async () => {
    const box = await newBox(appliance);
    await arrive(appliance, box);
    const odd = [
      '%',
      '%zz',
      '%00',
      '%ff%fe',
      '+',
      '&&&=',
      '=',
      '\u0001',
      '<x>',
      '%22%27;--',
      '[]',
      '{}',
      '%F0%9F%98%80',
      'a'.repeat(4000),
      '0&since=x',
      'x&since=0',
      '-0',
      '1e999',
      '__proto__',
      'constructor',
      '0%20',
      ' 0',
    ];
    for (const value of odd) {
      for (const name of [
        'since',
        'require',
        'min_confidence',
        'timeout',
        'from',
        'mark_read',
        '__proto__',
      ]) {
        for (const door of ['wait', 'stream'] as const) {
          const query = `${name}=${value}&require=message&since=0`;
          const text = requestText(door, box, query, 'Connection: close\r\n');
          const client = await RawClient.connect(appliance);
          client.socket.write(text);
          const waits = appliance.services.waits;
          await until(() => client.received > 0 || client.closed || waits.size > 0);
          // Bun itself answers 505 for a blank in the path.
          if (client.received > 0) expect(client.tail).toMatch(/^HTTP\/1\.1 (200|204|400|422|505) /);
          client.socket.destroy();
          await allGone(appliance);
        }
      }
    }
  }, 15_000);

  test('with any odd headers is answered or parked', async () => {
    const box = await newBox(appliance);
    for (const headers of [
      'Last-Event-ID: \u0000\r\n',
      'Last-Event-ID: msg_\r\n',
      `Last-Event-ID: ${'9'.repeat(5000)}\r\n`,
      'Last-Event-ID: a\r\nLast-Event-ID: b\r\n',
      'Accept: ,;q=,text/event-stream;q=z\r\n',
      'Content-Length: 5\r\n\r\nhello',
      'Transfer-Encoding: chunked\r\n\r\n0\r\n',
      'Expect: 100-continue\r\n',
      'Upgrade: websocket\r\nConnection: Upgrade\r\n',
      'Range: bytes=0-1\r\n',
      'If-None-Match: *\r\n',
    ]) {
      for (const door of ['wait', 'stream'] as const) {
        const client = await RawClient.connect(appliance);
        client.socket.write(requestText(door, box, { since: 'x' }, headers));
        await until(() => client.received > 0 || client.closed);
        expect(client.tail).not.toContain('HTTP/1.1 5');
        client.socket.destroy();
      }
    }
    await expectServed();
  });

  test('behind another in a pipeline holds nothing open', async () => {
    const box = await newBox(appliance);
    const one = requestText('wait', box, { timeout: 25 });
    for (const text of [one + one, `${one}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`, one.repeat(20)]) {
      const client = await RawClient.connect(appliance);
      client.socket.write(text);
      // Either the first is served and then the next, or the connection is closed. Answers are never mixed.
      await until(() => client.closed || appliance.services.waits.size > 0);
      client.socket.destroy();
      await allGone(appliance);
    }
    // A request after an answer is served on the same connection.
    const id = await arrive(appliance, box);
    const client = await RawClient.connect(appliance);
    client.socket.write(requestText('wait', box, { since: 0 }));
    await until(() => client.tail.includes(id));
    client.tail = '';
    client.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => client.tail.startsWith('HTTP/1.1 200'));
    client.socket.destroy();
  });

  test('with POST or a body is refused, and holds no slot', async () => {
    const box = await newBox(appliance);
    for (const door of ['wait', 'stream'] as const) {
      const text = requestText(door, box, {}).replace('GET', 'POST');
      expect((await sendRaw(appliance.httpPort, text))?.status).toBe(405);
    }
  });
});

test('long runs of digits that are not a number are refused in linear time', async () => {
  const box = await newBox(appliance);
  const path = `/api/v1/inboxes/${box.id}/messages/wait?min_confidence=${'0'.repeat(15_000)}x`;
  const began = cpuMs();
  for (let n = 0; n < 10; n++) {
    const { status, json } = await appliance.request('GET', path, { key: box.holder.key });
    expect([status, Object.keys(json.error.fields)]).toEqual([422, ['min_confidence']]);
  }
  expect(cpuMs() - began).toBeLessThan(1_000);
});

test('a wait is parked, woken and answered while the writer is busy', async () => {
  const box = await newBox(appliance);
  const stored = await arrive(appliance, box);
  const asked = waitDoor.ask(appliance, box);
  await parked(appliance, 1);
  // Thousands of claims that find nothing keep the writer thread busy for a second.
  const busy = Array.from({ length: 20_000 }, (_, n) =>
    appliance.services.store.write(claimMessageOp, { received_at: -n, id: '', once: null }),
  );
  const began = performance.now();
  expect((await waitDoor.ask(appliance, box, { since: 1 }).first()).id).toBe(stored);
  const readMs = performance.now() - began;
  const id = await arrive(appliance, box);
  const writtenMs = performance.now() - began;
  expect((await asked.first()).id).toBe(id);
  await Promise.all(busy);
  // Reads do not queue behind writes.
  expect(readMs).toBeLessThan(Math.max(50, writtenMs));
});

test('many streams each get every message of 1 MiB once', async () => {
  const box = await newBox(appliance);
  const html = `<p>${'é'.repeat(500_000)}</p>`;
  const asked = Array.from({ length: 10 }, () => RawClient.ask(appliance, 'stream', box, { since: 0 }));
  const clients = await Promise.all(asked);
  await parked(appliance, 10);
  const heard = clients.map(({ socket }) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    return chunks;
  });
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push(await arrive(appliance, box, { content: { html } }));
  const last = await arrive(appliance, box);
  await until(() => clients.every(({ tail }) => tail.includes(last)), 10_000);
  for (const { socket } of clients) socket.destroy();
  for (const chunks of heard) {
    const events = Buffer.concat(chunks)
      .toString('latin1')
      .matchAll(/^id: (msg_\w+)$/gm);
    expect([...events].map(([, id]) => id!)).toEqual([...ids, last]);
  }
}, 15_000);
