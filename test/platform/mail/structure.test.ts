import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LEVELS_MAX, PARTS_MAX } from '../../../src/platform/mail/bounds.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import {
  cutHeaderSection,
  cutStructure,
  findBodyStart,
  isLooping,
} from '../../../src/platform/mail/structure.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const text = (part: Uint8Array) => Buffer.from(part).toString('latin1');

describe('where the body starts', () => {
  const table: [string, number][] = [
    ['', 0],
    ['A: b\r\n', 6],
    ['A: b\r\n\r\nbody', 8],
    ['A: b\n\nbody', 6],
    ['A: b\r\n\nbody', 7],
    ['A: b\n\r\nbody', 7],
    ['A: b\r\n \r\n\r\nbody', 11],
    ['A: b\r\n\r\nx\n\ny', 8],
    ['A: b\n\nx\r\n\r\ny', 6],
  ];
  for (const [mail, at] of table) {
    test(`${JSON.stringify(mail)}: at ${at}`, () => expect(findBodyStart(bytes(mail))).toBe(at));
  }
});

describe('the header section', () => {
  test('is everything before the body, up to a bound, and ends like a message', () => {
    expect(text(cutHeaderSection(bytes('A: b\r\nC: d\r\n\r\nbody'), 1000))).toBe(
      'A: b\r\nC: d\r\n\r\n\r\n\r\n',
    );
    expect(text(cutHeaderSection(bytes(`A: ${'x'.repeat(100)}`), 10))).toBe('A: xxxxxxx\r\n\r\n');
    expect(text(cutHeaderSection(bytes(''), 10))).toBe('\r\n\r\n');
  });
});

function multipart(parts: number): string {
  const part = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n';
  return `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(parts)}--b--\r\n`;
}

function nested(levels: number): string {
  let mail = '';
  for (let level = 0; level < levels; level++)
    mail += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  mail += 'Content-Type: text/plain\r\n\r\ninnermost\r\n';
  for (let level = levels - 1; level >= 0; level--) mail += `--b${level}--\r\n`;
  return mail;
}

describe('cutting', () => {
  test('leaves alone messages within the bounds, and those without multipart', () => {
    for (const mail of [multipart(3), multipart(900), nested(LEVELS_MAX), 'Subject: x\r\n\r\n--a\r\n--b\r\n'])
      expect(cutStructure(bytes(mail)).cut).toBe(false);
    expect(cutStructure(bytes(`Subject: x\r\n\r\n${'--x\r\n'.repeat(5000)}`)).cut).toBe(false);
  });

  test('ends the message before there are too many parts', () => {
    const { kept, cut } = cutStructure(bytes(multipart(5000)));
    expect(cut).toBe(true);
    expect(text(kept).split('--b\r\n').length).toBeLessThanOrEqual(PARTS_MAX);
    expect(text(kept).split('--b\r\n').length).toBeGreaterThan(PARTS_MAX - 10);
  });

  test('ends the message before it is too deep', () => {
    const { kept, cut } = cutStructure(bytes(nested(20_000)));
    expect(cut).toBe(true);
    expect(text(kept)).toContain(`boundary=b${LEVELS_MAX - 2}`);
    expect(text(kept)).not.toContain(`boundary=b${LEVELS_MAX + 2}`);
  });

  test('does not mistake the lines of a patch inside a multipart for parts', () => {
    const patch = '--- a/file\r\n+++ b/file\r\n'.repeat(3000);
    const mail = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${patch}\r\n--b--\r\n`;
    expect(cutStructure(bytes(mail)).cut).toBe(false);
  });

  test('returns a beginning of the message, whatever the message is', () => {
    const piece = fc.constantFrom(
      '--b\r\n',
      '--b--\r\n',
      '\r\n',
      '\n',
      '--',
      'Content-Type: multipart/x\r\n',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const mail = bytes(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${pieces.join('')}`);
        const { kept, cut } = cutStructure(mail);
        expect(text(mail).startsWith(text(kept))).toBe(true);
        if (!cut) expect(kept.length).toBe(mail.length);
      }),
    );
  });

  test('handles 25 MiB of delimiters quickly', () => {
    const mail = bytes(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--x y\r\n'.repeat(3_700_000)}`);
    const began = cpuMs();
    cutStructure(mail);
    expect(cpuMs() - began).toBeLessThan(4000);
  });
});

describe('a mail loop', () => {
  test('is detected by the number of Received headers, not by the body or folded lines', () => {
    const hops = (count: number) => `${'Received: x\r\n'.repeat(count)}Subject: x\r\n\r\n`;
    expect(isLooping(bytes(hops(100)))).toBe(false);
    expect(isLooping(bytes(hops(101)))).toBe(true);
    expect(isLooping(bytes(hops(101).replaceAll('\r\n', '\n')))).toBe(true);
    expect(isLooping(bytes(`Subject: x\r\n${' Received: x\r\n'.repeat(200)}\r\n`))).toBe(false);
    expect(isLooping(bytes(`Subject: x\r\n\r\n${hops(200)}`))).toBe(false);
    expect(isLooping(bytes('X-Received: x\r\n'.repeat(200)))).toBe(false);
  });
});

/** Nests multiparts this many levels deep. The blank in their delimiters hides them from our own count. */
function hiddenLevels(levels: number, delimiter: (level: number) => string): string {
  const level = (at: number) =>
    `${at < 0 ? '' : `--${delimiter(at)}\r\n`}Content-Type: multipart/mixed; boundary="${delimiter(at + 1)}"\r\n\r\n`;
  const heads = Array.from({ length: levels }, (_, at) => level(at - 1)).join('');
  return `${heads}--${delimiter(levels - 1)}\r\n\r\n`;
}

test.each([
  ['that may end any of 990 levels', '--x 1234\n'],
  ['that begin with a bare CR', '\r--x9999\n'],
])('lines %s are read in time linear to their number', async (_, line) => {
  const mail = Buffer.from(hiddenLevels(990, (level) => `x ${level}`) + line.repeat(1_000_000));
  const before = process.cpuUsage();
  const { summary } = await parseMail(mail);
  const { user, system } = process.cpuUsage(before);
  expect(summary.status).toBe('parsed');
  expect((user + system) / 1e6).toBeLessThan(8);
});
