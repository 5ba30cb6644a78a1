/** Which text the index is searched for. */
import { expect, test } from 'bun:test';
import { listSpellings, markSender } from '../../../src/features/messages/search-text.ts';

test('a sigma is also looked for in the form that an earlier version indexed at the end of a word', () => {
  expect(listSpellings('abc')).toEqual(['abc']);
  expect(listSpellings('σασ')).toEqual(['σασ', 'σας', 'ςασ', 'ςας']);
  expect(listSpellings(markSender('ος'))).toEqual([markSender('ος')]);
  expect(listSpellings(markSender('οσ'))).toEqual([markSender('οσ'), markSender('ος')]);
});
