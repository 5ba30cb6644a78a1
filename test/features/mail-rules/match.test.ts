/** What a pattern matches, and what several rules do with one mail. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  applyRules,
  matchesText,
  prepareRule,
  type ReadyRule,
  type Rule,
  type RuledMessage,
  readPattern,
} from '../../../src/features/mail-rules/rule.ts';
import { mailRules as bounds } from '../../../src/rules/mail-rules.ts';

describe('a pattern', () => {
  const cases: [pattern: string, text: string, matches: boolean][] = [
    ['code', 'your code is 1', true],
    ['CODE', 'your code is 1', true],
    ['code', 'your key', false],
    ['*', '', true],
    ['*@shop.example>', 'ann <ann@shop.example>', true],
    ['*@shop.example>', 'ann <ann@shop.example> x', false],
    ['[ci]*', '[ci] failed', true],
    ['[ci]*', 're: [ci] failed', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['ab*ba', 'aba', false],
    ['**x**', 'axb', true],
    ['a.c', 'abc', false],
    ['ΚΑΛΩΣ*', 'καλωσορισμα', true],
  ];
  for (const [pattern, text, matches] of cases) {
    test(`${pattern} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () =>
      expect(matchesText(readPattern(pattern), text)).toBe(matches));
  }

  test('with stars means what a regular expression with .* does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, given) => {
        const escaped = pattern.split('*').join('[^]*');
        const wanted = pattern.includes('*')
          ? new RegExp(`^${escaped}$`).test(given)
          : given.includes(pattern);
        return matchesText(readPattern(pattern), given) === wanted;
      }),
      { numRuns: 2_000 },
    );
  });

  test('is matched quickly against a text that almost matches everywhere', () => {
    const pattern = `*${'a'.repeat(90)}b*${'a'.repeat(90)}b*`;
    const began = performance.now();
    for (let round = 0; round < 150; round++)
      matchesText(readPattern(pattern), 'a'.repeat(bounds.textCharsMax));
    expect(performance.now() - began).toBeLessThan(100);
  });
});

const mail: RuledMessage = {
  inbox_id: 'inbox_a',
  from: 'Ann <ann@shop.example>',
  to: 'desk+x@own.example',
  subject: 'Your code',
  has_code: true,
  tags: ['kept'],
};

let nextId = 0;
function rule(conditions: Partial<Rule['conditions']>, actions: Partial<Rule['actions']>): ReadyRule {
  const id = `rule_${nextId++}`;
  return prepareRule({
    id,
    name: id,
    conditions: { inbox_id: null, from: null, to: null, subject: null, has_code: null, ...conditions },
    actions: {
      tags: [],
      mark_read: false,
      delete_after_days: null,
      forward_to: [],
      notify: null,
      stop: false,
      ...actions,
    },
  });
}

describe('rules', () => {
  test('that do not match do nothing', () => {
    const wrong: Partial<Rule['conditions']>[] = [
      { inbox_id: 'inbox_b' },
      { from: 'bob' },
      { to: 'other@' },
      { subject: 'invoice' },
      { has_code: false },
      { subject: 'code', has_code: false },
    ];
    for (const conditions of wrong)
      expect(applyRules([rule(conditions, { mark_read: true })], mail, 0)).toBeNull();
  });

  test('combine into each tag once, the earliest deletion, and one forward per address', () => {
    const outcome = applyRules(
      [
        rule(
          { subject: 'code' },
          { tags: ['kept', 'one'], delete_after_days: 9, forward_to: ['x@y.example'] },
        ),
        rule({ to: '+x@' }, { tags: ['one', 'two'], delete_after_days: 2, forward_to: ['x@y.example'] }),
        rule({ has_code: true }, { delete_after_days: 5, mark_read: true }),
      ],
      mail,
      0,
    )!;
    expect(outcome.tags).toEqual(['kept', 'one', 'two']);
    expect(outcome.deleteAt).toBe(2 * 86_400_000_000);
    expect(outcome.isRead).toBe(true);
    expect(outcome.errands.map(({ target }) => target)).toEqual(['x@y.example']);
  });

  test('are not evaluated after one with stop', () => {
    const outcome = applyRules([rule({}, { stop: true }), rule({}, { mark_read: true })], mail, 0)!;
    expect([outcome.isRead, outcome.done]).toEqual([false, []]);
  });

  test('add at most twenty tags and send at most the bound, and the rest is noted as refused', () => {
    const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const rules = Array.from({ length: 4 }, (_, index) =>
      rule({}, { forward_to: Array.from({ length: 4 }, (_, each) => `a${index}${each}@y.example`) }),
    );
    const outcome = applyRules([rule({}, { tags: many }), ...rules], mail, 0)!;
    expect(outcome.tags).toHaveLength(20);
    expect(outcome.errands).toHaveLength(bounds.errandsMax);
    const refused = outcome.done.filter((one) => one.refused !== null);
    expect(refused.map(({ action }) => action)).toEqual(['tag', ...Array(6).fill('forward')]);
  });
});
