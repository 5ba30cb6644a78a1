/** Searches compare text in one form, whatever a stranger wrote. */
import { expect, test } from 'bun:test';
import { fold } from '../../src/rules/fold.ts';
import { cpuMs } from '../peers/cpu-time.ts';

test('case and the way an accent is written make no difference, and NUL is a space', () => {
  expect(fold('E\u0301TE\u0301\0')).toBe('\u00e9t\u00e9 ');
});

test('a sigma is the same within a word and at its end', () => {
  expect(fold('ΚΑΛΩΣΟΡΙΣΜΑ')).toContain(fold('ΚΑΛΩΣ'));
  expect(new Set(['ΟΔΟΣ', 'οδος', 'οδοσ'].map(fold)).size).toBe(1);
});

test('thirty accents on a letter are kept', () => {
  const marks = '\u0316'.repeat(30);
  expect(fold(`a${marks}b`)).toBe(`a${marks}b`);
});

test('a long run of accents in the wrong order is read in bounded time', () => {
  const began = cpuMs();
  fold('\u0301\u0316'.repeat(128 * 1024));
  expect(cpuMs() - began).toBeLessThan(500);
});
