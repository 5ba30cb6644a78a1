/** Mails with a code or a link in them, in several languages. */
import { type SampleMail, write } from './mail.ts';

const SIGNUP = 'signup@shop.test';

/** The usual HTML of a product's mail with one large code. */
function codePage(lang: string, dir: string, heading: string, before: string, code: string, after: string) {
  return `<!doctype html><html lang="${lang}" dir="${dir}"><body style="margin:0;background:#eef1f5;font-family:Helvetica,Arial,sans-serif;color:#1f2933">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="480" cellpadding="0" cellspacing="0" style="background:#ffffff;border-radius:12px">
<tr><td style="padding:32px 36px 8px;font-size:22px;font-weight:bold">${heading}</td></tr>
<tr><td style="padding:0 36px;font-size:15px;line-height:1.6;color:#52606d">${before}</td></tr>
<tr><td style="padding:22px 36px"><div style="background:#f0f4ff;border-radius:8px;padding:18px;text-align:center;font-size:32px;letter-spacing:8px;font-weight:bold;color:#2145c7">${code}</div></td></tr>
<tr><td style="padding:0 36px 32px;font-size:13px;line-height:1.6;color:#7b8794">${after}</td></tr>
</table></td></tr></table></body></html>`;
}

const buttonPage = (heading: string, text: string, label: string, url: string, colour: string) =>
  `<!doctype html><html lang="en"><head><style>.b{background:${colour};color:#ffffff;padding:14px 28px;border-radius:8px;text-decoration:none;font-weight:bold;display:inline-block}</style></head>
<body style="margin:0;background:#f6f5f1;font-family:Georgia,serif;color:#22261f"><table role="presentation" width="100%"><tr><td align="center" style="padding:40px 12px">
<table role="presentation" width="540" style="background:#ffffff;border:1px solid #e4e1d8"><tr><td style="padding:40px 44px">
<h1 style="font-size:28px;line-height:1.25;margin:0 0 14px">${heading}</h1><p style="font-size:16px;line-height:1.6;margin:0 0 26px">${text}</p>
<a class="b" href="${url}">${label}</a>
<p style="font-size:13px;line-height:1.6;color:#77766e;margin:30px 0 0">The button does not work? Copy this address: <a href="${url}" style="color:#77766e">${url}</a></p>
</td></tr></table><p style="font-size:12px;color:#9a988e">Northwind Ltd · 14 Harbour Row · Bristol</p></td></tr></table></body></html>`;

