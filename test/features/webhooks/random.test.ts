/** What holds for deliveries, whatever happens and in whatever order. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Delivery } from '../../../src/features/webhooks/sql.ts';
import { deliveries as rules } from '../../../src/rules/deliveries.ts';
import { anyStep } from './random-steps.ts';
import { World } from './random-world.ts';

/** In the suite; POSTERN_TEST_RUNS asks for more. */
const RUNS = Number(process.env.POSTERN_TEST_RUNS ?? 12);

test(
  'no event is lost, repeated without cause, or out of order, whatever happens to receiver, owner, clock and server',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 60 }), async (steps) => {
        await using world = await World.open();
        // Some webhooks and mail to begin with.
        await world.take({ do: 'create account hook', kinds: ['email.received'] });
        await world.take({ do: 'set inbox hook', nth: 0 });
        for (const step of steps) await world.take(step);
        expect(await world.bringToRest()).toEqual([]);
        expectNoneLost(world);
        expectNoneTooOften(world);
        expectOneId(world);
        expectOrder(world);
        // A webhook that was removed leaves nothing in memory.
        expect(world.remembered).toBeLessThanOrEqual(world.hooks.filter(({ isLive }) => isLive).length);
        expect(world.receiver.mostAtOnce).toBeLessThanOrEqual(rules.atOnceOfHook);
      }),
      { numRuns: RUNS },
    );
  },
  60_000 + RUNS * 2000,
);

/** Each event that a webhook asked for was accepted by its receiver, or ended with a reason. */
function expectNoneLost(world: World): void {
  const rows = new Map<string, Delivery>(
    world.deliveries.map((row) => [`${row.webhook_no} ${row.kind} ${row.subject_id}`, row] as const),
  );
  for (const [key, { hook, mayEnd, subject, kind }] of world.due) {
    const row = rows.get(key);
    if (!row) throw new Error(`${kind} of ${subject} is no delivery of ${hook.name}`);
    if (row.status === 'delivered') {
      const isAccepted = world.receiver.requests.some(
        (request) => request.hook === hook.name && request.event === row.id && request.isAccepted,
      );
      if (!isAccepted) throw new Error(`${row.id} counts as delivered, but ${hook.name} did not accept it`);
    } else if (!mayEnd && !isEndedWithReason(world, row)) {
      throw new Error(`${row.id} ended without a reason: ${row.attempts}`);
    }
  }
}

function isEndedWithReason(world: World, { kind, subject_id, tries, attempts }: Delivery): boolean {
  const last = (JSON.parse(attempts) as { response_status: number | null; error: string | null }[]).at(-1);
  const isDeleted = world.messages.some(({ id, isDeleted }) => id === subject_id && isDeleted);
  if (last?.error === 'message_deleted') return kind === 'email.received' && isDeleted;
  return last?.response_status === 404 || last?.response_status === 410 || tries > rules.retryAfterS.length;
}

/** Attempts follow the schedule: only a crash or a replay allows more of them, or another one after success. */
function expectNoneTooOften(world: World): void {
  for (const { hook, kind, subject, rounds } of world.due.values()) {
    const requests = world.receiver.requests.filter(
      (request) => request.hook === hook.name && request.kind === kind && request.subject === subject,
    );
    expect(requests.length).toBeLessThanOrEqual((rules.retryAfterS.length + 1) * rounds + world.crashes);
    expect(requests.filter(({ isAccepted }) => isAccepted).length).toBeLessThanOrEqual(
      rounds + world.crashes,
    );
  }
}

function expectOneId(world: World): void {
  const ids = new Map<string, Set<string>>();
  for (const { event, kind, subject } of world.receiver.requests)
    ids.set(`${kind} ${subject}`, (ids.get(`${kind} ${subject}`) ?? new Set()).add(event));
  expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect(new Set([...ids.values()].flatMap((set) => [...set])).size).toBe(ids.size);
}

/** Deliveries of one inbox start in order. Several run at once, so fewer than that many may overtake an earlier one. */
function expectOrder(world: World): void {
  for (const { name } of world.hooks)
    for (const inbox of [0, 1]) {
      const order = world.messages.filter((message) => message.inbox === inbox).map(({ id }) => id);
      const first = new Set(
        world.receiver.requests
          .filter(
            ({ hook, kind, subject }) =>
              hook === name && kind === 'email.received' && order.includes(subject),
          )
          .map(({ subject }) => subject),
      );
      const got = [...first].map((subject) => order.indexOf(subject));
      for (const [index, place] of got.entries()) {
        const later = got.slice(0, index).filter((other) => other > place).length;
        expect(later).toBeLessThan(rules.atOnceOfHook);
      }
    }
}
