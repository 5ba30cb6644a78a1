/** Text whose charset is missing, unknown or wrong. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findWestern } from '../../../../src/platform/mail/mime/charset.ts';
import { guessCharset } from '../../../../src/platform/mail/mime/charset-guess.ts';
import { parseMail, parseSlowly } from '../../../../src/platform/mail/parse.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

/** The bytes of a text in which each character stands for one byte. */
async function parse(mail: string) {
  const bytes = Buffer.from(mail.replaceAll('\n', '\r\n'), 'latin1');
  const { summary, content } = await parseMail(bytes);
  const slow = await parseSlowly(bytes);
  expect({ summary, content }).toEqual(slow);
  return { ...summary, ...content };
}

/** The UTF-8 of a text. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const encode = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const toQuoted = (bytes: string) =>
  bytes.replace(/[\x80-\xff=]/g, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase()}`);

const typed = (type: string, body: string, encoding = '8bit') =>
  parse(`From: a@b.example\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}`);

const WESTERN = 'Gr\xfc\xdfe f\xfcr 5 \x80';
const SHOWN = 'Grüße für 5 €';

describe('a text whose charset is not declared, or says nothing', () => {
  const names = [
    ...['', 'us-ascii', 'ascii', 'utf-8', 'UTF8', 'utf8mb4', 'ANSI_X3.4-1968', 'us', '8bit', 'binary'],
    ...['unknown-8bit', 'x-unknown', 'ansi_x3.110', 'x-user-defined', '{charset}', 'iso-8859', 'none'],
  ];

  for (const name of names) {
    const type = `text/plain${name && `; charset="${name}"`}`;

    test(`is read as UTF-8 if it is UTF-8, otherwise as windows-1252: ${name || 'none'}`, async () => {
      for (const [bytes, shown] of [
        [WESTERN, SHOWN],
        [utf8('Grüße 日本 😀'), 'Grüße 日本 😀'],
      ] as const) {
        expect((await typed(type, bytes)).text).toBe(shown);
        expect((await typed(type, encode(bytes), 'base64')).text).toBe(shown);
        expect((await typed(type, toQuoted(bytes), 'quoted-printable')).text).toBe(shown);
        expect((await typed(`${type}; format=flowed`, `${bytes} \nx`)).text).toBe(`${shown} x`);
      }
    });
  }

  test('is read as UTF-8 even if a character is cut in two, and nothing else is lost', async () => {
    expect((await typed('text/plain; charset=utf-8', `${utf8('Grüße für äöü')} \xe2\x82`)).text).toBe(
      'Grüße für äöü �',
    );
  });

  test('is read as UTF-8 even if its sender had already lost a character', async () => {
    for (const text of ['lost: \ufffd', 'lost: \ufffd, Escape: \x1b['])
      expect((await typed('text/plain; charset=utf-8', utf8(text))).text).toBe(text);
  });

  test('is read in the charset that its byte order mark or its HTML names', async () => {
    const wide = Buffer.from('\ufeffCode 123456', 'utf16le').toString('latin1');
    expect((await typed('text/plain', encode(wide), 'base64')).text).toBe('Code 123456');
    const html = '<meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>';
    expect((await typed('text/html', html)).html).toContain('<p>Привет</p>');
    expect((await typed('text/html', html.replace('windows-1251', 'no-such-charset'))).html).toContain('<p>');
  });

  test('is read as Japanese if it has the escapes of ISO-2022-JP', async () => {
    const japanese = '\x1b$B$3$s$K$A$O\x1b(B abc';
    expect((await typed('text/plain', japanese)).text).toBe('こんにちは abc');
    expect((await typed('text/plain', encode(japanese), 'base64')).text).toBe('こんにちは abc');
    expect((await typed('text/plain', 'a \x1b$ b')).text).toBe('a \x1b$ b');
  });
});

describe('undeclared text in another script', () => {
  test.each([
    [
      'windows-1251',
      'Здравствуйте! Ваш код подтверждения: 482913.',
      'x+Tw4OLx8uLz6fLlISDC4Pgg6u7kIO/u5PLi5fDm5OXt6P86IDQ4MjkxMy4=',
    ],
    [
      'koi8-r',
      'Здравствуйте! Ваш код подтверждения: 482913.',
      '+sTSwdfT1NfVytTFISD3wdsgy8/EINDPxNTXxdLWxMXOydE6IDQ4MjkxMy4=',
    ],
    [
      'gb18030',
      '您好，您的验证码是 482913，请在十分钟内输入。',
      'xPq6w6OsxPq1xNHp1qTC68rHIDQ4MjkxM6Osx+vU2squt9bW08TayuTI66Gj',
    ],
    [
      'big5',
      '您好，您的驗證碼是 482913，請在十分鐘內輸入。',
      'sXqmbqFBsXqqusXnw9K9WKxPIDQ4MjkxM6FBvdCmYqRRpMDEwaS6v+mkSqFD',
    ],
    [
      'shift_jis',
      '確認コードは 482913 です。アプリに入力してください。',
      'im2URoNSgVuDaILNIDQ4MjkxMyCCxYK3gUKDQYN2g4qCyZP8l82CtYLEgq2CvoKzgqKBQg==',
    ],
    [
      'euc-jp',
      '確認コードは 482913 です。アプリに入力してください。',
      's87Hp6WzobylyaTPIDQ4MjkxMyCkx6S5oaOloqXXpeqky8b+zs+kt6TGpK+kwKS1pKShow==',
    ],
    [
      'euc-kr',
      '인증번호는 482913입니다. 화면에 입력해 주세요.',
      'wM7B9bn4yKO0wiA0ODI5MTPA1LTPtNkuIMituOm/oSDA1LfCx9ggwda8vL/kLg==',
    ],
    [
      'windows-1253',
      'Ο κωδικός επιβεβαίωσής σας είναι 482913.',
      'zyDq+eTp6vzyIOXw6eLl4uHf+fPe8iDz4fIg5d/t4ekgNDgyOTEzLg==',
    ],
    [
      'windows-1255',
      'קוד האימות שלך לכניסה למערכת הוא 482913.',
      '9+XjIOTg6e7l+iD57Oog7Ovw6fHkIOzu8vjr+iDk5eAgNDgyOTEzLg==',
    ],
    [
      'windows-1256',
      'رمز التحقق الخاص بك هو 482913. لا تشاركه مع أحد.',
      '0ePSIMfhys3e3iDH4c7H1SDI3yDl5iA0ODI5MTMuIOHHIMrUx9Hf5SDj2iDDzc8u',
    ],
    [
      'iso-8859-6',
      'رمز التحقق الخاص بك هو 482913. لا تشاركه مع أحد.',
      '0eXSIMfkys3i4iDH5M7H1SDI4yDn6CA0ODI5MTMuIOTHIMrUx9Hj5yDl2SDDzc8u',
    ],
    [
      'windows-874',
      'รหัสยืนยันของคุณคือ 482913 กรุณากรอกภายในสิบนาที',
      'w8vRysLXucLRuaLNp6TYs6TXzSA0ODI5MTMgocPYs9Khw82hwNLC47nK1Lq50rfV',
    ],
  ])('is recognised: %s', async (_, shown, base64) => {
    const bytes = Buffer.from(base64, 'base64').toString('latin1');
    for (const type of ['text/plain', 'text/plain; charset=us-ascii', 'text/plain; charset=x-unknown']) {
      expect((await typed(type, bytes)).text).toBe(shown);
      expect((await typed(type, base64, 'base64')).text).toBe(shown);
      expect((await typed(type, toQuoted(bytes), 'quoted-printable')).text).toBe(shown);
    }
    expect((await typed('text/html', `<p>Hello</p><p>${bytes}</p>`)).html).toContain(`<p>${shown}</p>`);
    expect((await parse(`Subject: ${bytes}\n\nx\n`)).subject).toBe(shown);
    // Too short to tell.
    expect((await typed('text/plain', bytes.slice(0, 3))).text).not.toBe(shown.slice(0, 3));
  });

  test.each([
    'INFORMAÇÃO, CONFIRMAÇÃO, DOAÇÕES, NÃO, ATENÇÃO',
    'Þá er þó íþá á öðó, þýð æðá óáð',
    'à à à où ça, déjà là, À É È Ç',
    'ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ ÍÍÍÍÍÍÍÍÍÍÍÍÍÍÍÍ',
    '°°°°°°°°°°° ·········· »»»»»»»»»» ¯¯¯¯¯¯¯¯¯¯¯¯',
    'ßäöü ÄÖÜß äöüß éèêë',
    'þæð öäü éàè ñóí áéí ýþð',
  ])('is not found in Western letters: %s', async (text) => {
    expect((await typed('text/plain', text)).text).toBe(text);
  });

  test('is not found in our own mails in Western languages', () => {
    const western = (['fit', 'held', 'more', 'software'] as const)
      .flatMap((set) => ownMails(set))
      .flatMap(({ text, html, subject }) => [text, html, subject])
      .filter((text) => /[\x80-\xff]/.test(text) && /^[\p{ASCII}\xa0-\xff]*$/u.test(text));
    expect(western.length).toBeGreaterThan(50);
    expect(western.filter((text) => guessCharset(Buffer.from(text, 'latin1')) !== null)).toEqual([]);
  });

  test('is not found in any words of Western letters', () => {
    const word = fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ÿ]{1,3}[a-z]{1,6}[à-öø-ÿ]?$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 3, maxLength: 60 }), (words) => {
        expect(guessCharset(Buffer.from(words.join(' '), 'latin1'))).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test('is searched for in any bytes without an error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void guessCharset(bytes)));
  });

  test('is searched for only in the beginning of a long text', () => {
    const bytes = Buffer.from('\xcf\xf0\xe8 \xb0\xa1z'.repeat(400_000), 'latin1');
    const start = cpuMs();
    for (let times = 0; times < 10; times++) guessCharset(bytes);
    expect(cpuMs() - start).toBeLessThan(200);
  });
});

describe('a text that is declared as Latin-1', () => {
  test.each(['iso-8859-1', 'ISO_8859-1', 'latin1', 'windows-1252', 'iso-8859-15'])(
    'is read as UTF-8 if it is UTF-8: %s',
    async (charset) => {
      for (const shown of ['Grüße für dich', 'Votre code de vérification', 'Hi 日本', 'Your code – 5']) {
        const type = `text/plain; charset=${charset}`;
        expect((await typed(type, utf8(shown))).text).toBe(shown);
        expect((await typed(type, toQuoted(utf8(shown)), 'quoted-printable')).text).toBe(shown);
        const word = `=?${charset}?Q?${toQuoted(utf8(shown)).replaceAll(' ', '_')}?=`;
        expect((await parse(`Subject: ${word}\n\nx`)).subject).toBe(shown);
      }
    },
  );

  test('is read as UTF-8 if it is valid and has two characters beyond ASCII', () => {
    const read = findWestern('iso-8859-1')!;
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(read(Buffer.from(`${text}éü`))).toBe(`${text}éü`);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [
      'windows-1251',
      'Здравствуйте! Ваш код подтверждения: 482913.',
      'x+Tw4OLx8uLz6fLlISDC4Pgg6u7kIO/u5PLi5fDm5OXt6P86IDQ4MjkxMy4=',
    ],
    [
      'gb18030',
      '您好，您的验证码是 482913，请在十分钟内输入。',
      'xPq6w6OsxPq1xNHp1qTC68rHIDQ4MjkxM6Osx+vU2squt9bW08TayuTI66Gj',
    ],
    ['iso-2022-jp', '確認コードは 482913 です。', 'GyRCM05HJyUzITwlSSRPGyhCIDQ4MjkxMyAbJEIkRyQ5ISMbKEI='],
  ])('is read as another script if there is no doubt: %s', async (_, shown, base64) => {
    const bytes = Buffer.from(base64, 'base64').toString('latin1');
    for (const charset of ['iso-8859-1', 'windows-1252']) {
      const type = `text/plain; charset=${charset}`;
      expect((await typed(type, bytes)).text).toBe(shown);
      expect((await typed(type, base64, 'base64')).text).toBe(shown);
      expect((await parse(`Subject: ${bytes}\nContent-Type: ${type}\n\nx\n`)).subject).toBe(shown);
    }
  });

  test('is read as Latin-1 if in doubt', async () => {
    for (const bytes of ['Gr\xfc\xdfe', 'AMANH\xc3\xa0', 'MEN\xdc\xb9', '\xc3\xbc, not \xfc', 'plain'])
      expect((await typed('text/plain; charset=iso-8859-1', bytes)).text).toBe(bytes);
  });
});

test('a charset that is declared and known is believed', async () => {
  for (const [charset, bytes, shown] of [
    ['iso-8859-1', WESTERN, SHOWN],
    ['iso-8859-1', utf8('ü'), 'Ã¼'],
    ['cp-850', 'Gr\x81\xe1e', 'Grüße'],
    ['iso-8859-8-i', '\xf9\xec\xe5\xed', 'שלום'],
    ['koi8-r', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['gb2312', '\xc4\xfa\xba\xc3', '您好'],
    ['big5', '\xb1z\xa6n', '您好'],
    ['ks_c_5601-1987', '\xc0\xce\xc1\xf5', '인증'],
    ['utf-16be', '\0A\0B', 'AB'],
    ['utf-7', 'Gr+APw-e', 'Gr+APw-e'],
  ] as const)
    expect((await typed(`text/plain; charset=${charset}`, encode(bytes), 'base64')).text).toBe(shown);
});

describe('a header field', () => {
  const fields = (lines: string) => parse(`${lines}\n\nx\n`);

  test('in bytes is read as UTF-8 if it is UTF-8, otherwise as windows-1252', async () => {
    const read = await fields(`From: J\xf6rg <a@b.example>\nSubject: ${WESTERN} =?utf-8?Q?=C3=A9?=`);
    expect({ from: read.from, subject: read.subject }).toEqual({
      from: 'Jörg <a@b.example>',
      subject: `${SHOWN} é`,
    });
    expect((await fields(`Subject: ${utf8('Grüße 日本')}`)).subject).toBe('Grüße 日本');
    expect((await fields('Subject: \x1b$B$3$s$K$A$O\x1b(B')).subject).toBe('こんにちは');
  });

  test('in bytes is read in the charset of the mail', async () => {
    const read = await fields('Subject: \xf0\xd2\xc9\xd7\xc5\xd4\nContent-Type: text/plain; charset=koi8-r');
    expect(read.subject).toBe('Привет');
    const multipart = 'Content-Type: multipart/mixed; charset=koi8-r; boundary=b\n\n--b\n\nx\n--b--';
    expect((await fields(`Subject: \xf0\xd2\xc9\xd7\xc5\xd4\n${multipart}`)).subject).toBe('Привет');
  });

  test.each([
    ['=?utf-8?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?us-ascii?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?us-ascii?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?unknown-8bit?B?R3L83w==?=', 'Grüß'],
    ['=?x-unknown*de?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?ANSI_X3.4-1968?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?iso_8859-1:1987?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?utf-8?Q?Forgot_your_password??=', 'Forgot your password?'],
    ['=?utf-8?Q?Why??= =?utf-8?Q?_Gr=C3?= =?utf-8?Q?=BC=C3=9Fe?=', 'Why? Grüße'],
  ])('has the encoded word %s', async (word, shown) => {
    expect((await fields(`Subject: ${word}`)).subject).toBe(shown);
    expect((await fields(`From: ${word} <a@b.example>`)).from).toBe(`${shown} <a@b.example>`);
  });

  test('with words in an unknown charset is read in the charset of the mail', async () => {
    const type = 'Content-Type: text/plain; charset=big5';
    expect((await fields(`Subject: =?big5_tw?Q?=B1z=A6n?=\n${type}`)).subject).toBe('您好');
  });

  test('takes linear time to read', async () => {
    const start = performance.now();
    for (const piece of ['=?a?q?', '=?a?q?x?', '?=', '=?', '\xfc=?x?b?'])
      await fields(`Subject: ${piece.repeat(Math.floor(100_000 / piece.length))}`);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe('the name of an attachment', () => {
  const disposed = async (parameter: string) => {
    const part = `--b\nContent-Type: application/pdf\nContent-Disposition: attachment; ${parameter}\n\nx\n--b--\n`;
    return (await parse(`Content-Type: multipart/mixed; boundary=b\n\n${part}`)).attachments[0]?.filename;
  };

  test.each([
    ['filename="Gr\xfc\xdfe \x96 5.pdf"', 'Grüße – 5.pdf'],
    [`filename="${utf8('Grüße.pdf')}"`, 'Grüße.pdf'],
    ['filename="=?utf-8?Q?Gr=FC=DFe.pdf?="', 'Grüße.pdf'],
    ['filename="=?x-unknown?Q?Gr=FC=DFe.pdf?="', 'Grüße.pdf'],
    ["filename*=utf-8''Gr%FC%DFe.pdf", 'Grüße.pdf'],
    ["filename*=x-unknown''Gr%FC%DFe.pdf", 'Grüße.pdf'],
    ["filename*=''Gr%C3%BC%C3%9Fe.pdf", 'Grüße.pdf'],
    ["filename*0*=gb18030''%C4%FA;\n filename*1*=%BA%C3.pdf", '您好.pdf'],
  ])('is read from %s', async (parameter, shown) => {
    expect(await disposed(parameter)).toBe(shown);
  });
});