export const codeMails: readonly SampleMail[] = [
  write('code-english', 'Acme Accounts <no-reply@acme.example>', SIGNUP, 'Your verification code', {
    text: 'Hello,\n\nYour verification code is 493817. It is valid for 10 minutes.\nReference 20261121. If you did not ask for it, write to us.\n\nAcme, 221 Baker Street\n',
  }),
  write('code-german', 'Stadtwerke Konto <konto@stadtwerke.example>', SIGNUP, 'Ihr Bestätigungscode', {
    text: 'Guten Tag,\n\nIhr Bestätigungscode lautet: 731 904\n\nEr gilt 15 Minuten. Geben Sie ihn niemandem weiter.\n',
  }),
  write('code-french', 'Librairie du Port <bonjour@librairie.example>', SIGNUP, 'Votre code de connexion', {
    text: 'Bonjour, voici votre code de connexion : 208 466. Il expire dans 10 minutes.\n',
    html: codePage(
      'fr',
      'ltr',
      'Votre code de connexion',
      'Bonjour, saisissez ce code pour vous connecter.',
      '208 466',
      'Il expire dans 10 minutes. Si vous n’êtes pas à l’origine de cette demande, ignorez ce message.',
    ),
  }),
  write(
    'code-spanish',
    'Banco del Valle <avisos@banco.example>',
    'pagos@shop.test',
    'Código para autorizar tu pago',
    {
      text: 'Tu código de seguridad es 55 83 21. Úsalo para autorizar el pago de 42,90 € en Zapatería Luna.\nNo lo compartas con nadie.\n',
    },
  ),
  write('code-portuguese', 'Correio Fácil <oi@correiofacil.example>', SIGNUP, 'Confirme seu e-mail', {
    text: 'Seu código de confirmação é 917244.\n',
    html: codePage(
      'pt',
      'ltr',
      'Confirme seu e-mail',
      'Digite este código no aplicativo para continuar.',
      '917244',
      'O código vale por 30 minutos.',
    ),
  }),
  write('code-russian', 'Почта Союз <noreply@soyuz.example>', SIGNUP, 'Код подтверждения', {
    text: 'Здравствуйте!\n\nВаш код подтверждения: 640218\nНикому его не сообщайте.\n',
  }),
  write('code-japanese', '東京書店 <info@tokyo-books.example>', SIGNUP, '【東京書店】認証コードのお知らせ', {
    text: 'いつもご利用いただきありがとうございます。\n\n認証コード：385102\n\nこのコードの有効期限は10分です。\n',
    textEncoding: 'base64',
  }),
  write('code-chinese', '云雀商城 <service@yunque.example>', SIGNUP, '您的登录验证码', {
    text: '您好！您的验证码是 604739，请在 5 分钟内使用。请勿告诉他人。\n',
    html: codePage(
      'zh',
      'ltr',
      '您的登录验证码',
      '您好！请在登录页面输入以下验证码：',
      '604739',
      '验证码 5 分钟内有效，请勿告诉他人。',
    ),
  }),
  write('code-korean', '한빛은행 <alert@hanbit.example>', 'pagos@shop.test', '본인 확인 인증번호', {
    text: '인증번호는 [270946] 입니다. 3분 안에 입력해 주세요.\n',
  }),
  write('code-arabic', 'متجر النخيل <hello@nakheel.example>', SIGNUP, 'رمز التحقق الخاص بك', {
    text: 'رمز التحقق الخاص بك هو 862015. صالح لمدة عشر دقائق.\n',
    html: codePage(
      'ar',
      'rtl',
      'رمز التحقق الخاص بك',
      'مرحبًا، أدخل الرمز التالي لإكمال تسجيل الدخول.',
      '862015',
      'الرمز صالح لمدة عشر دقائق. لا تشاركه مع أحد.',
    ),
  }),
  write(
    'code-letters',
    'Lumen Security <security@lumen.example>',
    'ops@shop.test',
    'G7K-2QX is your Lumen sign-in code',
    {
      text: 'G7K-2QX is your Lumen sign-in code.\n\nNew sign-in from Firefox on Linux, Lisbon. It expires at 09:15 UTC.\n',
    },
  ),
  write('link-sign-in', 'Northwind <hello@northwind.example>', SIGNUP, 'Sign in to Northwind', {
    text: 'Sign in: https://app.northwind.example/auth/magic?token=8f2c1e9ab4d0\n',
    html: buttonPage(
      'Welcome back',
      'Use this button to sign in to your workspace. It works once, for thirty minutes, in any browser.',
      'Sign in to Northwind',
      'https://app.northwind.example/auth/magic?token=8f2c1e9ab4d0',
      '#1d6450',
    ),
  }),
  write(
    'link-plain',
    'Kite Docs <login@kitedocs.example>',
    'dev@shop.test',
    'Your login link for Kite Docs',
    {
      text: 'Hi Dev,\n\nopen this link to log in:\n\nhttps://kitedocs.example/login/confirm/eyJ1IjoiZGV2In0.pQ9sW2\n\nIt expires in 15 minutes. Questions? https://kitedocs.example/help\n',
    },
  ),
  write(
    'link-reset',
    'Harbour Bikes <support@harbourbikes.example>',
    'ann@shop.test',
    'Reset your password',
    {
      text: 'Reset your password: https://harbourbikes.example/reset?t=55c1f0de77aa\n',
      html: buttonPage(
        'Reset your password',
        'Somebody asked to reset the password of ann@shop.test. If it was you, choose a new one within an hour.',
        'Choose a new password',
        'https://harbourbikes.example/reset?t=55c1f0de77aa',
        '#b3392c',
      ),
    },
  ),
  write(
    'link-confirm',
    'Field Notes Weekly <list@fieldnotes.example>',
    'ann+news@shop.test',
    'Please confirm your subscription',
    {
      text: 'Confirm: https://fieldnotes.example/confirm/ann/1b77\nDid not sign up? Do nothing.\n',
      html: buttonPage(
        'One more step',
        'Confirm that you would like to get Field Notes every Friday morning.',
        'Yes, subscribe me',
        'https://fieldnotes.example/confirm/ann/1b77',
        '#37517e',
      ),
    },
  ),
];
