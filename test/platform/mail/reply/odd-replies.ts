/**
 * Replies in which a person writes what looks like the beginning of a quote, or writes in an unusual place. None of
 * that may be lost. Text whose author can't be known is kept.
 */

interface OddReply {
  name: string;
  text: string;
  html?: string;
  reply: string;
}

const intro = 'On Sat, Nov 21, 2026 at 10:00 AM Ann <ann@far.example> wrote:';

/** Replies whose whole text is the sender's. */
const whole: readonly [name: string, text: string][] = [
  [
    'a sentence about an own mail',
    'Hi,\n\nIn my mail of 21.11.2026 I wrote:\n\nFive boxes.\n\nThat still holds.',
  ],
  ['a sentence with date and time', 'Hi,\n\nOn 21.11.2026 at 10:00 you wrote:\n\nFive.\n\nBut we need six.'],
  ['a sentence about somebody', 'And on 3.4.2026 Carl wrote:\nno boxes\nSo what?'],
  [
    'such a sentence in German',
    'Hallo,\nwie ich am 21.11.2026 um 10:00 geschrieben habe:\n- sechs Kisten\nGruss',
  ],
  [
    'a German sentence with its date at the end',
    'Hallo,\nCarl schrieb am 21.11.2026 um 10:00:\nsechs Kisten\nGruss',
  ],
  ['such a sentence in French', 'Bonjour,\nle 21/11/2026 à 10:00 il a écrit ceci :\nsix cartons\nMerci'],
  ['such a sentence in Spanish', 'Hola,\nel 21/11/2026 a las 10:00 Ana escribió esto:\nseis cajas\nGracias'],
  ['such a sentence in Chinese', '你好，\n\n2026年11月21日 10:00 张三来信说明如下：\n六箱\n请确认。'],
  ['such a sentence in Japanese', '11月21日 10:00 のメールについて:\n\n了解しました。'],
  [
    'a journey',
    'Please book:\n\nFrom: Berlin\nTo: Munich\nDate: 21.11.2026\n\nTwo persons, and a window seat.',
  ],
  ['a form', 'Name: Bob\nFrom: 1.1.2026\nTo: 3.1.2026\nDate: today\nSubject: holiday\n\nPlease confirm.'],
  ['a log', 'The log says:\nFrom: daemon\nDate: 2026-11-21\nSubject: crash\nTo: root\nWhat is that?'],
  ['a schedule', 'Schedule by Ann <ann@far.example>:\n10:00 start\n11:00 end'],
  ['a line below a rule', 'Part one\n________________________________\nPart two'],
  ['a word that a mailbox file marks', 'Hi,\n\n>From my point of view we are done.\n\nBob'],
  [
    'a header that somebody copied',
    'Look:\n\nDate: Wed, 7 Aug 2002 22:40:56 +0100\nFrom: Carl <carl@z.example>\nTo: Bob <bob@x.example>\nSubject: Boxes\n\nFunny.',
  ],
  [
    'a mail that is sent on in a reply',
    'See what he says:\n\n---------- Forwarded message ---------\nFrom: Carl <carl@z.example>\nDate: Sat, Nov 21, 2026 at 10:00 AM\nSubject: Boxes\nTo: Bob <bob@x.example>\n\nI can send six.',
  ],
  [
    'a mail that Apple Mail sends on',
    'FYI\n\nBegin forwarded message:\n\nFrom: Carl <carl@z.example>\nSubject: Boxes\nDate: 21 November 2026 at 10:00:00 CET\nTo: Bob <bob@x.example>\n\nI can send six.',
  ],
];

