/** Searches compare texts in a folded form, whatever a sender wrote. */
import { expect, test } from 'bun:test';
import { fold } from '../../src/rules/fold.ts';
import { cpuMs } from '../peers/cpu-time.ts';

test('folding ignores case and how an accent is encoded, and reads NUL as a space', () => {
  expect(fold('E\u0301TE\u0301\0')).toBe('\u00e9t\u00e9 ');
});

test('folding makes a sigma within a word and one at its end the same', () => {
  expect(fold('ΚΑΛΩΣΟΡΙΣΜΑ')).toContain(fold('ΚΑΛΩΣ'));
  expect(new Set(['ΟΔΟΣ', 'οδος', 'οδοσ'].map(fold)).size).toBe(1);
});

test('folding keeps thirty accents on a letter', () => {
  const marks = '\u0316'.repeat(30);
  expect(fold(`a${marks}b`)).toBe(`a${marks}b`);
});

test('folding takes bounded time for a long run of accents in the wrong order', () => {
  const began = cpuMs();
  fold('\u0301\u0316'.repeat(128 * 1024));
  expect(cpuMs() - began).toBeLessThan(500);
});
