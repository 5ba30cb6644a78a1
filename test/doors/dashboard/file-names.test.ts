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

test('a name leads out of no folder, hides no ending and suits every system', () => {
  expect(
    name('../../etc/passwd', 'C:\\temp\\x.exe', '..', null, 'a:b?.txt', 'nul.txt', 'end. ', 'a\u202etxt.exe'),
  ).toEqual(['passwd', 'x.exe', 'attachment 3', 'attachment 4', 'a_b_.txt', '_nul.txt', 'end', 'atxt.exe']);
});

test('a long name keeps its ending', () => {
  expect(name(`${'x'.repeat(500)}.pdf`)).toEqual([`${'x'.repeat(80)}.pdf`]);
});
