/** Replies as common mail programs write them, in several languages: what the sender wrote, and the whole text. */

interface ReplyMail {
  name: string;
  text: string;
  html?: string;
  reply: string;
  isForward?: boolean;
}

const quoted = '> Shall we meet at 10:00?\n>\n> Ann\n';
const bare = 'Shall we meet at 10:00?\n\nAnn\n';

/** The line above the quote in Gmail. */
const gmail: Record<string, [own: string, intro: string]> = {
  en: ['Yes, that works.', 'On Sat, Nov 21, 2026 at 10:00 AM Ann Sender <ann@far.example> wrote:'],
  'en, wrapped': [
    'Yes, that works.',
    'On Sat, Nov 21, 2026 at 10:00 AM Annabel Maria Sender-Longname <\nannabel.sender@far.example> wrote:',
  ],
  'en, verb alone': ['Yes.', 'On Sat, Nov 21, 2026 at 10:00 AM Annabel Sender <annabel@far.example>\nwrote:'],
  de: ['Ja, das passt.', 'Am Sa., 21. Nov. 2026 um 10:00 Uhr schrieb Ann Sender <ann@far.example>:'],
  fr: ['Oui, parfait.', 'Le sam. 21 nov. 2026 à 10:00, Ann Sender <ann@far.example> a écrit :'],
  es: ['Sí, perfecto.', 'El sáb, 21 nov 2026 a las 10:00, Ann Sender (<ann@far.example>) escribió:'],
  it: ['Va bene.', 'Il giorno sab 21 nov 2026 alle ore 10:00 Ann Sender <ann@far.example> ha\nscritto:'],
  pt: ['Sim, perfeito.', 'Ann Sender <ann@far.example> escreveu (sábado, 21/11/2026 à(s) 10:00):'],
  nl: ['Ja, prima.', 'Op za 21 nov 2026 om 10:00 schreef Ann Sender <ann@far.example>:'],
  sv: ['Ja, det går bra.', 'Den lör 21 nov. 2026 kl 10:00 skrev Ann Sender <ann@far.example>:'],
  da: ['Ja, det passer.', 'Den lør. 21. nov. 2026 kl. 10.00 skrev Ann Sender <ann@far.example>:'],
  fi: ['Kyllä käy.', 'la 21. marrask. 2026 klo 10.00 Ann Sender (ann@far.example) kirjoitti:'],
  pl: ['Tak, pasuje.', 'sob., 21 lis 2026 o 10:00 Ann Sender <ann@far.example> napisał(a):'],
  cs: ['Ano, hodí se.', 'so 21. 11. 2026 v 10:00 odesílatel Ann Sender <ann@far.example> napsal:'],
  ru: ['Да, подходит.', 'сб, 21 нояб. 2026 г. в 10:00, Ann Sender <ann@far.example>:'],
  tr: ['Evet, uygun.', 'Ann Sender <ann@far.example>, 21 Kas 2026 Cmt, 10:00 tarihinde şunu yazdı:'],
  ja: ['はい、大丈夫です。', '2026年11月21日(土) 10:00 Ann Sender <ann@far.example>:'],
  zh: ['可以。', 'Ann Sender <ann@far.example> 于2026年11月21日周六 10:00写道：'],
  ko: ['네, 좋습니다.', '2026년 11월 21일 (토) 오전 10:00, Ann Sender <ann@far.example>님이 작성:'],
};

/** Header fields above the quote in Outlook: From, date, To, Subject. */
const outlook: Record<string, [own: string, fields: [string, string, string, string]]> = {
  en: ['Yes, that works.', ['From', 'Sent', 'To', 'Subject']],
  de: ['Ja, das passt.', ['Von', 'Gesendet', 'An', 'Betreff']],
  fr: ['Oui, parfait.', ['De ', 'Envoyé ', 'À ', 'Objet ']],
  es: ['Sí, perfecto.', ['De', 'Enviado el', 'Para', 'Asunto']],
  it: ['Va bene.', ['Da', 'Inviato', 'A', 'Oggetto']],
  pt: ['Sim, perfeito.', ['De', 'Enviada em', 'Para', 'Assunto']],
  nl: ['Ja, prima.', ['Van', 'Verzonden', 'Aan', 'Onderwerp']],
  sv: ['Ja, det går bra.', ['Från', 'Skickat', 'Till', 'Ämne']],
  pl: ['Tak, pasuje.', ['Od', 'Wysłano', 'Do', 'Temat']],
  ru: ['Да, подходит.', ['От', 'Отправлено', 'Кому', 'Тема']],
  tr: ['Evet, uygun.', ['Kimden', 'Gönderilen', 'Kime', 'Konu']],
  ja: ['はい、大丈夫です。', ['差出人', '送信日時', '宛先', '件名']],
  zh: ['可以。', ['发件人', '发送时间', '收件人', '主题']],
  ko: ['네, 좋습니다.', ['보낸 사람', '보낸 날짜', '받는 사람', '제목']],
  ar: ['نعم، يناسبني.', ['من', 'تم الإرسال', 'إلى', 'الموضوع']],
  he: ['כן, מתאים.', ['מאת', 'נשלח', 'אל', 'נושא']],
};

