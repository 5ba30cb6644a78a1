/** Words of the tables are found where they occur, and nowhere else. */
import { describe, expect, test } from 'bun:test';
import { foldWord } from '../../../../src/platform/mail/extract/fold.ts';
import { findWords, kind, type WordKind } from '../../../../src/platform/mail/extract/lexicon.ts';
import { actionWords } from '../../../../src/platform/mail/extract/words-action.ts';
import { againstWords } from '../../../../src/platform/mail/extract/words-against.ts';
import { wordsByLanguage } from '../../../../src/platform/mail/extract/words-by-language.ts';
import { codeWords } from '../../../../src/platform/mail/extract/words-code.ts';
import { linkWords } from '../../../../src/platform/mail/extract/words-link.ts';

const tables = { ...codeWords, ...actionWords, ...againstWords, ...linkWords };
const readWords = (name: string, words: string) =>
  words.split(',').map((written) => {
    const [, mark, word = ''] = /^([=*]?)(.*)$/.exec(written.trim())!;
    return { name: name as WordKind, mark, word };
  });
const entries = [
  ...Object.entries(tables).flatMap(([name, byScript]) =>
    Object.values(byScript as Record<string, string>).flatMap((words) => readWords(name, words)),
  ),
  ...Object.values(wordsByLanguage).flatMap((byKind) =>
    Object.entries(byKind).flatMap(([name, words]) => readWords(name, words)),
  ),
];

/** Every word is found in the text, with its kind. */
function expectAllIn(around: (word: string) => [before: string, text: string]): void {
  const lost = entries.filter(({ name, word }) => {
    if (foldWord(word) === '') return false;
    const [before, text] = around(word);
    return !findWords(text).hits.some(({ start, kinds }) => start === before.length && kinds & kind[name]);
  });
  expect(lost).toEqual([]);
}

describe('each word of the tables is found', () => {
  test('alone', () => expectAllIn((word) => ['', word]));
  test('between words', () => expectAllIn((word) => ['so to ', `so to ${word} of it`]));
  test('in capital letters, with punctuation', () =>
    expectAllIn((word) => ['(', `(${word.toUpperCase()}).`]));
});

test('a mark of a table word is only at its beginning', () => {
  expect(entries.filter(({ word }) => /(?:^|\s)[=*]/.test(word))).toEqual([]);
});

test('a word that may begin inside another begins with a letter that is rare in texts', () => {
  const begins = entries.filter(({ mark }) => mark === '*').map(({ word }) => foldWord(word)[0]!);
  expect(begins.filter((letter) => 'aehiort'.includes(letter))).toEqual([]);
});

describe('a word of the tables is found', () => {
  const found = (text: string, name: WordKind) => (findWords(text).kinds & kind[name]) !== 0;

  test('by its beginning', () => {
    expect(found('verification', 'verify')).toBe(true);
    expect(found('unverified', 'verify')).toBe(false);
  });
  test('inside another word only where a word may begin', () => {
    expect(found('barcode', 'code')).toBe(true);
    expect(found('tapin', 'code')).toBe(false);
  });
  test('only as a whole word when it is short', () => {
    expect(found('my pin.', 'code')).toBe(true);
    expect(found('my pinch', 'code')).toBe(false);
  });
  test('despite accents and invisible marks', () => {
    expect(found('co\u00adde', 'code')).toBe(true);
    expect(found('CÓDIGO', 'code')).toBe(true);
  });
});
