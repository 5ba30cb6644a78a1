/** `postern check`: what is wrong with a mail file, for people and for CI. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checks } from '../../../src/features/checks/wire.ts';
import { postern } from './command-process.ts';

const HEAD =
  'Date: Mon, 23 Nov 2026 17:09:22 +0000\r\nMessage-ID: <1@shop.org>\r\nFrom: a@shop.org\r\nTo: b@c.org\r\n';
const HTML = 'Content-Type: text/html; charset=utf-8\r\n\r\n';
const mails = {
  'good.eml': `${HEAD}\r\nHi\r\n`,
  'poor.eml': `${HEAD}${HTML}<html>\r\n<video></video><div style="display:grid;position:sticky"><a href="http://shop.org/\x1b[31m">x</a>`,
};
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'postern-check-'));
  for (const [name, mail] of Object.entries(mails)) writeFileSync(join(dir, name), mail);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const check = (name: string, ...flags: string[]) => postern(['check', join(dir, name), ...flags]);

describe('postern check', () => {
  test('exits with 1 below the required score, and with 0 otherwise', async () => {
    expect(await check('good.eml', '--min-score', '100')).toMatchObject({ status: 0, stderr: '' });
    const poor = await check('poor.eml', '--min-score', '90');
    expect([poor.status, poor.stderr]).toEqual([1, expect.stringMatching(/^The score \d+ is below 90\.\n$/)]);
    expect((await check('poor.eml')).status).toBe(0);
    const { stdout } = await check('poor.eml', '--json');
    const { score } = JSON.parse(stdout).data.html;
    expect((await check('poor.eml', '--min-score', String(score))).status).toBe(0);
  });

  test('prints the same JSON as the API, even below the score', async () => {
    const { status, stdout } = await check('poor.eml', '--json', '--min-score', '99');
    expect(status).toBe(1);
    const { data } = JSON.parse(stdout);
    expect(Checks.strict().parse(data)).toEqual(data);
    expect(data.links[0]).not.toHaveProperty('skipReason');
  });

  test('prints what to fix for people, without control characters of the mail', async () => {
    const { stdout } = await check('poor.eml');
    expect(stdout).toMatch(/^HTML support: \d+ of 100 \(caniemail data of 20/);
    expect(stdout).toContain('  <video> element, supported by ');
    expect(stdout).toContain('  http instead of https: http://shop.org/');
    expect(stdout).toContain('There is HTML but no plain text.');
    expect(stdout).not.toContain('\x1b');
  });

  test('reads standard input', async () => {
    const { status, stdout } = await postern(['check', '-', '--json'], {}, mails['good.eml']);
    expect([status, JSON.parse(stdout).data.html.score]).toEqual([0, 100]);
  });

  test('says what is wrong with a file or a score', async () => {
    const missing = await check('none.eml');
    expect([missing.status, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^File .*none\.eml does not exist\.\n$/),
    ]);
    const isFolder = await check('.');
    expect([isFolder.status, isFolder.stderr]).toEqual([
      1,
      expect.stringContaining('is a folder. Give a file in it.'),
    ]);
    for (const score of ['101', 'x', '-1'])
      expect((await check('good.eml', `--min-score=${score}`)).status).toBe(2);
  });
});
