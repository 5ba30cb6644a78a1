/** The links of a mail with more text than is read for codes. */
import { expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

const read = (parts: { text?: string; html?: string }) =>
  extract({ subject: 'Build 7 failed', from: 'CI <ci@a.example>', text: '', html: '', ...parts });

const LOG = Array.from({ length: 3000 }, (_, line) => `step ${line} of the build took a while`);
const FIRST = 'https://ci.a.example/builds/7';
const LAST = 'https://ci.a.example/builds/7/log?from=1&to=9';

test('the links at the end of a long text are listed, in order', () => {
  const { links, linksCut } = read({ text: [FIRST, ...LOG, `Log: ${LAST}.`, `Build: ${FIRST}`].join('\n') });
  expect([links, linksCut]).toEqual([[FIRST, LAST], false]);
});

test('the links at the end of a long HTML part are listed, decoded, before those of the text', () => {
  const rows = LOG.map((line) => `<p>${line}</p>`).join('');
  const html = `<a href="${FIRST}">Build</a>${rows}<img src="https://a.example/x.png"><a href='${LAST.replace('&', '&amp;')}'>Log</a>`;
  const text = `${LOG.join('\n')}\n${LAST}\nhttps://ci.a.example/help`;
  const { links, linksCut } = read({ html, text });
  expect([links, linksCut]).toEqual([[FIRST, LAST, 'https://ci.a.example/help'], false]);
});

test.each([0, 1, 9, 20, 60])(
  'a link is listed that begins %d characters before the end of the HTML that is read',
  (before) => {
    const filling = `<p title="${'x'.repeat(256 * 1024 - 12 - before)}">`;
    const { links, linksCut } = read({ html: `${filling}<a href="${LAST.replace('&', '&amp;')}">Log</a>` });
    expect([links, linksCut]).toEqual([[LAST], false]);
  },
);

test('of very many links at the end of a long mail, a hundred are listed, and it says that it was cut', () => {
  const many = Array.from({ length: 20_000 }, (_, number) => `https://a.example/${number}`);
  for (const parts of [
    { text: [...LOG, ...many].join('\n') },
    {
      html:
        LOG.map((line) => `<p>${line}</p>`).join('') + many.map((url) => `<a href="${url}">x</a>`).join(''),
    },
  ]) {
    const { links, linksCut } = read(parts);
    expect([links, linksCut]).toEqual([many.slice(0, 100), true]);
  }
});

test('a long mail of one address over and over is not read to its end, and it says that it was cut', () => {
  for (const [piece, parts] of [
    [`${FIRST}\n`, 'text'],
    [`<a href="${FIRST}">x</a>`, 'html'],
  ] as const) {
    const { links, linksCut } = read({ [parts]: `${LOG.join('\n')}\n${piece.repeat(100_000)}\n${LAST}` });
    expect([links, linksCut]).toEqual([[FIRST], true]);
  }
});

test.each([
  ['one address, over and over', `${FIRST}\n`],
  ['tags that do not end', '<a href="'],
  ['single and double quotes', `href="href='`],
  ['white space', `href${' '.repeat(1000)}`],
])('a long mail of %s is read quickly', (_, piece) => {
  const source = LOG.join('\n<br>') + piece.repeat(900_000 / piece.length);
  const began = cpuMs();
  read({ text: source, html: source });
  expect(cpuMs() - began).toBeLessThan(1500);
});
