import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';

const mail = (parts: Partial<Parameters<typeof extract>[0]>) =>
  extract({ subject: '', from: 'Acme <no-reply@acme.example>', text: '', html: '', ...parts });

describe('the normal form of a code', () => {
  const forms: [written: string, code: string][] = [
    ['Your verification code is 482913', '482913'],
    ['Your verification code is 482 913.', '482913'],
    ['Your verification code is 482-913.', '482913'],
    ['Your verification code is 482\u00a0913', '482913'],
    ['Your verification code is 482\u2009913', '482913'],
    ['Your verification code: 4 8 2 9 1 3', '482913'],
    ['G-482913 is your verification code.', '482913'],
    ['Your login code is 4829', '4829'],
    ['Your one-time password: 04352398', '04352398'],
    ['Your sign-in code: ABCD-EFGH', 'ABCD-EFGH'],
    ['Your sign-in code: abC4-9xQz', 'abC4-9xQz'],
    ['Your sign-in code is X7QK2M.', 'X7QK2M'],
    ['Your code:\n\n@acme.example #482913', '482913'],
    ['Your verification code is ４８２９１３', '482913'],
    ['رمز التحقق: ٤٨٢٩١٣', '482913'],
    ['کد تایید: ۴۸۲۹۱۳', '482913'],
    ['आपका ओटीपी ४८२९१३ है', '482913'],
    ['আপনার কোড: ৪৮২৯১৩', '482913'],
    ['รหัส OTP ของคุณคือ ๔๘๒๙๑๓', '482913'],
    ['인증번호는 482913입니다', '482913'],
    ['验证码：482913，5分钟内有效', '482913'],
    ['Írja be a 482913-as kódot', '482913'],
    ['Your sign-in code: **4829**', '4829'],
    ['Your sign-in code is **482913**.', '482913'],
    ['OTP=482913', '482913'],
    ['Code=482913', '482913'],
    ['Your login at Acme\n\nPIN=4829', '4829'],
    ['Your verification code is 482,913.', '482913'],
    ['Verification code: 482,913', '482913'],
    ['Ihr Anmeldecode lautet 482.913.', '482913'],
    ['Su código de acceso es 482.913', '482913'],
    ['Il tuo codice di accesso: 482.913', '482913'],
    ['Your code is 2025.', '2025'],
    ['Your sign-in code is 48.29.13.', '482913'],
    ['Your sign-in code: 04 61 66', '046166'],
    ['Your sign-in code: 04-61-66', '046166'],
    // A part of each looks like a sum, a time, a version, the digits of a card or an hour.
    ['Your sign-in code: 4FT7-9TL2', '4FT7-9TL2'],
    ['Your sign-in code: 7KQ6J9RS', '7KQ6J9RS'],
    ['Your sign-in code: KR3NGDBB', 'KR3NGDBB'],
    ['Your sign-in code: 86CV-KR27-I0KA', '86CV-KR27-I0KA'],
    ['Your sign-in code: DU3H32X7', 'DU3H32X7'],
    ['Your sign-in code: V015L9', 'V015L9'],
    ['Your sign-in code: V943-S0RU', 'V943-S0RU'],
    ['Your sign-in code: 7v1xx-18nvk', '7v1xx-18nvk'],
    ['Your sign-in code: QX7K-29PM-4T', 'QX7K-29PM-4T'],
    ['Your sign-in code: XIE5-D9AM', 'XIE5-D9AM'],
    ['Your sign-in code: QX62-47FT', 'QX62-47FT'],
    ['请打开https://acme.example/login，输入验证码482913', '482913'],
  ];
  for (const [written, code] of forms) {
    test(`of ${JSON.stringify(written)} is ${code}`, () => {
      expect(mail({ text: written }).otp).toBe(code);
    });
  }
});

describe('a code is found', () => {
  const footer = 'Acme Ltd, 12 High Street, Leeds · Tel. 0113 496 0018';

  test('whose letters no word has, after a digit', () => {
    expect(mail({ text: `Code below.\n\n9SHTNW\n\n${footer}` }).otp).toBe('9SHTNW');
  });

  test('at the start of a sentence that says what it is', () => {
    expect(mail({ text: '12768 是您的 Acme 驗證碼。' }).otp).toBe('12768');
    expect(mail({ text: '12768 е вашият код.' }).otp).toBe('12768');
    expect(mail({ text: '12768이 코드입니다.' }).otp).toBe('12768');
  });

  test('in a mail about an order that calls it a code', () => {
    const from = 'Shop <orders@shop.example>';
    expect(mail({ from, subject: 'Your Order 42', text: 'Your code is 482913.' }).otp).toBe('482913');
    expect(mail({ from, subject: 'Your Order 42', text: 'Your order number is 482913.' }).otp).toBeNull();
    expect(
      mail({ from, subject: 'Your Order 42', text: 'Your parcel 482913 is on its way.' }).otp,
    ).toBeNull();
  });
});