/** Separators of Outlook in plain text, Samsung, QQ, and others. */
const separated: Record<string, [own: string, line: string]> = {
  'Outlook, plain text, en': ['Yes.', '-----Original Message-----'],
  'Outlook, plain text, de': ['Ja.', '-----Ursprüngliche Nachricht-----'],
  'Outlook, plain text, fr': ['Oui.', "-----Message d'origine-----"],
  'Outlook, plain text, es': ['Sí.', '-----Mensaje original-----'],
  'Outlook, plain text, it': ['Sì.', '-----Messaggio originale-----'],
  'Outlook, plain text, nl': ['Ja.', '-----Oorspronkelijk bericht-----'],
  'Samsung, en': ['Yes, sent from my phone', '-------- Original message --------'],
  'Samsung, de': ['Ja.', '-------- Ursprüngliche Nachricht --------'],
  'Samsung, pl': ['Tak.', '-------- Oryginalna wiadomość --------'],
  'GMX, de': ['Ja.', '-- Originalnachricht --'],
  'Mail.ru': ['Да.', '-------- Исходное сообщение --------'],
  QQ: ['可以。', '------------------ 原始邮件 ------------------'],
};

/** Introductions of other programs, with or without marks. */
const others: [name: string, own: string, intro: string, quote: string][] = [
  ['Apple Mail, en', 'Yes.', 'On 21 Nov 2026, at 10:00, Ann Sender <ann@far.example> wrote:', quoted],
  ['Apple Mail, de', 'Ja.', 'Am 21.11.2026 um 10:00 schrieb Ann Sender <ann@far.example>:', quoted],
  ['Apple Mail, fr', 'Oui.', 'Le 21 nov. 2026 à 10:00, Ann Sender <ann@far.example> a écrit :', quoted],
  ['Apple Mail, ja', 'はい。', '2026/11/21 10:00、Ann Sender <ann@far.example>のメール:', quoted],
  ['Apple Mail, zh', '可以。', '2026年11月21日 10:00，Ann Sender <ann@far.example> 写道：', quoted],
  [
    'iOS, en',
    'Yes.\n\nSent from my iPhone',
    'On Nov 21, 2026, at 10:00 AM, Ann Sender <ann@far.example> wrote:',
    `> \n${quoted}`,
  ],
  [
    'iOS, de',
    'Ja.\n\nVon meinem iPhone gesendet',
    'Am 21.11.2026 um 10:00 schrieb Ann Sender <ann@far.example>:',
    quoted,
  ],
  [
    'iOS, es',
    'Sí.\n\nEnviado desde mi iPhone',
    'El 21 nov 2026, a la(s) 10:00, Ann Sender <ann@far.example> escribió:',
    quoted,
  ],
  ['iOS, pt', 'Sim.', 'Em 21 de nov. de 2026, à(s) 10:00, Ann Sender <ann@far.example> escreveu:', quoted],
  [
    'iOS, nl',
    'Ja.',
    'Op 21 nov 2026 om 10:00 heeft Ann Sender <ann@far.example> het volgende geschreven:',
    quoted,
  ],
  ['Thunderbird, en', 'Yes.', 'On 21/11/2026 10:00, Ann Sender wrote:', quoted],
  ['Thunderbird, de', 'Ja.', 'Am 21.11.26 um 10:00 schrieb Ann Sender:', quoted],
  ['Thunderbird, fr', 'Oui.', 'Le 21/11/2026 à 10:00, Ann Sender a écrit :', quoted],
  ['Thunderbird, it', 'Sì.', 'Il 21/11/2026 10:00, Ann Sender ha scritto:', quoted],
  ['Thunderbird, pl', 'Tak.', 'W dniu 21.11.2026 o 10:00, Ann Sender pisze:', quoted],
  ['Thunderbird, ru', 'Да.', '21.11.2026 10:00, Ann Sender пишет:', quoted],
  ['Thunderbird, cs', 'Ano.', 'Dne 21. 11. 26 v 10:00 Ann Sender napsal(a):', quoted],
  ['Thunderbird, fi', 'Kyllä.', 'Ann Sender kirjoitti 21.11.2026 klo 10.00:', quoted],
  [
    'Gmail, he',
    'כן, מתאים.',
    '\u202bבתאריך שבת, 21 בנוב׳ 2026 ב-10:00 מאת \u202aAnn Sender\u202c\u200f <\u202aann@far.example\u202c\u200f>:\u202c',
    quoted,
  ],
  ['Thunderbird, hu', 'Igen.', '2026. 11. 21. 10:00 keltezéssel, Ann Sender írta:', quoted],
  [
    'Yahoo, en',
    'Yes.',
    'On Saturday, November 21, 2026 at 10:00:00 AM GMT+1, Ann Sender <ann@far.example> wrote:',
    bare,
  ],
  [
    'Yahoo, de',
    'Ja.',
    'Am Samstag, 21. November 2026 um 10:00:00 MEZ hat Ann Sender <ann@far.example> Folgendes geschrieben:',
    bare,
  ],
  [
    'Yahoo, fr',
    'Oui.',
    'Le samedi 21 novembre 2026 à 10:00:00 UTC+1, Ann Sender <ann@far.example> a écrit :',
    bare,
  ],
  [
    'Proton, en',
    'Yes.\n\nSent with Proton Mail secure email.',
    'On Saturday, November 21st, 2026 at 10:00 AM, Ann Sender <ann@far.example> wrote:',
    `\n${quoted}`,
  ],
  [
    'Proton, fr',
    'Oui.',
    'Le samedi 21 novembre 2026 à 10:00, Ann Sender <ann@far.example> a écrit :',
    `\n${quoted}`,
  ],
  ['mutt', 'Yes.', 'On Sat, Nov 21, 2026 at 10:00:00AM +0100, Ann Sender wrote:', quoted],
  ['mutt, its short line', 'Yes.', '* Ann Sender <ann@far.example> [2026-11-21 10:00]:', quoted],
  ['Gnus', 'Yes.', 'Ann Sender <ann@far.example> writes:', quoted],
  ['KMail', 'Yes.', 'On Saturday, November 21, 2026 10:00:00 AM CET Ann Sender wrote:', quoted],
  ['Roundcube, en', 'Yes.', 'On 2026-11-21 10:00, Ann Sender wrote:', quoted],
  ['Roundcube, de', 'Ja.', 'Am 2026-11-21 10:00, schrieb Ann Sender:', quoted],
  ['Zoho', 'Yes.', '---- On Sat, 21 Nov 2026 10:00:00 +0100 Ann Sender <ann@far.example> wrote ----', bare],
  ['Fastmail', 'Yes.', 'On Sat, 21 Nov 2026, at 10:00 AM, Ann Sender wrote:', quoted],
  [
    'Outlook on a phone',
    'Yes.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>',
    '________________________________',
    `From: Ann Sender <ann@far.example>\nSent: Saturday, November 21, 2026 10:00:00 AM\nTo: Bob <bob@near.example>\nSubject: Meeting\n\n${bare}`,
  ],
  [
    'Outlook for Mac',
    'Yes.',
    'From: Ann Sender <ann@far.example>\nDate: Saturday, 21 November 2026 at 10:00\nTo: Bob <bob@near.example>\nSubject: Meeting',
    bare,
  ],
  [
    'a client that makes names bold',
    'Yes.',
    '*From:* Ann Sender <ann@far.example>\n*Sent:* Saturday, November 21, 2026 10:00 AM\n*To:* Bob\n*Subject:* Meeting',
    bare,
  ],
  [
    'Lotus Notes',
    'Yes.',
    'From:        Ann Sender/FAR\nTo:        Bob/NEAR@NEAR\nDate:        21.11.2026 10:00\nSubject:        Meeting',
    bare,
  ],
];

