/** The stream of new mail for the pages, as a browser's EventSource reads it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { removeMemberOp } from '../../../src/features/accounts/writes.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { member, owner } from './visitor.ts';

let trap: RunningAppliance;

beforeAll(async () => {
  trap = await startAppliance({ capture: {} });
});
afterAll(() => trap[Symbol.asyncDispose]());

interface LiveEvent {
  event: string;
  id: string;
  data: { messages?: { id: string; subject: string; address: string }[] };
}

/** Reads events up to and including the last one that is wanted. */
async function listen(lastEventId?: string, where = trap, cookie: string | null = null) {
  const abort = new AbortController();
  const response = await fetch(`${where.url}/dashboard/api/live`, {
    signal: abort.signal,
    headers: {
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      ...(cookie === null ? {} : { cookie }),
    },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const events: LiveEvent[] = [];
  return {
    response,
    events,
    async until(isLast: (one: LiveEvent) => boolean): Promise<LiveEvent> {
      for (;;) {
        const found = events.find(isLast);
        if (found) return found;
        const { value, done } = await reader.read();
        if (done) throw new Error(`it ended after ${JSON.stringify(events)}`);
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const line = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
          if (line('event')) {
            events.push({ event: line('event'), id: line('id'), data: JSON.parse(line('data')) });
          }
        }
      }
    },
    async end(): Promise<boolean> {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return true;
        text += value;
      }
    },
    /** What came after the last event that was wanted. */
    unread: () => text,
    close: () => abort.abort(),
  };
}

const mail = (subject: string, to = ['live@postern.test']) =>
  sendMail({ port: trap.smtpPort, from: 'a@example.org', to, raw: `Subject: ${subject}\r\n\r\nx\r\n` });

const has = (subject: string) => (one: LiveEvent) =>
  one.data.messages?.some((each) => each.subject === subject) ?? false;