describe('a code that is also in the link', () => {
  const findIn = (url: string) =>
    mail({
      subject: 'Confirm your address',
      html: `<p>Press the button below to confirm your address. (8K2M4QX7)</p><a href="${url}">Confirm</a><p>If you did not ask for this, ignore it.</p>`,
    }).otp;

  test('is found if a parameter of the link is named so', () => {
    expect(findIn('https://acme.example/verify?user=4029118&amp;code=8K2M4QX7')).toBe('8K2M4QX7');
    expect(findIn('https://acme.example/login/confirm?otp=8K2M4QX7&amp;lang=en')).toBe('8K2M4QX7');
  });
  test('is not if the link is for something else', () => {
    expect(findIn('https://acme.example/shop?code=8K2M4QX7')).toBeNull();
    expect(findIn('https://acme.example/verify?user=8K2M4QX7')).toBeNull();
  });
});

test('a code is found in brackets after what it is called', () => {
  const html =
    '<p>Press the button below to confirm your address. (Code 4829)</p><p>Acme, invoice 77100292</p>';
  expect(mail({ subject: 'Confirm your address', html }).otp).toBe('4829');
});

test.each(['NIF 12345678Z. Su código es 482913', 'Код 482913. ИНН 7701234567'])(
  'a number of the reader beside a code does not make it small print: %s',
  (text) => {
    expect(mail({ subject: 'Acme', text }).otp).toBe('482913');
  },
);

test('the numbers of a company in the small print do not make a mail about an order', () => {
  const small = 'Acme GmbH, HRB 77100, USt-IdNr. DE402911877, Acme SARL, SIRET 552 100 554 00013';
  for (const text of ['Your code: 8K2M4QX7', 'Use this code to confirm your address (8K2M4QX7)']) {
    const html = `<p>${text}</p><p>${small}</p>`;
    expect(mail({ subject: 'Confirm your address', html }).otp).toBe('8K2M4QX7');
  }
});

describe('no code is the postal code of an address', () => {
  for (const label of ['Codi postal', 'Kodi postar', 'Pašto kodas', 'Pasta indekss', 'Пощенски код']) {
    test(`by its label: ${label}`, () => {
      const text = `Acme\n${label}: 79399\nTelefon: 071 254 51 59`;
      expect(mail({ subject: 'Acme', text }).otp).toBeNull();
    });
  }

  const addresses = [
    'Acme GmbH\nMusterweg 17\n20095 Hamburg',
    'Acme SARL\n12 rue des Lilas\n75011 Paris',
    'Acme AB\nStorvägen 4\n111 43 Stockholm',
    'Acme B.V.\nMolengracht 241\n1016 EA Amsterdam',
    'ООО «Акме»\nул. Мирная, 7\n125009 Москва',
  ];
  for (const address of addresses) {
    test(address.replaceAll('\n', ', '), () => {
      const text = `Confirm your new address:\nhttps://acme.example/confirm/9fK2mQ7xWb3LtZ8r\n\nThe link is valid for one day.\n\n${address}`;
      expect(mail({ subject: 'Confirm your address', text }).otp).toBeNull();
      expect(mail({ subject: 'Redigera', html: `<p>${text.replaceAll('\n', '<br>')}</p>` }).otp).toBeNull();
    });
  }
});

