import { describe, expect, test } from 'bun:test';
import { readReplyText } from '../../../../src/platform/mail/reply/reply-text.ts';
import { oddReplies } from './odd-replies.ts';
import { replies } from './replies.ts';

describe('the text of a reply', () => {
  test.each(replies.map((mail) => [mail.name, mail] as const))(
    'is what its sender wrote: %s',
    (_, { text, html = '', isForward, reply }) => {
      const read = readReplyText({ text, html }, isForward);
      expect(read.split('\n').map((line) => line.trimEnd())).toEqual(reply.split('\n'));
    },
  );

  test.each(oddReplies.map((mail) => [mail.name, mail] as const))(
    'loses nothing that its sender wrote: %s',
    (_, { text, html = '', reply }) => {
      const read = readReplyText({ text, html });
      expect(read.split('\n').map((line) => line.trimEnd())).toEqual(reply.split('\n'));
    },
  );

  test.each([
    ['brackets in an introduction', `On 21/11/2026 10:00 wrote ${'('.repeat(150)}${')'.repeat(150)}:\n`],
    ['words after a verb', `wrote ${'a '.repeat(150)}:\n`],
    ['introductions', 'On 21/11/2026 10:00, Ann wrote\n'],
    ['long introductions', `On ${'wrote '.repeat(60)}:\n`],
    ['lines with a colon', '1:\n'],
    ['field names', 'From: a\n'],
    ['dates', '10:00 '],
    ['dashes', '-'],
    ['separators', '-- original --\n'],
    ['blanks', ' '],
    ['line ends', '\n'],
    ['quotes', '>'],
    ['brackets', '<a@b'],
    ['stars', '*\n'],
  ])('of a megabyte of %s takes linear time', (_, piece) => {
    const make = (chars: number) => piece.repeat(Math.ceil(chars / piece.length));
    const time = (text: string) => {
      const beganMs = performance.now();
      readReplyText({ text, html: '' });
      return performance.now() - beganMs;
    };
    time(make(100_000));
    const best = Math.min(...[1, 2, 3].map(() => time(make(1_000_000))));
    expect(best).toBeLessThan(1_500);
  });
});