const fill = (fields: readonly string[]) =>
  [
    'Ann Sender <ann@far.example>',
    'Saturday, November 21, 2026 10:00 AM',
    'Bob <bob@near.example>',
    'Meeting',
  ]
    .map((value, at) => `${fields[at]}: ${value}`)
    .join('\n');

/** Outlook on the web marks where the answered mail begins. The text of that mail is not inside the mark. */
const owa =
  '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg" dir="ltr"><font><b>From:</b> Ann &lt;ann@far.example&gt;<br><b>Sent:</b> Saturday, November 21, 2026 10:00 AM<br><b>To:</b> Bob<br><b>Subject:</b> Meeting</font><div>&nbsp;</div></div><div>Shall we meet?</div>';

const shapes: ReplyMail[] = [
  { name: 'without a quote', text: 'Just this.\n\nBob\n', reply: 'Just this.\n\nBob' },
  {
    name: 'below the quote',
    text: `On 21/11/2026 10:00, Ann Sender wrote:\n${quoted}\nYes, that works.\n\nBob\n`,
    reply: 'Yes, that works.\n\nBob',
  },
  {
    name: 'between the lines',
    text: 'Hi Ann,\n\nOn 21/11/2026 10:00, Ann Sender wrote:\n> Shall we meet at 10?\n\nYes.\n\n> And bring Carl?\n\nNo.\n',
    reply: 'Hi Ann,\n\nYes.\n\nNo.',
  },
  {
    name: 'quotes of quotes',
    text: 'Fine.\n\nOn 21/11/2026 10:00, Ann wrote:\n> On 20/11/2026 9:00, Bob wrote:\n>> Ten?\n> Yes.\n',
    reply: 'Fine.',
  },
  { name: 'nothing of its own', text: `On 21/11/2026 10:00, Ann Sender wrote:\n${quoted}`, reply: '' },
  {
    name: 'with a signature',
    text: `Yes.\n\n-- \nBob, Near Ltd\n\nOn 21/11/2026 10:00, Ann wrote:\n${quoted}`,
    reply: 'Yes.\n\n--\nBob, Near Ltd',
  },
  {
    name: 'words like an introduction',
    text: 'Two things:\nOn Monday Carl wrote a letter.\nFrom: here to there.\n',
    reply: 'Two things:\nOn Monday Carl wrote a letter.\nFrom: here to there.',
  },
  { name: 'a list with dashes', text: '--- Plan ---\n- one\n- two\n', reply: '--- Plan ---\n- one\n- two' },
  {
    name: 'a forwarded mail',
    isForward: true,
    text: `See below.\n\n${fill(outlook.en![1])}\n\n${bare}`,
    reply: `See below.\n\n${fill(outlook.en![1])}\n\n${bare}`.trim(),
  },
  {
    name: 'lines that end in CRLF',
    text: `Yes.\r\n\r\nOn 21/11/2026 10:00, Ann wrote:\r\n${quoted.replaceAll('\n', '\r\n')}`,
    reply: 'Yes.',
  },
  {
    name: 'HTML of Gmail alone',
    text: '',
    html: '<div dir="ltr">Yes, <b>that</b> works.</div><br><div class="gmail_quote"><div class="gmail_attr">On Sat, Nov 21, 2026 Ann wrote:<br></div><blockquote class="gmail_quote">Shall we meet?</blockquote></div>',
    reply: 'Yes, that works.',
  },
  {
    name: 'HTML of Outlook alone',
    text: '',
    html: '<div><p>Yes, that works.</p><div style="border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> Ann &lt;ann@far.example&gt;<br><b>Sent:</b> Saturday, November 21, 2026 10:00 AM<br><b>To:</b> Bob<br><b>Subject:</b> Meeting</p></div><p>Shall we meet?</p></div>',
    reply: 'Yes, that works.',
  },
  {
    name: 'HTML of Outlook on the web alone',
    text: '',
    html: `<div>Yes, that works.</div>${owa}`,
    reply: 'Yes, that works.',
  },
  {
    name: 'HTML of Outlook on the web that sends a mail on',
    isForward: true,
    text: '',
    html: `<div>See below.</div>${owa}`,
    reply:
      'See below.\nFrom: Ann <ann@far.example>\nSent: Saturday, November 21, 2026 10:00 AM\nTo: Bob\nSubject: Meeting\nShall we meet?',
  },
  {
    name: 'HTML of Thunderbird alone',
    text: '',
    html: '<p>Yes.</p><div class="moz-cite-prefix">On 21/11/2026 10:00, Ann wrote:<br></div><blockquote type="cite" cite="mid:1@far.example"><p>Shall we meet?</p></blockquote>',
    reply: 'Yes.',
  },
];

export const replies: readonly ReplyMail[] = [
  ...Object.entries(gmail).map(([name, [own, intro]]) => ({
    name: `Gmail, ${name}`,
    text: `${own}\n\n${intro}\n\n${quoted}`,
    reply: own,
  })),
  ...Object.entries(outlook).flatMap(([name, [own, fields]]) => [
    { name: `Outlook, ${name}`, text: `${own}\n\n${fill(fields)}\n\n${bare}`, reply: own },
    {
      name: `Outlook on the web, ${name}`,
      text: `${own}\n________________________________\n${fill(fields)}\n\n${bare}`,
      reply: own,
    },
  ]),
  ...Object.entries(separated).map(([name, [own, line]]) => ({
    name,
    text: `${own}\n\n${line}\nFrom: Ann\n\n${bare}`,
    reply: own,
  })),
  ...others.map(([name, own, intro, quote]) => ({ name, text: `${own}\n\n${intro}\n${quote}`, reply: own })),
  ...shapes,
];