describe('what a person sees', () => {
  const code = 'Your sign-in code:';
  const htmls: [what: string, html: string, otp: string][] = [
    [
      'digits over spans',
      `<p>${code}</p><p><span>4</span><span>8</span><span>2</span><span>9</span></p>`,
      '4829',
    ],
    [
      'digits over cells',
      `<p>${code}</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>`,
      '482913',
    ],
    ['groups over cells', `<p>${code}</p><table><tr><td>482</td><td>913</td></tr></table>`, '482913'],
    [
      'groups in cells, with a dash between them',
      `<p>${code}</p><table><tr><td>482</td><td>-</td><td>913</td></tr></table>`,
      '482913',
    ],
    ['a crossed-out one before it', `<p>${code} <s>111222</s> <b>482913</b></p>`, '482913'],
    [
      'another one before it, crossed out by a style',
      `<p>${code} <span style="text-decoration: line-through">111222</span> <b>482913</b></p>`,
      '482913',
    ],
    ['a field for codes', `<p>Hello</p><input autocomplete="one-time-code" value="482913">`, '482913'],
    ['a field with it', `<p>${code}</p><input type="text" readonly value="482913">`, '482913'],
    [
      'a field for each digit',
      `<p>${code}</p><form>${[...'482913'].map((digit) => `<input value="${digit}"> `).join('')}</form>`,
      '482913',
    ],
    ['a hidden field before it', `<input type="hidden" value="111222"><p>${code} 482913</p>`, '482913'],
    ['an element named so', '<p>Hello from Acme</p><p class="verification-code">482913</p>', '482913'],
    ['a picture of it', `<p>${code}</p><img src="https://acme.example/c.png" alt="482913">`, '482913'],
    ['zero-width characters inside', `<p>${code} 48&#8203;29&zwnj;13</p>`, '482913'],
    [
      'a hidden number before it',
      `<div style="display:none">${code} 111222</div><p>${code} 482913</p>`,
      '482913',
    ],
    [
      'a number hidden by a style sheet',
      `<style>.pre{font-size:0;max-height:0}</style><div class="pre">${code} 111222</div><p>${code} 482913</p>`,
      '482913',
    ],
    [
      'a comment for Outlook',
      `<!--[if mso]><p>${code} 111222</p><![endif]--><p>${code} 482913</p>`,
      '482913',
    ],
    ['a script', `<script>var code = "111222"</script><p>${code} 482913</p>`, '482913'],
    [
      'type of size nought around it',
      `<td style="font-size:0"><p style="font-size:20px">${code} 482913</p></td>`,
      '482913',
    ],
  ];
  for (const [what, html, otp] of htmls) {
    test(`is read through ${what}`, () => {
      expect(mail({ html }).otp).toBe(otp);
    });
  }

  test('is found in the subject even when it is only there', () => {
    expect(mail({ subject: '482913 is your verification code', text: 'See the subject.' }).otp).toBe(
      '482913',
    );
  });

  test.each(['PD: Kod', 'Enc: Código', 'VL: Koodi', 'İlt: Kod', '転送: コード', '전달: 코드'])(
    'is the code of a quote that is forwarded: %s',
    (subject) => expect(mail({ subject, text: '> Your sign-in code is 482913' }).otp).toBe('482913'),
  );

  test('is the new code, not a quoted one', () => {
    const text = 'Your new login code is 482913\n\nOn Fri, Acme wrote:\n> Your login code is 111222\n';
    expect(mail({ text }).otp).toBe('482913');
  });
});

describe('the code beside another number', () => {
  const texts: [otp: string, text: string][] = [
    ['482913', 'รหัส OTP ของคุณคือ 482913 (Ref: KXQP) รหัสมีอายุ 5 นาที'],
    ['482913', 'Your verification code for ticket 77100292 is 482913.'],
    ['482913', 'Ref=77100292 OTP=482913'],
    ['482913', 'OTP=482913 [รหัสอ้างอิง: ABXD] เพื่อเข้าสู่ระบบ'],
    ['482913', '<OTP 482913> รหัสอ้างอิง <KXQP> จำนวนเงิน 1,499.00 บาท'],
    ['482913', 'Order 77100292\nSign-in code 482913 (order 77100292)'],
    [
      '482913',
      'Dear Customer, 482913 is the OTP for transaction of INR 1499.00 at SHOP on your card ending 1337. OTP valid till 14:29. Call 18001234567 if not you.',
    ],
    ['482913', 'Your email code is 482913. Your phone code was sent by SMS to +49 171 ***77.'],
    ['482913', 'Ihre smsTAN: 482913. Auftrag: SEPA-Überweisung 250,00 EUR auf DE89...3000'],
    ['482913', 'Die TAN für Ihre Überweisung über 250,00 EUR lautet 482913.'],
    ['48291', 'Hola: tu clave de firma es 48291. Úsala para confirmar el Bizum de 75,00 € a ***412.'],
    ['4829', 'Kertakäyttöinen tunnuslukusi on 4829. Henkilötunnus 010190-123A.'],
  ];
  for (const [otp, text] of texts)
    test(`in ${JSON.stringify(text)} is ${otp}`, () => expect(mail({ text }).otp).toBe(otp));
});

