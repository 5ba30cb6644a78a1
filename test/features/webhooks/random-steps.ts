/** Random steps of random-world.ts. */
import fc from 'fast-check';

const HOUR_MS = 3_600_000;

const hows = ['ok', 'error', 'refused', 'gone', 'hang', 'reset', 'slow', 'busy'] as const;
export type How = (typeof hows)[number];

const kinds = ['email.received', 'message.deleted'] as const;
export type AskedKind = (typeof kinds)[number];

/** Numbers choose among what exists at that time. */
export type Step =
  | { do: 'arrive' | 'delete message' | 'set inbox hook'; nth: number }
  | { do: HookStep; nth: number }
  | { do: 'answer'; nth: number; how: How }
  | { do: 'create account hook'; kinds: AskedKind[] }
  | { do: 'pass' | 'set clock'; ms: number }
  | { do: 'release' | 'suspend' | 'resume' | 'crash' | 'fill disk' | 'empty disk' };

export type HookStep = 'remove' | 'switch' | 'change url' | 'replay one' | 'replay all';

const nth = fc.nat(20);
const passes = [100, 3000, 6000, 70_000, HOUR_MS, 7 * HOUR_MS, 30 * HOUR_MS] as const;
const sets = [-90 * HOUR_MS, -HOUR_MS, -2000, 2000, HOUR_MS, 90 * HOUR_MS] as const;

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('arrive' as const), nth }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('answer' as const), nth, how: fc.constantFrom(...hows) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(...passes) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('set clock' as const), ms: fc.constantFrom(...sets) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('create account hook' as const),
      kinds: fc.subarray([...kinds], { minLength: 1 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'delete message',
        'set inbox hook',
        'remove',
        'switch',
        'change url',
        'replay one',
        'replay all',
      ),
      nth,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('release', 'suspend', 'resume', 'crash', 'fill disk', 'empty disk'),
    }),
  },
);
