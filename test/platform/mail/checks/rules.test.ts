/** Links, unsubscribe, headers and size (docs/checks.md). */
import { describe, expect, test } from 'bun:test';
import { checkMail } from '../../../../src/platform/mail/checks/check.ts';
import type { MailToCheck } from '../../../../src/platform/mail/checks/findings.ts';
import { linkProblems, unsubscribeProblems } from '../../../../src/rules/checks.ts';
import { readText } from '../../../tidy/documents.ts';

const HEAD =
  'Date: Mon, 23 Nov 2026 17:09:22 +0000\r\nMessage-ID: <1@shop.org>\r\nFrom: Shop <a@shop.org>\r\nTo: b@c.org\r\n';
const check = (mail: Partial<MailToCheck>) =>
  checkMail({ head: HEAD, text: 'Hi', html: '', bytes: 100, magic_link: null, ...mail });

describe('a link', () => {
  test.each([
    ['', 'x', 'empty address'],
    ['#', 'x', 'empty address'],
    ['{{ url }}', 'x', 'placeholder not filled in'],
    ['https://shop.org/*|UNSUB|*', 'x', 'placeholder not filled in'],
    ['https://shop.org/<%= id %>', 'x', 'placeholder not filled in'],
    ['javascript:void(0)', 'x', 'script instead of an address'],
    ['/orders/1', 'x', 'relative address'],
    ['www.shop.org', 'x', 'relative address'],
    ['https://', 'x', 'not a valid address'],
    ['https://www.example.com/', 'x', 'example host'],
    ['https://shop.example/', 'x', 'example host'],
    ['http://localhost:3000/', 'x', 'private host'],
    ['https://10.1.2.3/', 'x', 'private host'],
    ['https://0x7f.1/', 'x', 'private host'],
    ['https://[fd00::1]/', 'x', 'private host'],
    ['https://staging/', 'x', 'private host'],
    ['https://app.local/', 'x', 'private host'],
    ['https://8.8.8.8/', 'x', 'IP address instead of a name'],
    ['https://shop.org@evil.org/', 'x', 'user name or password in the address'],
    ['https://evil.org/', 'https://shop.org/login', 'text shows another host'],
    ['https://evil.org/', 'www.shop.org', 'text shows another host'],
    ['https://bit.ly/abc', 'x', 'shortened address'],
    ['http://shop.org/', 'x', 'http instead of https'],
    ['https://shop.org/', 'x', null],
    ['https://mail.shop.org/', 'shop.org', null],
    ['https://shop.org/', 'Read e.g. chapter 2', null],
    ['mailto:a@shop.org', 'a@shop.org', null],
    ['tel:+431234', 'x', null],
    ['#top', 'x', null],
  ])('to %p with the text %p: %p', (url, text, problem) => {
    const { links } = check({ html: `<a href="${url.replaceAll('<', '&lt;')}">${text}</a>` });
    expect(links[0]).toMatchObject({ url, text, problem });
  });

  test('is listed once, and the worse of its texts counts', () => {
    const html = '<a href="https://evil.org/">ok</a><a href="https://evil.org/">shop.org</a>';
    expect(check({ html, text: 'See https://evil.org/ and http://a.org/x' }).links).toMatchObject([
      { url: 'https://evil.org/', text: 'ok', problem: 'text shows another host' },
      { url: 'http://a.org/x', text: '', problem: 'http instead of https' },
    ]);
    const many = Array.from({ length: 500 }, (_, at) => `<a href="https://a.org/${at}">x</a>`).join('');
    expect(check({ html: many }).links).toHaveLength(200);
  });

  test.each([
    ['https://shop.org/verify?token=kJ8sQ2mNv7Lx', 'Open', 'secret'],
    ['https://shop.org/r/4f9d2c81aa3e77b0c6', 'Open', 'secret'],
    ['https://shop.org/once', 'Sign in', 'magic_link'],
    ['https://shop.org/unsubscribe', 'x', 'unsubscribe'],
    ['https://shop.org/prefs', 'Abmelden', 'unsubscribe'],
    ['mailto:a@shop.org', 'x', 'not_web'],
    ['https://shop.org/help/shipping', 'Shipping', null],
  ])('to %s with the text %p is never requested, because it is: %p', (url, text, skipReason) => {
    const html = `<a href="${url}">${text}</a>`;
    expect(check({ html, magic_link: 'https://shop.org/once' }).links[0]).toMatchObject({ url, skipReason });
  });

  test.each([
    ['https://shop.org/once#top', 'magic_link'],
    ['HTTPS://SHOP.org:443/x/../once', 'magic_link'],
    ['http://shop.org/once', 'magic_link'],
    ['https://click.shop.org/?u=https%3A%2F%2Fshop.org%2Fonce', 'magic_link'],
    ['https://shop.org/e/7', 'unsubscribe'],
    ['https://shop.org/e/7#x', 'unsubscribe'],
    ['https://shop.org/prefs#bottom', 'unsubscribe'],
    ['https://shop.org/e/8', null],
  ])('to %s makes the same request as one that is never requested: %p', (url, skipReason) => {
    const html = `<a href="${url}">here</a><a href="https://shop.org/prefs">Unsubscribe</a>`;
    const head = `${HEAD}List-Unsubscribe: <mailto:u@shop.org>, <https://shop.org/e/7>\r\n`;
    expect(check({ html, head, magic_link: 'https://shop.org/once' }).links[0]).toMatchObject({
      url,
      skipReason,
    });
  });
});

