/** Text in charsets that switch between ASCII and other characters. */
import { describe, expect, test } from 'bun:test';
import { parseMail, parseSlowly } from '../../../../src/platform/mail/parse.ts';

async function parse(mail: string) {
  const bytes = Buffer.from(mail.replaceAll('\n', '\r\n'), 'latin1');
  const { summary, content } = await parseMail(bytes);
  expect({ summary, content }).toEqual(await parseSlowly(bytes));
  return { ...summary, ...content };
}

const encode = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const typed = (type: string, body: string, encoding: string) =>
  parse(`From: a@b.example\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}`);

describe('a text in seven bits that is not ASCII', () => {
  const korean = '\x1b$)C\n\x0e7N1W@N\x0f \x0eDZ5e4B\x0f 482913';
  const texts: [charset: string, bytes: string, shown: string][] = [
    ['iso-2022-kr', korean, '\n로그인 코드는 482913'],
    ['', korean, '\n로그인 코드는 482913'],
    ['us-ascii', korean, '\n로그인 코드는 482913'],
    ['iso-2022-cn', '\x1b$)A\x0eDz5DQiV$BkJG\x0f 482913', '您的验证码是 482913'],
    ['iso-2022-cn', '\x1b$)A\x0eDz5D\n482913', '您的\n482913'],
    ['iso-2022-cn', '\x1b$)A\x0eDz\x1b$)G|Sx}\x1b$)A5D\x0f 482913', '您〓〓的 482913'],
    ['hz-gb-2312', '~{Dz5DQiV$BkJG~} 482913 ~~ ~\n5', '您的验证码是 482913 ~ 5'],
    ['HZ', '~{Dz5D\n482913', '您的\n482913'],
  ];
  for (const [charset, bytes, shown] of texts) {
    const type = `text/plain${charset && `; charset=${charset}`}`;
    test(`is read as declared: ${charset || 'undeclared'}, ${JSON.stringify(shown)}`, async () => {
      expect((await typed(type, bytes, '7bit')).text).toBe(shown);
      expect((await typed(type, encode(bytes.replaceAll('\n', '\r\n')), 'base64')).text).toBe(shown);
    });
  }

  test('is read in a header field too', async () => {
    const words = `=?iso-2022-kr?B?${encode('\x1b$)C\x0e7N1W@N\x0f 482913')}?= =?hz?Q?~{Dz5D~}?=`;
    expect((await parse(`From: a@b.example\nSubject: ${words}\n\nx`)).subject).toBe('로그인 482913您的');
  });

  test('is UTF-8 if that is what was sent', async () => {
    const text = '验证码 482913';
    const bytes = Buffer.from(text).toString('latin1');
    for (const charset of ['iso-2022-kr', 'iso-2022-cn', 'hz-gb-2312']) {
      expect((await typed(`text/plain; charset=${charset}`, bytes, '8bit')).text).toBe(text);
      expect((await parse(`Subject: =?${charset}?B?${encode(bytes)}?=\n\nx`)).subject).toBe(text);
    }
  });

  test('keeps a tilde of HZ that begins nothing', async () => {
    const text = 'https://acme.example/~ann/ ~/x ~';
    expect((await typed('text/plain; charset=hz-gb-2312', text, '7bit')).text).toBe(text);
  });

  test('is not guessed if it is HZ, which can be anything', async () => {
    const text = 'if (~{x}) ~}';
    for (const type of ['text/plain', 'text/plain; charset=utf-8', 'text/plain; charset=iso-8859-1'])
      expect((await typed(type, text, '7bit')).text).toBe(text);
  });
});
