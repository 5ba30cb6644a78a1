import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { HeldBytes } from '../../../src/platform/core/held-bytes.ts';
import { makeStream, sliceBytes } from '../../../src/platform/core/streamed.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';

const MIB = 1024 * 1024;
const [ann, bob, cid] = [1, 2, 3];

function open() {
  const clock = new FakeClock();
  const room = new HeldBytes(clock);
  const isRefused = (account: number, mib: number) => {
    try {
      room.take(account, mib * MIB);
      return false;
    } catch (refusal) {
      expect(refusal).toMatchObject({ code: 'rate_limited' });
      return true;
    }
  };
  /** A response whose client reads only when the test says so. */
  const respond = (account: number, mib: number) => {
    const held = room.take(account, mib * MIB);
    return makeStream({ clock }, sliceBytes(new Uint8Array(mib * MIB)), held).getReader();
  };
  return { clock, room, isRefused, respond };
}

describe('the room for responses', () => {
  test('is bounded, and a response gives its part back once', () => {
    const { room, isRefused } = open();
    const first = room.take(ann, 100 * MIB);
    expect(isRefused(bob, 30)).toBe(true);
    first.release();
    first.release();
    // A message larger than all of it is served if nothing else is held.
    const large = room.take(ann, 200 * MIB);
    expect(isRefused(bob, 1)).toBe(true);
    large.release();
    room.take(ann, 128 * MIB).release();
  });

  test('is never used up by one account that asks again and again', () => {
    const { isRefused } = open();
    let held = 0;
    while (!isRefused(ann, 6)) held += 6;
    expect(held).toBe(66);
    expect(isRefused(bob, 50)).toBe(false);
  });

  test('is taken from the client that has been silent longest when another account needs it', async () => {
    const { clock, isRefused, respond } = open();
    const silent = respond(ann, 60);
    const reading = respond(bob, 60);
    for (const reader of [silent, reading]) await reader.read();
    await clock.advance(4_000);
    await reading.read();
    expect(isRefused(cid, 20)).toBe(true);
    await clock.advance(1_500);
    await reading.read();
    expect(isRefused(cid, 20)).toBe(false);
    expect(await drain(silent)).toBe('the client is not reading');
    expect((await reading.read()).done).toBe(false);
  });

  test('is not taken from an account that holds less', async () => {
    const { clock, room, isRefused, respond } = open();
    const silent = respond(bob, 10);
    await silent.read();
    room.take(ann, 40 * MIB);
    await clock.advance(10_000);
    expect(isRefused(ann, 60)).toBe(true);
    expect((await silent.read()).done).toBe(false);
  });
});

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<unknown> {
  try {
    while (!(await reader.read()).done);
    return 'the end';
  } catch (fault) {
    return fault;
  }
}

describe('messages that many clients request and do not read', () => {
  let appliance: RunningAppliance;
  let holder: Holder;
  let path: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    appliance = await startAppliance({ settings: { limits: 'off' } });
    holder = await appliance.holder();
    const inbox = await appliance.inbox(holder);
    const text = '"\\'.repeat(MIB / 2);
    path = `/api/v1/messages/${await appliance.deliver(inbox.address, { otp: '493817', otp_confidence: 1, content: { text, html: text } })}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    return appliance[Symbol.asyncDispose]();
  });

  /** Asks and reads nothing, not even the status, until `read`. */
  function ask(): { read(): Promise<string> } {
    const { hostname, port } = new URL(appliance.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${holder.key}\r\n\r\n`);
    return {
      read: () =>
        new Promise((resolve) => {
          socket.once('data', (bytes) => {
            socket.pause();
            resolve(bytes.toString('latin1').slice(9, 12));
          });
          socket.resume();
        }),
    };
  }

  test('take bounded memory, and other clients are asked to retry', async () => {
    const whole = await appliance.request('GET', path, { key: holder.key });
    expect([whole.status, whole.text.length > 4 * MIB]).toEqual([200, true]);
    const asked = Array.from({ length: 18 }, ask);
    const statuses = await Promise.all(asked.map(({ read }) => read()));
    expect([...new Set(statuses)].sort()).toEqual(['200', '429']);
    // The room is still full: nobody has read more than the beginning.
    expect((await appliance.request('GET', path, { key: holder.key })).status).toBe(429);
    const claim = '/api/v1/messages/wait?since=0&timeout=1&mark_read=true';
    const claimed = await appliance.request('GET', claim, { key: holder.key });
    expect([claimed.status, claimed.json.data?.read]).toEqual([200, true]);
    // With a key a claim can be repeated, as often as a client likes.
    const { id: inbox, address } = await appliance.inbox(holder);
    const text = '"\\'.repeat(MIB / 2);
    await appliance.deliver(address, { otp: '493817', otp_confidence: 1, content: { text, html: text } });
    const repeatable = await appliance.request(
      'GET',
      claim.replace('/messages', `/inboxes/${inbox}/messages`),
      {
        key: holder.key,
        headers: { 'idempotency-key': 'claim' },
      },
    );
    expect(repeatable.status).toBe(429);
  }, 20_000);
});
