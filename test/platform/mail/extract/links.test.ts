import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { unwrap } from '../../../../src/platform/mail/extract/unwrap.ts';

const mail = (parts: Partial<Parameters<typeof extract>[0]>) =>
  extract({ subject: '', from: 'Acme <no-reply@acme.example>', text: '', html: '', ...parts });

const TOKEN = '9fK2mQ7xWb3LtZ8r';

describe('the link', () => {
  const right = `https://acme.example/verify?token=${TOKEN}`;
  const mails: Record<string, Partial<Parameters<typeof extract>[0]>> = {
    'of a button': {
      html: `<p>Welcome</p><a href="${right}">Verify your email</a><a href="https://acme.example/help">Help</a>`,
    },
    'of a text part': { text: `Verify your email:\n${right}.\n\nHelp: https://acme.example/help` },
    'in angle brackets, broken over lines': {
      text: `Verify your email: <https://acme.example/verify?\ntoken=${TOKEN}>`,
    },
    'of a picture': { html: `<a href="${right}"><img src="b.png" alt="Verify your email"></a>` },
    'of a picture above the small print': {
      subject: 'Confirm your email',
      html: `<a href="https://acme.example/c/${TOKEN}"><img src="b.png" alt="Confirm email"></a><p><a href="https://acme.example/unsubscribe?t=${TOKEN}">Unsubscribe</a> <a href="https://acme.example/privacy">Privacy</a></p>`,
    },
    'with entities in its address': {
      html: `<a href="https://acme.example/verify?a=1&amp;token=${TOKEN}">Verify</a>`,
    },
    'not that of its decline': {
      subject: 'You are invited',
      html: `<a href="https://acme.example/invite/${TOKEN}/decline">Decline</a> <a href="https://acme.example/invite/${TOKEN}">Accept invitation</a>`,
    },
    'not the one to unsubscribe': {
      subject: 'Confirm your email',
      html: `<a href="${right}">Confirm email</a> <a href="https://acme.example/unsubscribe?token=${TOKEN}">Unsubscribe</a>`,
    },
  };
  for (const [what, parts] of Object.entries(mails)) {
    test(what, () => {
      const { magic_link } = mail(parts);
      expect(magic_link).toStartWith('https://acme.example/');
      expect(magic_link).toContain(TOKEN);
      expect(magic_link).not.toMatch(/decline|unsubscribe/);
    });
  }

  test('may have a password of words as its secret', () => {
    const url = 'https://acme.example/loginwithemail?state=abc&password=wavy-baker-silver-moon';
    const html = `<a href="${url.replace('&', '&amp;')}">Click here to log in with this magic link</a>`;
    expect(mail({ subject: 'Your temporary login code', html }).magic_link).toBe(url);
  });

  test('is returned without the wrapper around it', () => {
    const html = `<p>Reset</p><a href="https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(right)}&amp;data=x">Reset password</a>`;
    expect(mail({ subject: 'Reset your password', html }).magic_link).toBe(right);
  });

  test('is null where no link signs in', () => {
    const html = `<p>Big sale!</p><a href="https://t.acme.example/c/${TOKEN}">Shop now</a> <a href="https://acme.example/u/${TOKEN}">Unsubscribe</a>`;
    expect(mail({ subject: 'New arrivals', html }).magic_link).toBeNull();
    expect(
      mail({ subject: 'Your order', text: `Track it: https://acme.example/orders/${TOKEN}` }).magic_link,
    ).toBeNull();
  });

  test('resets a password in Croatian, where the word is that for cancelling', () => {
    const url = `https://acme.example/p/${TOKEN}${TOKEN}`;
    const text = `Poništi lozinku: ${url}`;
    expect(mail({ subject: 'Poništavanje lozinke', text }).magic_link).toBe(url);
  });

  test('is not one with the letters of a short word in a random piece', () => {
    const html = '<p>Ann voted.</p><a href="https://polls.example/p/otp7e22a9Jf3i">Open</a>';
    expect(mail({ subject: 'Ann voted', html }).magic_link).toBeNull();
  });

  test('sets up an account', () => {
    const url = `https://acme.example/setup/${TOKEN}`;
    const html = `<p>Bob has opened an account for you.</p><a href="${url}">Get started</a>`;
    expect(mail({ subject: 'Your account', html }).magic_link).toBe(url);
    expect(mail({ html: html.replace(url, 'https://acme.example/setup') }).magic_link).toBeNull();
  });

  test('is not one that opens a shared document', () => {
    const html = `<p>Somebody sent you a file. The link expires in 7 days.</p><a class="button" href="https://acme.example/share/${TOKEN}">Open</a>`;
    expect(mail({ subject: 'Your file', html }).magic_link).toBeNull();
  });

  test('is never a javascript: or data: address', () => {
    const html = `<a href="javascript:verify('${TOKEN}')">Verify your email</a><a href="data:text/html,${TOKEN}">Confirm</a>`;
    const found = mail({ subject: 'Verify your email', html });
    expect(found.magic_link).toBeNull();
    expect(found.links).toEqual([]);
  });

  test('is never an invisible one', () => {
    const html = `<div style="display:none"><a href="${right}">Verify your email</a></div><p>Hello</p>`;
    expect(mail({ subject: 'Verify your email', html }).magic_link).toBeNull();
  });

  test('is the one that the sender names as its action', () => {
    const action = { '@context': 'http://schema.org', '@type': 'EmailMessage' };
    const target = `https://acme.example/s/${TOKEN}`;
    const json = { ...action, potentialAction: { '@type': 'ConfirmAction', handler: { url: target } } };
    const html = `<script type="application/ld+json">${JSON.stringify(json)}</script><a href="${target}">Start</a>`;
    expect(mail({ subject: 'Welcome', html }).magic_link).toBe(target);
  });
});

