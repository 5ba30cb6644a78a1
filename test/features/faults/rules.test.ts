import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FaultRules, makeMatcher, type NewFaultRule, RULES_MAX } from '../../../src/features/faults/rules.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

const plain: NewFaultRule = {
  stage: 'rcpt',
  recipient: null,
  sender: null,
  reply: { code: 450, text: '4.2.1 later' },
  drop: false,
  delayMs: 0,
  skip: 0,
  times: null,
  probability: null,
  seed: 1,
  expiresAtUs: null,
};
const rcpt = (recipient: string, sender = 'a@x.example') => ({
  stage: 'rcpt' as const,
  sender,
  recipients: [recipient],
});

/** Which of `count` equal steps the rule answers. */
function answers(rule: Partial<NewFaultRule>, count: number): boolean[] {
  const rules = new FaultRules();
  rules.add(1, { ...plain, ...rule }, 0);
  return Array.from({ length: count }, () => rules.next(1, rcpt('b@y.example'), 0) !== null);
}

describe('a rule', () => {
  test('lets the first matches pass, then answers the given number of times', () => {
    expect(answers({ skip: 2, times: 3 }, 8)).toEqual([false, false, true, true, true, false, false, false]);
  });

  test('that is used up is followed by the next one, which counts only what reaches it', () => {
    const rules = new FaultRules();
    const first = rules.add(1, { ...plain, times: 1 }, 0)!;
    const second = rules.add(1, { ...plain, reply: { code: 550, text: '5.1.1 no' }, skip: 1 }, 0)!;
    const codes = [1, 2, 3, 4].map(() => rules.next(1, rcpt('b@y.example'), 0)?.reply?.code ?? null);
    expect(codes).toEqual([450, null, 550, 550]);
    expect([first.hits, second.hits]).toEqual([1, 2]);
  });

  test('answers only at its stage, for its sender and its recipients, ignoring case', () => {
    const rules = new FaultRules();
    rules.add(1, { ...plain, stage: 'dot', sender: '*@Shop.example', recipient: 'ann+*@*' }, 0);
    const dot = {
      stage: 'dot' as const,
      sender: 'news@shop.EXAMPLE',
      recipients: ['bob@x.example', 'Ann+1@x.example'],
    };
    expect(rules.next(1, { ...dot, stage: 'data' }, 0)).toBeNull();
    expect(rules.next(1, { ...dot, sender: 'news@other.example' }, 0)).toBeNull();
    expect(rules.next(1, { ...dot, recipients: ['bob@x.example'] }, 0)).toBeNull();
    expect(rules.next(1, dot, 0)).not.toBeNull();
  });

  test('belongs to its account', () => {
    const rules = new FaultRules();
    const rule = rules.add(1, plain, 0)!;
    expect(rules.next(2, rcpt('b@y.example'), 0)).toBeNull();
    expect(rules.remove(2, rule.id, 0)).toBe(false);
    expect(rules.list(1, 0)).toEqual([rule]);
  });

  test('ends when it expires, when it is removed, and when all are cleared', () => {
    const rules = new FaultRules();
    rules.add(1, { ...plain, expiresAtUs: 1000 }, 0);
    expect(rules.next(1, rcpt('b@y.example'), 999)).not.toBeNull();
    expect(rules.next(1, rcpt('b@y.example'), 1000)).toBeNull();
    const rule = rules.add(1, plain, 1000)!;
    expect(rules.remove(1, rule.id, 1000)).toBe(true);
    expect(rules.remove(1, rule.id, 1000)).toBe(false);
    rules.add(1, plain, 1000);
    rules.clear(1);
    expect(rules.list(1, 1000)).toEqual([]);
  });

  test('with a probability answers about that often, and in the same order for the same seed', () => {
    const dice = { probability: 0.3, seed: 7 };
    const sequence = answers(dice, 1000);
    expect(answers(dice, 1000)).toEqual(sequence);
    expect(answers({ ...dice, seed: 8 }, 1000)).not.toEqual(sequence);
    const hits = sequence.filter(Boolean).length;
    expect(hits).toBeGreaterThan(240);
    expect(hits).toBeLessThan(360);
    expect(answers({ probability: 0 }, 50)).not.toContain(true);
    expect(answers({ probability: 1 }, 50)).not.toContain(false);
  });

  test('is refused beyond the bound of an account', () => {
    const rules = new FaultRules();
    for (let created = 0; created < RULES_MAX; created += 1) expect(rules.add(1, plain, 0)).not.toBeNull();
    expect(rules.add(1, plain, 0)).toBeNull();
    expect(rules.add(2, plain, 0)).not.toBeNull();
  });
});

describe('a recipient that asks for a fault by its name', () => {
  test.each([
    ['ann+fault-450@x.example', { reply: { code: 450 } }],
    ['ann+x+FAULT-550@x.example', { reply: { code: 550 } }],
    ['+fault-drop@x.example', { drop: true }],
    ['ann+fault-slow@x.example', { delayMs: 3000, reply: null, drop: false }],
  ])('%s gets it at RCPT', (recipient, fault) => {
    expect(new FaultRules().next(1, rcpt(recipient), 0)).toMatchObject(fault);
    expect(new FaultRules().next(1, { ...rcpt(recipient), stage: 'data' }, 0)).toBeNull();
  });

  test.each([
    'ann+fault-451@x.example',
    'ann+fault-450x@x.example',
    'fault-450@x.example',
    'a@x+fault-450.example',
    'ann+fault-constructor@x.example',
  ])('%s gets none', (recipient) => expect(new FaultRules().next(1, rcpt(recipient), 0)).toBeNull());

  test('gets the answer of a rule instead when one matches', () => {
    const rules = new FaultRules();
    rules.add(1, plain, 0);
    expect(rules.next(1, rcpt('ann+fault-drop@x.example'), 0)?.reply).toEqual(plain.reply);
  });
});

describe('a pattern', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', '@', '.', '*', '?', '('), maxLength: 12 });

  test('matches what the same pattern as a regular expression matches', () => {
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const escaped = pattern.replace(/[.?()]/g, '\\$&').replaceAll('*', '.*');
        expect(makeMatcher(pattern)(text)).toBe(new RegExp(`^${escaped}$`, 'is').test(text));
      }),
    );
  });

  test('of many stars is matched quickly', () => {
    const startMs = performance.now();
    expect(makeMatcher(`${'*a'.repeat(160)}b`)('a'.repeat(320))).toBe(false);
    expect(performance.now() - startMs).toBeLessThan(1000);
  });

  test.each([`*${'a'.repeat(125)}b`, `${'*a'.repeat(159)}b`])(
    'of every allowed rule is matched quickly against a hundred recipients: %s',
    (recipient) => {
      const rules = new FaultRules();
      for (let n = 0; n < RULES_MAX; n++) rules.add(1, { ...plain, stage: 'dot', recipient }, 0);
      const recipients = Array.from({ length: 100 }, () => `a@${'a'.repeat(252)}`);
      const began = cpuMs();
      expect(rules.next(1, { stage: 'dot', sender: '', recipients }, 1)).toBeNull();
      expect(cpuMs() - began).toBeLessThan(250);
    },
  );
});
