/** Which password is hashed next when more people sign in than the machine can serve. */
import { expect, test } from 'bun:test';
import { PasswordTurns } from '../../../src/features/accounts/password-turns.ts';
import { nextTurn } from '../../../src/platform/core/next-turn.ts';
import { owner, Visitor } from '../../doors/dashboard/visitor.ts';
import { startAppliance } from '../../start.ts';

const RUNNING = 2;
const WAITING = 64;

/** Hashes that end when the test says so. */
function makeTurns() {
  const turns = new PasswordTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  const ask = (address: string, name = address, isKnown = false) =>
    turns
      .run(
        address,
        () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        isKnown,
      )
      .catch(({ code, retryAfterS }) => refused.push(`${name} ${code} ${retryAfterS}`));
  const endOne = async () => {
    ends.shift()?.();
    await nextTurn();
  };
  return { ask, begun, refused, endOne };
}

test('networks take turns, and the sign-ins of each stay in order', async () => {
  const { ask, begun, endOne } = makeTurns();
  for (let nth = 0; nth < RUNNING + 3; nth++) void ask('192.0.2.1', `a${nth}`);
  void ask('2001:db8:1:1::/64', 'b0');
  void ask('2001:db8:1:2::/64', 'b1');
  for (let nth = 0; nth < 5; nth++) await endOne();
  expect(begun).toEqual(['a0', 'a1', 'a2', 'b0', 'a3', 'b1', 'a4']);
});

test('when the queue is full, the network with the most sign-ins in it makes room, but only for one with fewer', async () => {
  const { ask, begun, refused, endOne } = makeTurns();
  for (let nth = 0; nth < RUNNING + WAITING + 1; nth++) void ask('192.0.2.1', `a${nth}`);
  await nextTurn();
  expect(refused).toEqual(['a66 rate_limited 2']);
  for (let nth = 0; nth < WAITING; nth++) void ask('198.51.100.1', `b${nth}`);
  await nextTurn();
  // Each network has half of the queue.
  expect(refused).toHaveLength(1 + WAITING);
  expect(refused.filter((text) => text.startsWith('a'))).toHaveLength(1 + WAITING / 2);
  for (let nth = 0; nth < WAITING + RUNNING; nth++) await endOne();
  expect(begun).toHaveLength(WAITING + RUNNING);
  void ask('192.0.2.1', 'free again');
  await nextTurn();
  expect(begun.at(-1)).toBe('free again');
});

test('a flood from all the networks of one customer keeps nobody else from signing in', async () => {
  await using appliance = await startAppliance({ settings: { trusted_proxies: '127.0.0.0/8' } });
  const { email } = await owner(appliance);
  const flood = Array.from({ length: RUNNING + WAITING + 30 }, (_, nth) =>
    new Visitor(appliance, `2001:db8:0:${nth.toString(16)}::1`).signIn(`${nth}@example.org`, 'wrong'),
  );
  // The queue is full once the first is refused.
  await Promise.race(
    flood.map((reply) => reply.then(({ status }) => status === 429 || new Promise(() => {}))),
  );
  expect((await new Visitor(appliance, '203.0.113.7').signIn(email)).status).toBe(200);
  await Promise.all(flood);
}, 30_000);

test('known clients get every other turn, and strangers all the others', async () => {
  const { ask, begun, endOne } = makeTurns();
  for (let nth = 0; nth < RUNNING + 4; nth++) void ask(`192.0.${nth}.1`, `stranger ${nth}`);
  for (let nth = 0; nth < 2; nth++) void ask('203.0.113.7', `known ${nth}`, true);
  for (let nth = 0; nth < 6; nth++) await endOne();
  expect(begun.slice(RUNNING)).toEqual([
    'known 0',
    'stranger 2',
    'known 1',
    'stranger 3',
    'stranger 4',
    'stranger 5',
  ]);
});

test('strangers from more networks than the queue has places do not keep out clients that signed in before', async () => {
  await using appliance = await startAppliance({ settings: { trusted_proxies: '127.0.0.0/8' } });
  const { email } = await owner(appliance);
  const signIn = (address: string) =>
    new Visitor(appliance, address).signIn(email).then(({ status }) => status);
  expect(await signIn('203.0.113.7')).toBe(200);
  let isOver = false;
  const full = Promise.withResolvers<void>();
  const flood = Array.from({ length: WAITING + 10 }, async (_, nth) => {
    while (!isOver) {
      const { status } = await new Visitor(appliance, `198.51.${nth}.1`).signIn(
        `${nth}@example.org`,
        'wrong',
      );
      if (status === 429) full.resolve();
    }
  });
  await full.promise;
  const answers: number[] = [];
  for (let nth = 0; nth < 3; nth++) answers.push(await signIn('203.0.113.7'));
  isOver = true;
  await Promise.all(flood);
  expect(answers).toEqual([200, 200, 200]);
}, 30_000);