describe('a wrapper', () => {
  const target = 'https://acme.example/verify?code=a1b2c3d4e5&x=1';
  const encoded = encodeURIComponent(target);
  const wrapped: Record<string, string> = {
    Google: `https://www.google.com/url?q=${encoded}&source=gmail&usg=AOv`,
    Outlook: `https://nam02.safelinks.protection.outlook.com/?url=${encoded}&data=05`,
    'Proofpoint v1': `https://urldefense.proofpoint.com/v1/url?u=${encoded}&k=x`,
    'Proofpoint v2': `https://urldefense.proofpoint.com/v2/url?u=https-3A__acme.example_verify-3Fcode-3Da1b2c3d4e5-26x-3D1&d=x`,
    'Proofpoint v3': `https://urldefense.com/v3/__https://acme.example/verify?code=a1b2c3d4e5*x=1__;Jg!!AbC!xyz$`,
    'Amazon SES': `https://abc.r.us-east-1.awstrack.me/L0/${encoded}/1/0100/xyz`,
    'a click counter': `https://click.mail.example/?url=${encoded}`,
    'one wrapper in another': `https://www.google.com/url?q=${encodeURIComponent(`https://eur01.safelinks.protection.outlook.com/?url=${encoded}`)}`,
  };
  for (const [what, url] of Object.entries(wrapped)) {
    test(`of ${what} is unwrapped to its target`, () => {
      expect(unwrap(url).url).toBe(target);
    });
  }

  test('that does not contain its target is kept', () => {
    const url = 'https://u1.ct.sendgrid.net/ls/click?upn=u001.Zk3x9QpLw7TnVb2R';
    expect(unwrap(url).url).toBe(url);
  });

  test('is recognised by known hosts only', () => {
    const url = `https://acme.example/login?redirect=${encoded}`;
    expect(unwrap(url).url).toBe(url);
  });
});