describe('List-Unsubscribe', () => {
  const ONE_CLICK = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n';
  const read = (lines: string) => check({ head: HEAD + lines }).list_unsubscribe;

  test('allows one click if it has an https address and a List-Unsubscribe-Post header', () => {
    const lines = `List-Unsubscribe: <mailto:u@shop.org>,\r\n <https://shop.org/u/1>\r\n${ONE_CLICK}`;
    const wanted = {
      present: true,
      one_click: true,
      urls: ['mailto:u@shop.org', 'https://shop.org/u/1'],
      problems: [],
    };
    expect(read(lines)).toEqual(wanted);
    const signed = 'DKIM-Signature: v=1; h=from:List-Unsubscribe:\r\n List-Unsubscribe-Post; b=x\r\n';
    expect(read(lines + signed)).toEqual(wanted);
  });

  test.each([
    ['List-Unsubscribe: <mailto:u@shop.org>\r\n', false, ['noPost']],
    ['List-Unsubscribe: https://shop.org/u\r\n', false, ['noAddress', 'noPost']],
    [`List-Unsubscribe: <http://shop.org/u>\r\n${ONE_CLICK}`, false, ['badAddress', 'noHttps']],
    [`List-Unsubscribe: <mailto:u@shop.org>\r\n${ONE_CLICK}`, false, ['noHttps']],
    ['List-Unsubscribe: <https://a.org/u>\r\nList-Unsubscribe-Post: yes\r\n', false, ['wrongPost']],
    [
      `List-Unsubscribe: <https://a.org/u>\r\nList-Unsubscribe: <https://b.org/u>\r\n${ONE_CLICK}`,
      true,
      ['repeated'],
    ],
    [`List-Unsubscribe: <https://a.org/{{id}}>\r\n${ONE_CLICK}`, true, ['placeholder']],
    [`List-Unsubscribe: <https://localhost/u>\r\n${ONE_CLICK}`, true, ['privateHost']],
    [`DKIM-Signature: v=1; h=from:to\r\nList-Unsubscribe: <https://a.org/u>\r\n${ONE_CLICK}`, true, ['unsigned']],
    // biome-ignore format: a row each.
  ] as const)('%p', (lines, isOneClick, problems) => {
    const found = read(lines);
    expect([found.present, found.one_click]).toEqual([true, isOneClick]);
    expect(found.problems).toEqual(problems.map((name) => unsubscribeProblems[name]));
  });

  test('that is missing is not a problem, because not every mail is a newsletter', () => {
    expect(read('')).toEqual({ present: false, one_click: false, urls: [], problems: [] });
  });
});

describe('headers', () => {
  const rules = (mail: Partial<MailToCheck>) => check(mail).headers.map(({ rule }) => rule);
  const without = (name: string) => HEAD.replace(new RegExp(`^${name}:.*\r\n`, 'm'), '');

  test('that are complete have no finding', () => {
    expect(check({}).headers).toEqual([]);
    expect(rules({ head: `${without('To')}To: undisclosed-recipients:;\r\n` })).toEqual([]);
    expect(rules({ head: `${without('To')}Cc: b@c.org\r\n` })).toEqual([]);
  });

  test.each([
    [without('Date'), 'date'],
    [`${HEAD}Date: Mon, 23 Nov 2026 17:09:22 +0000\r\n`, 'date'],
    [`${without('Date')}Date: yesterday\r\n`, 'date'],
    [without('Message-ID'), 'message_id'],
    [`${without('Message-ID')}Message-ID: 1@shop.org\r\n`, 'message_id'],
    [without('From'), 'from'],
    [`${without('From')}From: Shop\r\n`, 'from'],
    [`${HEAD}From: b@shop.org\r\n`, 'from'],
    [without('To'), 'to'],
    [`${without('To')}To: everyone\r\n`, 'to'],
  ] as const)('%p breaks %s', (head, rule) => {
    expect(rules({ head })).toEqual([rule]);
  });

  test('of a mail that is only HTML come with a finding about the missing text', () => {
    expect(rules({ html: '<html lang="en">x', text: '  ' })).toEqual(['text_part']);
    expect(rules({ html: '', text: '' })).toEqual([]);
  });
});

test('a mail is clipped by Gmail above 102 KB of HTML, counted in bytes', () => {
  const measureSize = (html: string) => check({ html, bytes: 7 }).size;
  expect(measureSize('x'.repeat(104_448))).toEqual({ bytes: 7, html_bytes: 104_448, clipped_by: [] });
  expect(measureSize('x'.repeat(104_449)).clipped_by).toEqual(['gmail']);
  expect(measureSize('ä'.repeat(52_225)).clipped_by).toEqual(['gmail']);
});

test('the page on checks lists every problem of links', () => {
  const listed = Array.from(
    readText('docs/checks.md').matchAll(/^\| `([a-zA-Z ]+)` \| /gm),
    ([, name]) => name,
  );
  const rules = ['alt', 'contrast', 'lang', 'heading', 'link', 'date', 'from', 'to'];
  expect(listed.filter((name) => !rules.includes(name!)).sort()).toEqual(Object.values(linkProblems).sort());
});
