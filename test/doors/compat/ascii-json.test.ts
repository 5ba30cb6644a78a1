/** JSON that is written in pieces is parsed as the same value, and each piece is small. */
import { describe, expect, test } from 'bun:test';
import { writeAsciiJson } from '../../../src/doors/compat/ascii-json.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { openScene } from './scene.ts';

const read = (value: unknown) => JSON.parse(Buffer.concat([...writeAsciiJson(value)]).toString('latin1'));

describe('JSON in pieces', () => {
  test('is parsed as the same value', () => {
    const nested = { '': '', 'ä "\\\u0000': ['\u007f\u0080\uffff', { a: '\ud83d' }] };
    for (const value of [null, true, -0.5, '', [], {}, [[], {}, [null]], nested]) {
      expect(read(value)).toEqual(value);
    }
  });

  test('is the same wherever a long text is cut', () => {
    for (const before of ['', 'x', '😀', '\u0000', 'x😀']) {
      const text = before + '😀ä\u0000"\\\ud800\n'.repeat(40_000);
      expect(read({ text }).text === text).toBe(true);
    }
  });

  test.each(['\u0000', 'ä', '\ud800', 'x'])('of a long text of %j comes in pieces, in ASCII', (unit) => {
    const pieces = [...writeAsciiJson([unit.repeat(1_000_000), unit.repeat(1_000_000)])];
    expect(pieces.length).toBeGreaterThan(20);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000);
    expect(pieces.every((piece) => piece.every((byte) => byte < 0x7f))).toBe(true);
  });
});

test('a mail of megabytes is shown to MailHog’s clients in little time', async () => {
  await using scene = await openScene();
  const line = `${'ä'.repeat(400)}\r\n`;
  const raw = `From: a@example.com\r\nSubject: x\r\n\r\n${line.repeat(8_000)}`;
  await scene.send({ to: ['jane@example.org'], raw });
  const began = cpuMs();
  const list = await (await scene.ask('GET', '/api/v2/messages')).text();
  const { ID, Raw } = JSON.parse(list).items[0];
  expect(Raw.Data === raw).toBe(true);
  const one = await (await scene.ask('GET', `/api/v1/messages/${ID}`)).text();
  expect(JSON.parse(one).Content.Body === line.repeat(8_000)).toBe(true);
  // Before a fix it took 0.7 s for each million letters.
  expect(cpuMs() - began).toBeLessThan(4_000);
}, 20_000);
