/** Receipts, attachments, threads and notices, and mails of which each is unusual in one way. */
import { type SampleMail, write, writeRaw } from './mail.ts';
import { drawBars, drawHills, drawPdf } from './pictures.ts';

const ANN = 'ann@shop.test';
const OPS = 'ops@shop.test';

const rows = [
  ['Stoneware mug, sand', '2', '36.00'],
  ['Desk lamp, brass', '1', '64.00'],
  ['Delivery', '', '0.00'],
];

const receipt = `<!doctype html><html lang="en"><body style="margin:0;background:#ffffff;font-family:Helvetica,Arial,sans-serif;color:#24292f">
<table role="presentation" width="100%"><tr><td align="center" style="padding:32px 10px"><table width="560" cellpadding="0" cellspacing="0">
<tr><td colspan="3" style="font-size:22px;font-weight:bold;padding-bottom:4px">Thank you for your order</td></tr>
<tr><td colspan="3" style="font-size:14px;color:#57606a;padding-bottom:22px">Order NW-20418 · paid with a card ending in 4242</td></tr>
${rows.map(([what, count, price]) => `<tr style="font-size:14px"><td style="border-top:1px solid #d8dee4;padding:12px 0">${what}</td><td align="right" style="border-top:1px solid #d8dee4">${count}</td><td align="right" style="border-top:1px solid #d8dee4">€ ${price}</td></tr>`).join('')}
<tr style="font-size:16px;font-weight:bold"><td style="border-top:2px solid #24292f;padding:14px 0">Total</td><td style="border-top:2px solid #24292f"></td><td align="right" style="border-top:2px solid #24292f">€ 100.00</td></tr>
<tr><td colspan="3" style="padding-top:22px"><a href="https://northwind.example/orders/NW-20418" style="background:#0969da;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none;font-size:14px">Track the parcel</a></td></tr></table></td></tr></table></body></html>`;

const table = `Build 18204 failed after 6 min 12 s.

  suite              passed  failed   time
  ------------------------------------------
  unit                 1904       0   41 s
  contract              212       3  1:58 
  browser                96       1  3:06 

  contract/invoice.test.ts:88
    expected 402
    received 500

https://builds.example/acme/shop/18204
`;

const quoted = (depth: number): string =>
  depth === 0
    ? 'Shall we roll out on Thursday at nine?'
    : `On Fri, 20 Nov 2026, Ben Ode wrote:\n${`Point ${depth}: the migration takes four minutes.\nWe can do it while the shop is open.\n\n${quoted(depth - 1)}`.replace(/^/gm, '> ')}`;

const meeting = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//samples//EN',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:rollout-1@samples.example',
  'DTSTAMP:20261121T080000Z',
  'DTSTART:20261126T090000Z',
  'DTEND:20261126T093000Z',
  'SUMMARY:Roll-out of the new checkout',
  'LOCATION:Room 4 and video',
  'ORGANIZER;CN=Ben Ode:mailto:ben@example.org',
  'ATTENDEE;CN=Ops;RSVP=TRUE:mailto:ops@shop.test',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

const photo = (
  filename: string,
  phase: number,
  sky: [number, number, number],
  ground: [number, number, number],
) => ({
  filename,
  content: drawHills(480, 320, sky, ground, phase),
});

const notices: SampleMail[] = [
  write('status', 'Statuspage <status@statuspage.example>', OPS, 'All systems operational', {
    text: 'Everything is well.\n',
  }),
  write('build-log', 'CI <ci@builds.example>', OPS, '✗ main: build 18204 failed', { text: table }),
  write(
    'subject-long',
    'CI <ci@builds.example>',
    OPS,
    `main is green again after 3 failures: build 18,205 of a repository whose name is rather long, ${'with a matrix of systems, browsers and databases, '.repeat(4)}in 6 minutes`,
    { text: 'The build passed.\n' },
  ),
  write(
    'shipping',
    'Parcel Post <track@parcelpost.example>',
    ANN,
    'Your parcel arrives tomorrow between 10 and 12',
    {
      text: 'Parcel 3SABC0042917 arrives tomorrow between 10:00 and 12:00.\n\nhttps://parcelpost.example/t/3SABC0042917\n',
    },
  ),
  write(
    'emoji',
    'Zoë Ångström <zoe@example.org>',
    'hello@shop.test',
    '🎉🥳 Grattis på födelsedagen! 👩‍👩‍👧‍👦',
    { text: 'Hej! Vi ses på lördag. 🎂\n\nKram\nZoë\n' },
  ),
  write(
    'five-recipients',
    'Mia Berg <mia@example.org>',
    [`Ann <${ANN}>`, 'Bo <bo@shop.test>', 'Cy <cy@shop.test>'],
    'Minutes of Monday',
    {
      cc: ['Dee <dee@shop.test>'],
      bcc: ['archive@shop.test'],
      text: 'Hello all,\n\nthe minutes: we ship on Thursday, Bo writes the note, Cy tests the refund.\n\nMia\n',
    },
  ),
  write('subject-none', 'printer@office.example', OPS, '', { text: 'Toner is low (12 %).\n' }),
];

const thread: SampleMail[] = [1, 2, 3, 4].map((nth) =>
  write(
    `thread-${nth}`,
    nth % 2 ? 'Ben Ode <ben@example.org>' : 'Ops <ops@shop.test>',
    nth % 2 ? OPS : 'ben@example.org',
    `${nth > 1 ? 'Re: ' : ''}Roll-out on Thursday`,
    {
      text: `${nth > 1 ? `Thursday works, ${nth === 4 ? 'and the room is booked' : 'I will be there at nine'}.\n\n` : ''}${quoted(nth - 1)}\n`,
      ...(nth > 1 ? { inReplyTo: `<thread-${nth - 1}@samples.example>` } : {}),
    },
  ),
);

