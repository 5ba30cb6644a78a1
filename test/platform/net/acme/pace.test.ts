/** When a CA may be asked again: never more often than Let's Encrypt allows, whatever happens. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type AcmeAttempt,
  clampToNow,
  findNextAttemptAt,
  findRenewalAt,
  type Want,
} from '../../../../src/platform/net/acme/pace.ts';

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const directory = 'https://ca.test/directory';
const names = ['a.test', 'b.test'];
const want: Want = { directory, names, inUse: null };
const attempt = (
  at: number,
  outcome: AcmeAttempt['outcome'],
  more: Partial<AcmeAttempt> = {},
): AcmeAttempt => ({
  at,
  outcome,
  directory,
  names,
  reason: null,
  waitS: 0,
  ...more,
});

test('a certificate is due when two thirds of its life are over', () => {
  expect(findRenewalAt({ ...want, inUse: { startsAtUs: DAY_US, endsAtUs: 91 * DAY_US } })).toBe(61 * DAY_US);
});

test('the limits of a CA are kept, whatever fails and however often a person asks', () => {
  const step = fc.record({
    outcome: fc.constantFrom('open' as const, 'failed' as const, 'issued' as const),
    isUrged: fc.boolean(),
    isOtherName: fc.boolean(),
    restUs: fc.integer({ min: 0, max: 2 * HOUR_US }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
      const attempts: AcmeAttempt[] = [];
      let now = DAY_US;
      for (const { outcome, isUrged, isOtherName, restUs } of steps) {
        const wanted = isOtherName ? { ...want, names: ['c.test'] } : want;
        now = Math.max(now, findNextAttemptAt({ attempts, blocked: null }, wanted, isUrged)) + restUs;
        attempts.push(attempt(now, outcome, { names: wanted.names }));
      }
      const most = (withinUs: number, of = attempts) =>
        Math.max(...of.map(({ at }) => of.filter((each) => each.at >= at && each.at < at + withinUs).length));
      const got = attempts.filter((each) => each.outcome === 'issued' && each.names === names);
      expect(most(HOUR_US)).toBeLessThanOrEqual(3);
      expect(most(DAY_US)).toBeLessThanOrEqual(10);
      if (got.length > 0) expect(most(7 * DAY_US, got)).toBeLessThanOrEqual(3);
    }),
  );
});

test('other names and another CA start over, except for a pause that the CA itself asked for', () => {
  const attempts = [1, 2, 3, 4, 5].map((no) => attempt(no * DAY_US, 'failed'));
  const last = 5 * DAY_US;
  expect(findNextAttemptAt({ attempts, blocked: null }, want)).toBe(last + 4 * HOUR_US);
  expect(findNextAttemptAt({ attempts, blocked: null }, want, true)).toBeLessThanOrEqual(last);
  expect(findNextAttemptAt({ attempts, blocked: null }, { ...want, names: ['c.test'] })).toBeLessThanOrEqual(
    last,
  );
  expect(findNextAttemptAt({ attempts, blocked: null }, { ...want, directory: 'https://other.test/' })).toBe(
    0,
  );
  attempts.push(attempt(last, 'failed', { waitS: 7 * 86_400 }));
  expect(findNextAttemptAt({ attempts, blocked: null }, { ...want, names: ['c.test'] }, true)).toBe(
    last + 7 * DAY_US,
  );
});

test('attempts that a wrong clock put into the future count as happening now', () => {
  const history = { attempts: [attempt(DAY_US, 'failed'), attempt(900 * DAY_US, 'failed')], blocked: null };
  expect(clampToNow(history, 2 * DAY_US)).toBe(true);
  expect(history.attempts.map(({ at }) => at)).toEqual([DAY_US, 2 * DAY_US]);
  expect(clampToNow(history, 2 * DAY_US)).toBe(false);
});