describe('the list of links', () => {
  test('has each absolute address once, in order', () => {
    const html = `<a href="https://b.example/">B</a><a href="/relative">R</a><a href="mailto:a@b.example">M</a>
      <a href="#x">X</a><a href="https://a.example/?x=1&amp;y=2">A</a><a href="https://b.example/">B</a><a href="ftp://f.example/">F</a>`;
    const { links } = mail({ html, text: 'https://b.example/ and (https://c.example/d).' });
    expect(links).toEqual([
      'https://b.example/',
      'mailto:a@b.example',
      'https://a.example/?x=1&y=2',
      'https://c.example/d',
    ]);
  });

  test('keeps the parentheses within an address, and drops those around it', () => {
    for (const [text, url] of [
      ['(https://a.example/b)', 'https://a.example/b'],
      ['https://a.example/b_(c)', 'https://a.example/b_(c)'],
      ['(see https://a.example/b_(c)).', 'https://a.example/b_(c)'],
      ['(https://a.example/(b)/c_(d)).', 'https://a.example/(b)/c_(d)'],
    ] as const) {
      expect(mail({ text }).links).toEqual([url]);
    }
  });

  const secret = `https://acme.example/reset/${TOKEN}`;
  test('keeps the last character of a secret, and drops what ends emphasised words', () => {
    for (const [text, url] of [
      [`Reset it at ${secret}_`, `${secret}_`],
      [`Reset it (${secret}-_).`, `${secret}-_`],
      [`${secret}~ is your link`, `${secret}~`],
      [`_Reset it at ${secret}_`, secret],
      [`~~${secret}~~ ~~Reset it at ${secret}~~`, secret],
      ['See https://acme.example/help_', 'https://acme.example/help'],
    ] as const) {
      expect(mail({ text }).links).toEqual([url]);
      expect(mail({ html: `<p>${text}</p>` }).links).toEqual([url]);
    }
  });

  const sentences: [text: string, url: string][] = [
    [`下の${secret}を開いて、パスワードを再設定します。`, secret],
    [`こちら（${secret}）からパスワードを再設定できます`, secret],
    [`密码重置地址：${secret}，一小时后失效`, secret],
    [`请打开「${secret}」重新设置密码`, secret],
    [`비밀번호를 바꾸려면 ${secret}로 가세요`, secret],
    [`비밀번호를 바꾸려면 ${secret}/을 누르세요`, `${secret}/`],
    [`ตั้งรหัสผ่านใหม่ที่${secret}ภายในหนึ่งวัน`, secret],
    [`案内は https://acme.example/wiki/案内 です`, 'https://acme.example/wiki/案内'],
    [`確認: ${secret}?name=太郎`, `${secret}?name=太郎`],
  ];
  for (const [text, url] of sentences) {
    test(`ends an address where the words of a sentence without spaces begin: ${text}`, () => {
      expect(mail({ text }).links).toEqual([url]);
      expect(mail({ html: `<p>${text}</p>` }).links).toEqual([url]);
    });
  }

  test('has at most a hundred, none over 2,000 characters, and says when it was cut', () => {
    const many = Array.from({ length: 150 }, (_, index) => `https://a.example/${index}`).join('\n');
    const found = mail({ text: many });
    expect(found.links).toHaveLength(100);
    expect(found.linksCut).toBe(true);
    const long = mail({ text: `https://a.example/${'x'.repeat(2100)}` });
    expect(long.links).toEqual([]);
    expect(long.linksCut).toBe(true);
    expect(mail({ text: 'https://a.example/' }).linksCut).toBe(false);
  });
});

describe('a link for a reader who did not ask for the mail', () => {
  const url = `https://acme.example/password/new?token=${TOKEN}`;
  const readLink = (subject: string, body: string) => mail({ subject, html: `<p>${body}</p>` }).magic_link;

  test.each([
    [
      'Your password was changed',
      `The password of your account was changed. If this wasn’t you, <a href="${url}">reset it now</a>.`,
    ],
    [
      'A new device',
      `A new device signed in. Don’t recognize the device? <a href="${url}">Change your password</a>`,
    ],
    ['Sign-in', `Wasn’t you? <a href="${url}">Reset your password</a>`],
    ['Neue Anmeldung', `Waren Sie das nicht, dann <a href="${url}">setzen Sie Ihr Passwort zurück</a>.`],
    ['Nouvelle connexion', `Si ce n’était pas vous, <a href="${url}">réinitialisez votre mot de passe</a>.`],
    ['Contraseña cambiada', `Si no fuiste tú, <a href="${url}">restablece tu contraseña</a>.`],
    ['Вход в аккаунт', `Если это были не вы, <a href="${url}">смените пароль</a>.`],
    [
      'New sign-in',
      `If you didn’t sign in, <a href="https://acme.example/account/disable/${TOKEN}">disable your account</a>.`,
    ],
  ])('is not reported: %s', (subject, body) => {
    expect(readLink(subject, body)).toBeNull();
  });

  test('is not reported when its address is on the line below', () => {
    const text = `Your password was changed.\n\nIf this was not you, reset it here:\n${url}`;
    expect(mail({ subject: 'Password changed', text }).magic_link).toBeNull();
  });

  test.each([
    ['on the line of its sentence', `If this was not you, reset your password: ${url}`],
    ['in angle brackets', `If this was not you, reset it here:\n<${url}>`],
    ['after the sentence, in German', `Waren Sie das nicht, setzen Sie Ihr Passwort zurück: ${url}`],
    [
      'behind another one',
      `See https://acme.example/help first. If you do not recognize it, reset your password: ${url}`,
    ],
  ])('is not reported from text when its address is %s', (_, text) => {
    expect(mail({ subject: 'Your password was changed', text }).magic_link).toBeNull();
  });

  test('is not reported when the line above says that it revokes a code', () => {
    const url = `https://acme.example/revoke/one-time-code?id=${TOKEN}`;
    const text = `A one-time code was made for you.\n\n482913\n\nIf you did not ask for it:\n\n1. Revoke this code below\n2. Reset your password\n\nTo revoke the code, click the link below:\n\n${url}`;
    expect(mail({ subject: 'Confirm your identity', text })).toMatchObject({
      otp: '482913',
      magic_link: null,
    });
  });

  test('is not confused with another link of the same words in the line', () => {
    const disown = `https://acme.example/login/disown/${TOKEN}`;
    const signIn = `https://acme.example/login/${TOKEN}`;
    const stranger = `Not you? <a href="${disown}">Click here</a>.`;
    const own = `To sign in, <a href="${signIn}">click here</a>.`;
    for (const click of ['click here', 'Click here'])
      for (const body of [`${stranger} ${own}`, `${own} ${stranger}`])
        expect(readLink('Sign in to Acme', body.replaceAll(/click here/gi, click))).toBe(signIn);
  });

  test.each([
    [
      'Reset your password',
      `If this wasn’t you, ignore this mail. Otherwise <a href="${url}">reset your password</a>.`,
    ],
    ['Reset your password', `If you don’t see the button, <a href="${url}">reset your password here</a>.`],
    ['Reset your password', `You did not set a password yet. <a href="${url}">Set your password</a>.`],
    [
      'Is this your email?',
      `We need to check your address. <a href="https://acme.example/e/c/${TOKEN}">Yes, that’s me</a>`,
    ],
  ])('is not confused with the reader’s own: %s', (subject, body) => {
    expect(readLink(subject, body)).toContain(TOKEN);
  });
});