const cut: readonly OddReply[] = [
  {
    name: 'Outlook in Chinese, with wide colons and names alone',
    text: '好的，没问题。\n\n发件人： 张三\n发送时间： 2026年11月21日 10:00\n收件人： 李四\n主题： 会议\n\n明天见？\n',
    reply: '好的，没问题。',
  },
  {
    name: 'Gmail on a phone in Arabic, with Arabic digits',
    text: 'نعم، يناسبني.\n\nفي السبت، ٢١ نوفمبر ٢٠٢٦، ١٠:٠٠ ص Ann Sender <ann@far.example> كتب:\n\n> هل نلتقي؟\n',
    reply: 'نعم، يناسبني.',
  },
  {
    name: 'Gmail on a phone in Arabic, without marks',
    text: 'نعم\n\nفي السبت، 21 نوفمبر 2026 في 10:00 ص تمت كتابة ما يلي بواسطة Ann <ann@far.example>:\n\nهل نلتقي؟',
    reply: 'نعم',
  },
  {
    name: 'Gmail on a phone in German',
    text: 'Ja.\n\nAnn Sender <ann@far.example> schrieb am Sa., 21. Nov. 2026, 10:00:\n\n> Passt es?\n',
    reply: 'Ja.',
  },
  {
    name: 'such an introduction in Danish, without marks',
    text: 'Ja.\n\nAnn Sender <ann@far.example> skrev den 21. nov. 2026 kl. 10.00:\n\nPasser det?\n',
    reply: 'Ja.',
  },
  {
    name: 'Web.de, with the date first',
    text: 'Ja.\n\nGesendet: Samstag, 21. November 2026 um 10:00 Uhr\nVon: "Ann Sender" <ann@far.example>\nAn: bob@near.example\nBetreff: Termin\n\nPasst es?\n',
    reply: 'Ja.',
  },
  {
    name: 'below the quote, signed',
    text: `${intro}\n> Shall we?\n\nYes.\n-- \nBob`,
    reply: 'Yes.\n--\nBob',
  },
  {
    name: 'between the lines, with an own list',
    text: `Hi,\n\n${intro}\n> One?\nYes:\n- a\n- b\n> Two?\nNo.\n\nBob`,
    reply: 'Hi,\n\nYes:\n- a\n- b\nNo.\n\nBob',
  },
  {
    name: 'a sentence above a quoted line stays',
    text: 'I do not agree with what he wrote to us yesterday:\n> five boxes\nIt is six.',
    reply: 'I do not agree with what he wrote to us yesterday:\nIt is six.',
  },
  {
    name: 'a signature with a field, above the quote',
    text: `Yes.\n-- \nBob\nFrom: the office\n\n${intro}\n> q`,
    reply: 'Yes.\n--\nBob\nFrom: the office',
  },
  {
    name: 'Outlook without addresses, below its rule',
    text: 'Yes.\n\n________________________________\nFrom: Ann\nSent: Saturday, November 21, 2026 10:00\nTo: Bob\nSubject: Q\n\nquoted',
    reply: 'Yes.',
  },
  {
    name: 'HTML of Outlook without addresses',
    text: '',
    html: '<p>Yes</p><div style="border-top:solid"><p><b>From:</b> Ann<br><b>Sent:</b> Saturday, November 21, 2026 10:00<br><b>To:</b> Bob<br><b>Subject:</b> Q</p></div><p>old</p>',
    reply: 'Yes',
  },
  {
    name: 'HTML, below the quote',
    text: '',
    html: '<div>On Sat, Nov 21, 2026 at 10:00 AM Ann &lt;ann@far.example&gt; wrote:</div><blockquote type="cite">Shall we?</blockquote><p>Yes, at ten.</p>',
    reply: 'Yes, at ten.',
  },
  {
    name: 'HTML that is indented, not quoted',
    text: '',
    html: '<div>Yes:</div><blockquote style="margin:0 0 0 40px"><div>indented by me</div></blockquote><div>Bob</div>',
    reply: 'Yes:\nindented by me\nBob',
  },
];

export const oddReplies: readonly OddReply[] = [
  ...whole.map(([name, text]) => ({ name, text, reply: text })),
  ...cut,
];
