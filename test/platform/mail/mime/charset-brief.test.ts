/** The charset of undeclared subjects that are too short for frequencies: one word, or a few letters. */
import { expect, test } from 'bun:test';
import { parseMail } from '../../../../src/platform/mail/parse.ts';

/** Each character of the subject stands for one byte. */
async function readSubject(subject: string): Promise<string> {
  const { summary } = await parseMail(Buffer.from(`Subject: ${subject}\r\n\r\nx\r\n`, 'latin1'));
  return summary.subject;
}

test.each([
  ['shift_jis', 'お知らせ', 'gqiSbYLngrk='],
  ['shift_jis', '認証コード', 'lEaP2INSgVuDaA=='],
  ['euc-jp', 'ご確認', 'pLSzzsen'],
  ['gb18030', '您好', 'xPq6ww=='],
  ['gb18030', '验证码', '0enWpMLr'],
  ['gb18030', 'Re: 登录 482913', 'UmU6ILXHwrwgNDgyOTEz'],
  ['big5', '驗證碼', 'xefD0r1Y'],
  ['euc-kr', '안녕', 'vsiz5w=='],
  ['euc-kr', '인증번호', 'wM7B9bn4yKM='],
])('a raw subject of one word is read as %s: %s', async (_, shown, base64) => {
  expect(await readSubject(Buffer.from(base64, 'base64').toString('latin1'))).toBe(shown);
});

test.each([
  'äöüß ÄÖÜ äöüÄÖÜß ÄäÖöÜüß',
  'æøå ÆØÅ æøåÆØÅ ÆæØøÅå åäö ÅÄÖ ÅåÄäÖö',
  'áéíóú ÁÉÍÓÚ áéíóúñü áéíóúÁÉÍÓÚ ÁáÉéÍíÓóÚú ñÑ',
  'àèìòù ÀÈÌÒÙ éèàùç ÉÈÀÙÇ âêîôû ÂâÊêÎîÔôÛû çãõ ÇÃÕ ÇçÃãÕõ',
  '°±²³ £¥ ¼½¾ ©® ¡¿ ±½ ÷× §¶ ªº',
  'Café Año Über Élève Été Não Ação À été Þú þæð Ýsland',
])('a raw subject of few Western letters stays as it is: each of %s', async (words) => {
  for (const word of words.split(' ')) {
    for (const subject of [word, `${word}!`, `Re: ${word}`, `«${word}»`, `${word} ${word}`]) {
      expect(await readSubject(subject)).toBe(subject);
    }
  }
});