describe('a link that disables or deletes something', () => {
  const readLink = (subject: string, body: string, path: string, label: string, html = true) => {
    const url = `https://acme.example/${path}${TOKEN}`;
    const button = `<p>${body}</p><p><a class="button" href="${url}">${label}</a></p>`;
    return mail(html ? { subject, html: button } : { subject, text: `${body}\n\n${label}: ${url}` })
      .magic_link;
  };

  test.each([
    [
      'Confirm deletion of your account',
      'You asked us to delete your account. The link expires in 24 hours.',
      'account/deletion/',
      'Delete your account',
    ],
    [
      'Confirm turning off two-factor authentication',
      'You asked to turn off two-factor authentication. To confirm, use this button.',
      'two-factor/disable/',
      'Disable two-factor authentication',
    ],
    [
      'Deaktivierung bestätigen',
      'Sie möchten die Anmeldung in zwei Schritten ausschalten. Bitte bestätigen Sie das.',
      'two-factor/disable/',
      'Jetzt ausschalten',
    ],
    [
      'Confirma la desactivación de la verificación en dos pasos',
      'Has pedido desactivar la verificación en dos pasos.',
      'two-factor/disable/',
      'Desactivar',
    ],
  ])('is reported where the mail asks to confirm it: %s', (subject, body, path, label) => {
    expect(readLink(subject, body, path, label)).toContain(TOKEN);
    expect(readLink(subject, body, path, label, false)).toContain(TOKEN);
  });

  test.each([
    ['New sign-in', 'A new device signed in. Is it yours?', 'account/disable?token=', 'Disable my account'],
    ['Welcome to Acme', 'Did you not sign up?', 'account/remove?token=', 'Remove this email'],
    ['Welcome to Acme', 'Somebody used your address.', 'account/delete?token=', 'Delete your account'],
    ['Recovery email', 'This is your recovery email. Not yours?', 'unlink?token=', 'Unlink your email'],
    [
      'Two-factor authentication was disabled',
      'Not what you wanted?',
      'account/disable?token=',
      'Disable your account',
    ],
  ])('is not reported from any other mail: %s', (subject, body, path, label) => {
    expect(readLink(subject, body, path, label)).toBeNull();
    expect(readLink(subject, body, path, label, false)).toBeNull();
  });

  test('is not reported where the sentence around it says what it does', () => {
    const lines = [
      'We received a request to access your account through your email address. Your code is:',
      '662917',
      'If you did not request this code, it is possible that someone else is trying to access the account.',
      'You received this message because this email address is the recovery email of the account. If that is incorrect, please click <a href="https://acme.example/AccountDisavow?adt=AOX8kip8K2mVn0Q">here</a> to remove your email address from that account.',
    ];
    const html = lines.map((line) => `<p>${line}</p>`).join('');
    expect(mail({ subject: 'Verification code', html }).magic_link).toBeNull();
  });
});
