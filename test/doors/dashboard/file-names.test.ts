/** Names of attachments in a zip file. */
import { expect, test } from 'bun:test';
import { nameFiles } from '../../../src/web/mail/file-names.ts';

const name = (...filenames: (string | null)[]) =>
  nameFiles(
    filenames.map((filename) => ({ filename })),
    (place) => `attachment ${place}`,
  );

test('the same name twice is numbered, whatever its case', () => {
  expect(name('a.txt', 'A.txt', 'a.txt', 'a (2).txt')).toEqual([
    'a.txt',
    'A (2).txt',
    'a (3).txt',
    'a (2) (2).txt',
  ]);
});

test('a name can’t lead out of the folder or hide its extension, and is valid on every system', () => {
  expect(
    name('../../etc/passwd', 'C:\\temp\\x.exe', '..', null, 'a:b?.txt', 'nul.txt', 'end. ', 'a\u202etxt.exe'),
  ).toEqual(['passwd', 'x.exe', 'attachment 3', 'attachment 4', 'a_b_.txt', '_nul.txt', 'end', 'atxt.exe']);
});

test('a name is never a Windows device, not even with spaces before the dot or a superscript digit', () => {
  expect(name('con .txt', 'COM¹.log', 'conin$', 'console.txt')).toEqual([
    '_con .txt',
    '_COM¹.log',
    '_conin$',
    'console.txt',
  ]);
});

test('names that a file system treats as equal are numbered', () => {
  expect(name('caf\u00e9.txt', 'cafe\u0301.txt', '\ud83d.txt', '\ud83c.txt')).toEqual([
    'caf\u00e9.txt',
    'caf\u00e9 (2).txt',
    '\ufffd.txt',
    '\ufffd (2).txt',
  ]);
});

test('a name has at most 255 bytes, no half character, and no space or dot at its end', () => {
  const hard = [
    `${'写'.repeat(120)}.${'真'.repeat(16)}`,
    '😀'.repeat(100),
    `${'x'.repeat(79)}. ${'y'.repeat(40)}`,
  ];
  const names = name(...hard, ...hard, ...hard);
  for (const each of names) {
    expect(Buffer.byteLength(each)).toBeLessThanOrEqual(255);
    expect(each.isWellFormed()).toBe(true);
    expect(each).not.toMatch(/[. ]$/);
  }
  expect(new Set(names).size).toBe(9);
});

test('a long name keeps its extension', () => {
  expect(name(`${'x'.repeat(500)}.pdf`)).toEqual([`${'x'.repeat(180)}.pdf`]);
});
