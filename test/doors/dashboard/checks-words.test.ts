/** The English results of the checks are recognised, so that they can be shown in other languages. */
import { afterAll, expect, test } from 'bun:test';
import { checkMail } from '../../../src/platform/mail/checks/check.ts';
import { linkProblems, unsubscribeProblems } from '../../../src/rules/checks.ts';
import { translateHeader, translatePlace, translateUnsubscribe } from '../../../src/web/mail/checks-words.ts';
import { loadWords, speak, words } from '../../../src/web/words/words.ts';

afterAll(() => speak('en', 'en'));

const heads = {
  nothing: '',
  wrong: 'Date: yesterday\r\nMessage-ID: one: two\r\nFrom: nobody\r\nTo: nobody\r\n',
  repeated: ['Date', 'Message-ID', 'From', 'To'].map((name) => `${name}: a\r\n${name}: b\r\n`).join(''),
};

const html = `<div style="color:#777;background:#eee">pale</div><img src="a.png"><h3>Late</h3><a href="https://a.test/">click here</a>`;
const found = Object.values(heads).map((head) =>
  checkMail({ head, text: '', html, bytes: 100, magic_link: null }),
);
const headers = found.flatMap((each) => each.headers);
const places = found.flatMap((each) => each.accessibility.map(({ element }) => element));

test('in English the checks read as in the API', async () => {
  await speak('en', 'en');
  await loadWords(['checks']);
  expect(new Set(headers.map(({ text }) => text)).size).toBe(13);
  expect(headers.map(translateHeader)).toEqual(headers.map(({ text }) => text));
  expect(places.length).toBeGreaterThan(3);
  expect(places.map(translatePlace)).toEqual(places);
  expect(words.checks.links.problems).toEqual(linkProblems);
  expect(words.checks.unsubscribe.problems).toEqual(unsubscribeProblems);
});

test('in German nothing of the checks stays English', async () => {
  await speak('de', 'de');
  await loadWords(['checks']);
  for (const each of headers) expect(translateHeader(each)).not.toMatch(/\b(there|header|the|is)\b/i);
  for (const place of places) expect(translatePlace(place)).toMatch(/^Zeile \d+: /);
  expect(places.map(translatePlace).join('\n')).toContain('#777777 auf #eeeeee, 3.8:1');
  expect(places.map(translatePlace).join('\n')).toContain('kein <html>-Element');
  for (const text of Object.values(unsubscribeProblems)) expect(translateUnsubscribe(text)).not.toBe(text);
});

test('a text that is not recognised stays unchanged', async () => {
  expect(translatePlace('somewhere')).toBe('somewhere');
  expect(translateHeader({ rule: 'date', text: 'Something new.' })).toBe('Something new.');
});
