/** Waits and streams with `authenticated=true`: a message counts once its sender is proven. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { readProvenAfter } from '../../../src/features/waits/sql.ts';
import { explainPlan, recordStatements } from '../../store-state.ts';
import { txt } from '../authenticity/signed.ts';
import {
  ask,
  endPost,
  mailFrom,
  type Post,
  publishHonest,
  send,
  startPost,
  whenChecked,
} from '../inboxes/sender-lists.ts';
import { doors } from './doors.ts';

let post: Post;
let inbox: { id: string; address: string };
beforeAll(async () => {
  post = await startPost();
  publishHonest(post, 'shop.example');
});
afterAll(() => endPost(post));
beforeEach(async () => {
  inbox = await post.appliance.inbox(post.owner);
});

const box = () => ({ ...inbox, no: 0, holder: post.owner });
const genuine = (to = inbox.address) => send(post, to, mailFrom('ann@shop.example'), 'shop.example');
const forged = () => send(post, inbox.address, mailFrom('ann@shop.example'), 'elsewhere.example');

/** A domain whose verdict comes when the test says so. */
function publishSlow(name: string, delayMs: number) {
  publishHonest(post, name);
  post.dns.set(`_dmarc.${name}`, 'TXT', { ...txt('v=DMARC1; p=reject'), delay_ms: delayMs });
}

const wait = (query: string, where = `/api/v1/inboxes/${inbox.id}/messages/wait`) =>
  ask(post, 'GET', `${where}?authenticated=true&${query}`);

test.each(doors)(
  'a $name is woken by the verdict on a genuine message, and skips a forged one',
  async (door) => {
    const listening = door.ask(post.appliance, box(), { authenticated: true });
    await forged();
    const id = await genuine();
    const found = await listening.first();
    expect([found.id, found.authentication.from]).toEqual([id, { domain: 'shop.example', aligned: true }]);
  },
);

test('waits and streams over all inboxes do the same', async () => {
  const waiting = wait('timeout=20', '/api/v1/messages/wait');
  const id = await genuine();
  expect((await waiting).json.data.id).toBe(id);
});

test('since=0 finds what was proven before, newest first, and nothing else', async () => {
  const first = await genuine();
  const second = await genuine();
  const unproven = await forged();
  for (const id of [first, second, unproven]) await whenChecked(post, id);
  const claims = [];
  for (let index = 0; index < 2; index++) claims.push((await wait('since=0&mark_read=true')).json.data.id);
  expect(claims).toEqual([second, first]);
  const none = await wait('since=0&mark_read=true&timeout=1');
  expect(none.status).toBe(204);
});

test('a wait that times out says that what arrived is not proven', async () => {
  const waiting = wait('timeout=1');
  await whenChecked(post, await forged());
  const { status, headers } = await waiting;
  expect([status, headers.get('x-wait-arrived'), headers.get('x-wait-reason')]).toEqual([
    204,
    '1',
    'unauthenticated',
  ]);
});

test('a slow verdict delays nobody, and X-Wait-Since loses no message and repeats none', async () => {
  publishSlow('slow.example', 400);
  const before = await wait('timeout=1');
  expect(before.status).toBe(204);
  const slow = await send(post, inbox.address, mailFrom('ann@slow.example'), 'slow.example');
  const quick = await genuine();
  const found: string[] = [];
  let since = before.headers.get('x-wait-since')!;
  for (let index = 0; index < 2; index++) {
    const next = await wait(`timeout=20&since=${encodeURIComponent(since)}`);
    found.push(next.json.data.id);
    since = next.headers.get('x-wait-since')!;
  }
  expect(found).toEqual([quick, slow]);
  expect((await wait(`timeout=1&since=${encodeURIComponent(since)}`)).status).toBe(204);
  // An id as `since` means its place in the order of the verdicts.
  expect((await wait(`timeout=5&since=${quick}`)).json.data.id).toBe(slow);
  expect((await wait(`timeout=1&since=${slow}`)).status).toBe(204);
});

test('through a sub-address only messages to it count', async () => {
  const [local, domain] = inbox.address.split('@');
  const path = `/api/v1/inboxes/${local}+b@${domain}/messages/wait`;
  const waiting = wait('timeout=20', path);
  await whenChecked(post, await genuine(`${local}+a@${domain}`));
  const wanted = await genuine(`${local}+B@${domain}`);
  expect((await waiting).json.data.id).toBe(wanted);
});

test('a condition that is not true or false is refused', async () => {
  const { status, json } = await ask(
    post,
    'GET',
    `/api/v1/inboxes/${inbox.id}/messages/wait?authenticated=yes`,
  );
  expect([status, Object.keys(json.error.fields)]).toEqual([422, ['authenticated']]);
});

test('messages proven since a time are read by an index of their own', () => {
  for (const scope of [
    { account_no: 1, inbox_no: 1, recipient: null },
    { account_no: 1, inbox_no: null },
  ] as const) {
    const { reading, statements } = recordStatements(post.appliance);
    readProvenAfter(reading, scope, 0, 8);
    const [plan] = [...statements].map((statement) => explainPlan(post.appliance, statement));
    expect(plan).toMatch(/USING INDEX message_(account_)?proven \((inbox|account)_no=\? AND proven_at>\?\)$/);
  }
});