const papers: SampleMail[] = [
  write('receipt', 'Northwind Home <orders@northwind.example>', ANN, 'Your order NW-20418', {
    text: 'Total € 100.00\n',
    html: receipt,
  }),
  write('receipt-plain', 'City Cabs <receipts@citycabs.example>', ANN, 'Your ride on Saturday: £12.40', {
    text: 'From   Harbour Row 14\nTo     Central Station\nDistance  3.1 km\n\nFare   £11.20\nTip     £1.20\nTotal  £12.40\n',
  }),
  write('invoice', 'Harbour Bikes <billing@harbourbikes.example>', 'pagos@shop.test', 'Invoice 2026-1187', {
    text: 'Dear customer,\n\nplease find invoice 2026-1187 attached. It is due on 5 December.\n\nHarbour Bikes\n',
    attachments: [
      {
        filename: 'invoice-2026-1187.pdf',
        content: drawPdf('Invoice 2026-1187', [
          'Service of two bicycles',
          'Total: 148.00',
          'Due: 5 December 2026',
        ]),
      },
    ],
  }),
  write('attachments', 'Lena Holm <lena@example.org>', ANN, 'Photos of the cabin, and the figures', {
    text: 'Hi Ann,\n\nthree photos from the weekend, the contract to sign and the figures as a table.\n\nSee you on Thursday\nLena\n',
    html: '<p>Hi Ann,</p><p>three photos from the weekend, the contract to sign and the figures as a table.</p><p>See you on Thursday<br>Lena</p>',
    attachments: [
      photo('morning.png', 0, [180, 210, 235], [48, 84, 70]),
      photo('evening.png', 2, [240, 170, 120], [70, 38, 60]),
      photo('snow.png', 4, [214, 224, 236], [150, 164, 180]),
      {
        filename: 'contract.pdf',
        content: drawPdf('Rental contract', [
          'Cabin at the lake',
          'From 27 to 29 November 2026',
          'Signed: ______________',
        ]),
      },
      {
        filename: 'figures.csv',
        content: 'month,visits,orders\n2026-09,10412,188\n2026-10,11720,204\n2026-11,12480,218\n',
      },
    ],
  }),
  write('inline-chart', 'Metric Garden <reports@metrics.example>', OPS, 'Orders by day', {
    html: '<p>Orders of the last seven days:</p><p><img src="cid:chart" width="480" height="200" alt="Orders by day"></p><p>Saturday was the best day since March.</p>',
    attachments: [
      {
        filename: 'chart.png',
        cid: 'chart',
        content: drawBars(480, 200, [0.3, 0.45, 0.4, 0.66, 0.7, 0.98, 0.52], [52, 101, 164]),
        contentDisposition: 'inline',
      },
    ],
  }),
  write('meeting', 'Ben Ode <ben@example.org>', OPS, 'Invitation: Roll-out of the new checkout', {
    text: 'Roll-out of the new checkout\nThursday 26 November, 09:00 to 09:30 UTC\nRoom 4 and video\n',
    invitation: meeting,
  }),
  write('forwarded', 'Ann <ann@shop.test>', OPS, 'Fwd: Delivery delayed', {
    text: 'See the attached mail.\n\nAnn\n',
    attachments: [
      {
        filename: 'delivery.eml',
        contentType: 'message/rfc822',
        content:
          'From: Depot <depot@parcelpost.example>\r\nTo: ann@shop.test\r\nSubject: Delivery delayed\r\n\r\nThe van broke down. We come on Monday.\r\n',
      },
    ],
  }),
];

const odd: SampleMail[] = [
  writeRaw('latin-1', 'kundtjanst@example.org', 'hello@shop.test', [
    'From: "Kundtj=?iso-8859-1?Q?=E4nst?=" <kundtjanst@example.org>',
    'To: hello@shop.test',
    'Subject: =?iso-8859-1?Q?Fr=E5ga_om_order_1042?=',
    'Date: Sat, 21 Nov 2026 08:00:00 +0000',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: 8bit',
    '',
    'Hej!\xa0 N\xe4r kommer paketet? \xc5sa v\xe4ntar.',
    '',
  ]),
  writeRaw('malformed', 'broken@relay.example', OPS, [
    'From: broken@relay.example',
    'To: undisclosed recipients',
    'Subject: =?utf-8?Q?Report_=C3_for_=ZZ?= and <b>markup</b>',
    'Date: yesterday at noon',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="never',
    '',
    '--never',
    'Content-Type: text/html; charset=klingon',
    'Content-Transfer-Encoding: base64',
    '',
    'PGgxPlJlcG9ydDwvaDE+PHA+VGhlIGJvdW5kYXJ5IGlzIG5ldmVyIGNsb3NlZC4',
    '!!! not base64 !!!',
    '',
  ]),
  write(
    'plus-tag',
    'Billing Robot <robot@builds.example>',
    'ci+invoice-run-81@shop.test',
    'Invoice run 81: 1,204 sent',
    { text: 'All 1,204 invoices were sent.\n', headers: { 'X-Tags': 'billing, nightly' } },
  ),
];

export const everydayMails: readonly SampleMail[] = [...odd, ...notices, ...thread, ...papers];