describe('no candidate is', () => {
  const texts: Record<string, string> = {
    'an order': 'Thank you! Your order number is 482913. Total: $20.00',
    'a year': 'Our conference is back in 2026. See you there!',
    'a telephone number': 'Call us to verify your account: +1 415 555 0134',
    'a card': 'We charged your card ending in 4829.',
    'a promotion': 'Use promo code SAVE20 at checkout for 20% off',
    'a parcel of UPS':
      'Confirm your address to see where this is:\n1Z9WBKXAZS93412239\nNever share your password. It expires soon.',
    'a parcel': 'Tracking number: 48291300. Your parcel arrives on 21.11.2026 at 14:30.',
    'a meeting':
      'Join Zoom Meeting\nhttps://zoom.us/j/98765432101\n\nMeeting ID: 987 6543 2101\nPasscode: 482913',
    'a game': 'Hi Ann,\n\nThe quiz starts at 7 pm. Game PIN: 1234567\nHave fun!',
    'a version of three pairs': 'Your account: Acme was updated to 48.29.13.',
    'a time with full stops': 'New sign-in to your account at 23.59.59 from Vienna.',
    'a sum, a time or a version with letters':
      'Sign in: 1200Ft, 50kr, Rs99, 9-11pm, 12h30, v12, V2.10, card XX-1234.',
    'a value in a log': 'uid=77100 pid=48291 request id=482913 took 1203 ms',
    'a bill with a word about codes':
      'Total $129.00, tax $8.29, shipping $4.99. Order 482913. Use your passcode at pickup.',
    'a code in a log': 'errno=4829 code=482913 token=77100',
    'a masked number': 'Account *****4829 and ****1203**** were closed.',
    'a card in bold': 'We charged your card **4829**.',
    'a sum': 'You sent $4,829.13 to Ann. Confirm it in the app.',
    'a statement':
      'Your statement is ready. For your security, never share your passcode or PIN. Statement number 000482.',
    'a booking in Mexico':
      'Vuelo VB 2210 · 14 dic 2026 · CUN–MEX · Asiento 14C\nCódigo de reservación: LMZ9QA. Boleto 837 2244 190 551.',
    'a student in Thailand': 'นักศึกษารหัส 650510123 กรุณาตั้งรหัสผ่านใหม่',
    'an issue in Poland': 'Wydanie 4410: kody i szyfry',
    'a quoted old one': 'Thanks, that worked!\n\nOn Fri, Acme wrote:\n> Your login code is 482913\n',
  };
  for (const [what, text] of Object.entries(texts)) {
    test(what, () => {
      expect(mail({ text }).otp).toBeNull();
    });
  }

  test('the value of a button, or of a field to search', () => {
    const html =
      '<p>Sign in to see:</p><input type="search" value="482913"><input type="submit" value="482913">';
    expect(mail({ html }).otp_candidates).toEqual([]);
  });

  const answered =
    '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Acme</div><div>Your sign-in code is 482913</div>';

  test('the code of the mail that a reply from Outlook on the web quotes', () => {
    expect(mail({ subject: 'Re: Code', html: `<div>It worked.</div>${answered}` }).otp).toBeNull();
    expect(mail({ subject: 'Fw: Code', html: `<div>See below.</div>${answered}` }).otp).toBe('482913');
  });

  test('reported with a confidence or a context', () => {
    const found = mail({ text: texts['an order']! });
    expect(found.otp_confidence).toBe(0);
    expect(found.otp_context).toBeNull();
    expect(found.otp_candidates[0]?.code).toBe('482913');
  });
});

describe('candidates', () => {
  test('come best first, at most ten, each with a confidence from 0 to 1', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => `Item ${482913 + index * 7}`).join('\n');
    const { otp_candidates } = mail({ text: `Your login code is 771204.\n${numbers}` });
    expect(otp_candidates).toHaveLength(10);
    expect(otp_candidates[0]?.code).toBe('771204');
    const confidences = otp_candidates.map(({ confidence }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((one, other) => other - one));
    for (const confidence of confidences) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });

  test('have a context of at most 80 characters that contains the code', () => {
    const long = 'a rather long sentence that goes on and on '.repeat(5);
    const { otp_context } = mail({ text: `${long} your verification code is 482913 and ${long}` });
    expect(otp_context).toContain('482913');
    expect(otp_context!.length).toBeLessThanOrEqual(80);
  });

  test('have the line before as context if they are alone on their line', () => {
    const { otp_context } = mail({ html: '<p>Your sign-in code:</p><h1>482913</h1>' });
    expect(otp_context).toBe('Your sign-in code: 482913');
  });
});
