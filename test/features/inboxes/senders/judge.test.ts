/** How an inbox's lists decide on a mail with several senders, and which proof counts for which sender. */
import { expect, test } from 'bun:test';
import {
  judgeSenders,
  type ListedEntry,
  type Proof,
} from '../../../../src/features/inboxes/senders/judge.ts';
import { SENDERS_MAX } from '../../../../src/platform/mail/bounds.ts';

const allow = (entry: string): ListedEntry => ({ entry, list: 'allow' });
const block = (entry: string): ListedEntry => ({ entry, list: 'block' });
const proven: Proof = { domain: 'shop.example', aligned: true };
const [ann, bob] = ['ann@shop.example', 'bob@other.example'];
const both = [allow(ann), allow(bob)];

test('a proof counts only for a sender of the domain that it proves', () => {
  expect(judgeSenders([ann], 'allowed_only', both, proven)).toBeNull();
  expect(judgeSenders([bob], 'allowed_only', both, proven)).toBe('unauthenticated');
  expect(judgeSenders([ann, bob], 'allowed_only', both, proven)).toBe('unauthenticated');
  expect(judgeSenders([ann], 'allowed_only', both, { ...proven, aligned: false })).toBe('unauthenticated');
});

test.each<[string[], ListedEntry[], Proof, string | null]>([
  [[ann, 'eve@x.example'], [...both, block('x.example')], 'pending', 'blocked'],
  [['eve@x.example', ann], [...both, block('x.example')], 'never', 'blocked'],
  [[ann, 'new@x.example'], both, 'pending', 'not_allowed'],
  [[ann, bob], both, 'never', 'unauthenticated'],
  [[ann, bob], both, 'pending', 'unproven'],
])('of several reasons the most severe one is given: %j', (senders, listed, proof, reason) => {
  expect(judgeSenders(senders, 'allowed_only', listed, proof)).toBe(reason as never);
});

test('a mail with more senders than are read comes from no allowed sender, and may come from a blocked one', () => {
  const many = Array(SENDERS_MAX + 1).fill(ann);
  expect(judgeSenders(many, 'allowed_only', both, proven)).toBe('not_allowed');
  expect(judgeSenders(many, 'everyone', [], proven)).toBe('blocked');
  expect(judgeSenders(many.slice(1), 'everyone', [], proven)).toBeNull();
});

test('an entry for an address includes its tagged forms if it blocks, and not if it allows', () => {
  const tagged = 'ann+news@shop.example';
  expect(judgeSenders([tagged], 'allowed_only', [allow(ann)], proven)).toBe('not_allowed');
  expect(judgeSenders([tagged], 'allowed_only', [allow(tagged)], proven)).toBeNull();
  expect(judgeSenders([tagged], 'everyone', [block(ann)], proven)).toBe('blocked');
  expect(judgeSenders([ann], 'everyone', [block(tagged)], proven)).toBeNull();
});
