/** The forms of a text that are looked up in the index. */
import { expect, test } from 'bun:test';
import { listSpellings, markSender } from '../../../src/features/messages/search-text.ts';

test('a sigma is also looked up in the form that an earlier version indexed at the end of a word', () => {
  expect(listSpellings('abc')).toEqual(['abc']);
  expect(listSpellings('σασ')).toEqual(['σασ', 'σας', 'ςασ', 'ςας']);
  expect(listSpellings(markSender('ος'))).toEqual([markSender('ος')]);
  expect(listSpellings(markSender('οσ'))).toEqual([markSender('οσ'), markSender('ος')]);
});