describe('the stream of the pages', () => {
  test('reports new mail of every inbox, with its address', async () => {
    const live = await listen();
    expect(live.response.headers.get('content-type')).toStartWith('text/event-stream');
    await live.until(({ event }) => event === 'hello');
    await mail('to two', ['live@postern.test', 'other@shop.example']);
    await live.until(has('to two'));
    const seen = live.events.flatMap(({ data }) => data.messages ?? []);
    expect(seen.map(({ address }) => address).sort()).toEqual(['live@postern.test', 'other@shop.example']);
    live.close();
  });

  test('continues where a page left off, without losing or repeating anything', async () => {
    const first = await listen();
    const { id } = await first.until(({ event }) => event === 'hello');
    first.close();
    await mail('meanwhile 1');
    await mail('meanwhile 2');
    const second = await listen(id);
    const last = await second.until(has('meanwhile 2'));
    const subjects = second.events.flatMap(({ data }) => data.messages ?? []).map(({ subject }) => subject);
    expect(subjects).toEqual(['meanwhile 1', 'meanwhile 2']);
    second.close();
    const third = await listen(last.id);
    await mail('after');
    await third.until(has('after'));
    expect(third.events.flatMap(({ data }) => data.messages ?? [])).toHaveLength(1);
    third.close();
  });

  test('asks a page that missed too much to reload its list', async () => {
    const first = await listen();
    const { id } = await first.until(({ event }) => event === 'hello');
    first.close();
    await Promise.all(Array.from({ length: 120 }, () => trap.deliver('live@postern.test')));
    const second = await listen(id);
    await second.until(({ event }) => event === 'reset');
    expect(second.events.some(({ event }) => event === 'messages')).toBe(false);
    second.close();
  });

  test('takes no wait slot, and bounds the open pages of an account', async () => {
    const open = [];
    let next = await listen();
    for (; next.response.status === 200; next = await listen()) open.push(next);
    // Pages of earlier tests may still be leaving.
    expect(open.length).toBeWithin(30, 41);
    expect([next.response.status, Number(next.response.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const { key, inbox } = { key: trap.apiKey ?? '', inbox: 'live@postern.test' };
    const wait = await trap.request('GET', `/api/v1/inboxes/${inbox}/messages/wait?since=0&require=message`, {
      key,
    });
    expect(wait.status).toBe(200);
    for (const live of open) live.close();
    // The room has space again as soon as the server has seen them leave.
    let again = await listen();
    while (again.response.status === 429) again = await listen();
    await again.until(({ event }) => event === 'hello');
    again.close();
  });

  test('shows nothing of other accounts, and ends with the session', async () => {
    const clock = new FakeClock();
    await using served = await startAppliance({ clock });
    const [ann, bob] = await Promise.all([owner(served), owner(served)]);
    const inbox = (await ann.visitor.post('/inboxes', { routing_key: 'ann-box' })).json.data;
    await bob.visitor.post('/inboxes', { routing_key: 'bob-box' });
    const live = await listen(undefined, served, ann.visitor.cookie);
    await live.until(({ event }) => event === 'hello');
    const to = { port: served.smtpPort, from: 'a@example.org' };
    await sendMail({ ...to, to: ['bob-box@postern.test'], raw: 'Subject: for bob\r\n\r\nx\r\n' });
    await clock.advance(100);
    await sendMail({ ...to, to: [inbox.address], raw: 'Subject: for ann\r\n\r\nx\r\n' });
    await clock.advance(100);
    await live.until(has('for ann'));
    expect(live.events.flatMap(({ data }) => data.messages ?? [])).toHaveLength(1);
    await ann.visitor.post('/sign-out');
    const ended = live.end();
    await clock.advance(10_000);
    expect(await ended).toBe(true);
    expect((await served.request('GET', '/dashboard/api/live')).status).toBe(401);
  });

  test('does not reveal to an account when others get mail', async () => {
    const clock = new FakeClock();
    await using served = await startAppliance({ clock });
    const [ann, bob] = await Promise.all([owner(served), owner(served)]);
    await bob.visitor.post('/inboxes', { routing_key: 'bob-box' });
    const see = async () => {
      const live = await listen(undefined, served, ann.visitor.cookie);
      const { id } = await live.until(({ event }) => event === 'hello');
      live.close();
      return [(await ann.visitor.get('/me')).json.data.live_position, id];
    };
    const before = await see();
    const bobs = await listen(undefined, served, bob.visitor.cookie);
    await sendMail({
      port: served.smtpPort,
      from: 'a@example.org',
      to: ['bob-box@postern.test'],
      raw: 'Subject: for bob\r\n\r\nx\r\n',
    });
    await clock.advance(100);
    const { id } = await bobs.until(has('for bob'));
    bobs.close();
    expect((await bob.visitor.get('/me')).json.data.live_position).toBe(id);
    expect(await see()).toEqual(before);
  });

  test('shows no mail that comes after the session has ended, for example because the person was removed', async () => {
    const clock = new FakeClock();
    await using served = await startAppliance({ clock });
    const ann = await owner(served);
    const bob = await member(served, ann.account);
    const inbox = (await ann.visitor.post('/inboxes', { routing_key: 'ann-box' })).json.data;
    const live = await listen(undefined, served, bob.visitor.cookie);
    await live.until(({ event }) => event === 'hello');
    await served.services.store.write(removeMemberOp, { account_no: ann.account.no, email: bob.email });
    const to = { port: served.smtpPort, from: 'a@example.org', to: [inbox.address] };
    await sendMail({ ...to, raw: 'Subject: not for bob\r\n\r\nx\r\n' });
    const ended = live.end();
    await clock.advance(100);
    expect(await ended).toBe(true);
    expect(live.unread()).not.toContain('not for bob');
  });

  test('sends something every ten seconds, so that a page notices a connection that has died', async () => {
    const clock = new FakeClock();
    await using served = await startAppliance({ clock });
    const ann = await owner(served);
    const live = await listen(undefined, served, ann.visitor.cookie);
    const { id } = await live.until(({ event }) => event === 'hello');
    await clock.advance(10_000);
    expect(await live.until(({ event }) => event === 'beat')).toEqual({ event: 'beat', id, data: {} });
    live.close();
  });

  test('ends at once when the server stops', async () => {
    const own = await startAppliance({ capture: {} });
    const live = await listen(undefined, own);
    await live.until(({ event }) => event === 'hello');
    const ended = live.end();
    own.services.liveRoom.stop();
    expect(await ended).toBe(true);
    await own[Symbol.asyncDispose]();
  });
});
