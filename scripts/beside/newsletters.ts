/** Rich HTML: newsletters and notices in several designs and scripts. */
import { type SampleMail, write } from './mail.ts';
import { drawBars, drawGoods, drawHills, drawMark } from './pictures.ts';

/** The host of the pictures on "the sender's server", which is scripts/beside/picture-server.ts. */
const REMOTE = 'http://pictures.northwind.example';

const dark = `<!doctype html><html lang="en"><head><style>
body{margin:0;background:#0f1226;color:#e8e9f5;font-family:Helvetica,Arial,sans-serif}a{color:#9fb4ff} a.cta{background:#ff7a59;color:#1a0d08;padding:14px 26px;border-radius:999px;text-decoration:none;font-weight:bold;display:inline-block} td.cell{background:#1a1f3d;border-radius:12px;padding:18px;font-size:14px;line-height:1.5;color:#c4c8e6}</style></head>
<body bgcolor="#0f1226"><table role="presentation" width="100%" bgcolor="#0f1226"><tr><td align="center" style="padding:28px 10px">
<table role="presentation" width="640" cellspacing="0" cellpadding="0">
<tr><td style="padding:0 0 20px"><table role="presentation" width="100%"><tr><td><img src="cid:mark" width="36" height="36" alt="Orbit" style="vertical-align:middle"> <b style="font-size:18px;padding-left:8px">Orbit Weekly</b></td><td align="right" style="font-size:13px;color:#9aa0c8">Issue 48 · 21 November</td></tr></table></td></tr>
<tr><td><img src="cid:hero" width="640" height="300" alt="Hills at dusk" style="display:block;border-radius:16px;width:100%;height:auto"></td></tr>
<tr><td style="padding:28px 4px 8px;font-size:34px;line-height:1.15;font-weight:bold;letter-spacing:-.5px">The slow internet is back, and it is lovely</td></tr>
<tr><td style="padding:8px 4px 22px;font-size:16px;line-height:1.65;color:#c4c8e6">Three people who moved their studios to the hills tell us what a four-megabit line taught them about images, patience and neighbours.</td></tr>
<tr><td style="padding:0 4px 30px"><a class="cta" href="https://orbit.example/issues/48">Read the story</a></td></tr>
<tr><td><table role="presentation" width="100%" cellspacing="12"><tr>
<td class="cell" width="50%" valign="top"><b style="color:#fff">Letters by hand</b><br>A typewriter club in Porto has a waiting list of two years. <a href="https://orbit.example/a/2">More</a></td>
<td class="cell" width="50%" valign="top"><b style="color:#fff">Small batteries</b><br>What a village learned from sharing one. <a href="https://orbit.example/a/3">More</a></td></tr></table></td></tr>
<tr><td style="padding:24px 4px;font-size:12px;color:#8388b4">You get this because you subscribed at orbit.example. <a href="https://orbit.example/unsubscribe?u=77">Unsubscribe</a></td></tr>
</table></td></tr></table></body></html>`;

const goods = [
  ['Stoneware mug', '€ 18', 'mug'],
  ['Desk lamp', '€ 64', 'lamp'],
  ['Linen throw', '€ 79', 'throw'],
  ['Olive tree', '€ 39', 'tree'],
];

const shop = `<!doctype html><html lang="en"><body style="margin:0;background:#f3efe7;font-family:Georgia,serif;color:#2b2a27">
<table role="presentation" width="100%"><tr><td align="center" style="padding:24px 8px"><table role="presentation" width="600" style="background:#fffdf8">
<tr><td align="center" style="padding:26px;font-size:26px;letter-spacing:6px">NORTHWIND HOME</td></tr>
<tr><td><img src="${REMOTE}/hills.png" width="600" height="260" alt="The winter collection" style="display:block;width:100%"></td></tr>
<tr><td align="center" style="padding:30px 40px 10px;font-size:30px">The winter table</td></tr>
<tr><td align="center" style="padding:0 60px 20px;font-size:16px;line-height:1.6;color:#6b675e">Warm light, heavy mugs and something green. Free delivery until Sunday.</td></tr>
<tr><td style="padding:0 24px 24px"><table role="presentation" width="100%" cellspacing="8"><tr>${goods
  .map(
    ([name, price, picture]) =>
      `<td align="center" style="font-size:14px"><img src="${REMOTE}/${picture}.png" width="124" height="124" alt="${name}"><br>${name}<br><b>${price}</b></td>`,
  )
  .join('')}</tr></table></td></tr>
<tr><td align="center" style="padding:0 0 36px"><a href="https://northwind.example/winter" style="background:#2b2a27;color:#fffdf8;padding:14px 30px;text-decoration:none">Shop the collection</a></td></tr>
<tr><td align="center" style="padding:18px;background:#ece6d9;font-size:12px;color:#857f73"><a href="https://northwind.example/unsubscribe/9" style="color:#857f73">Unsubscribe</a> · Northwind Ltd, 14 Harbour Row, Bristol</td></tr>
</table></td></tr></table><img src="${REMOTE}/open.png?m=42" width="1" height="1" alt=""></body></html>`;

const arabic = `<!doctype html><html lang="ar" dir="rtl"><body style="margin:0;background:#fbf7ee;font-family:Tahoma,Arial,sans-serif;color:#30271a">
<table role="presentation" width="100%"><tr><td align="center" style="padding:26px 10px"><table role="presentation" width="600" style="background:#fff;border-top:6px solid #0b6e4f">
<tr><td style="padding:28px 34px 6px;font-size:28px;font-weight:bold">نشرة القهوة الأسبوعية</td></tr>
<tr><td style="padding:0 34px 18px;font-size:16px;line-height:1.9">صباح الخير يا آن، هذا الأسبوع نزور مزرعة صغيرة في جبال اليمن، ونتعلّم كيف تُحمَّص الحبوب على نار هادئة.</td></tr>
<tr><td style="padding:0 34px"><ul style="font-size:15px;line-height:2"><li>ثلاث وصفات للقهوة بالهيل</li><li>موعد السوق: الجمعة 27 نوفمبر، الساعة 9:00</li><li>خصم 15٪ على الطلب الأول (الرمز QAHWA15)</li></ul></td></tr>
<tr><td style="padding:16px 34px 34px"><a href="https://qahwa.example/issue/12" style="background:#0b6e4f;color:#fff;padding:12px 24px;text-decoration:none;border-radius:6px">اقرأ العدد</a></td></tr></table></td></tr></table></body></html>`;

const japanese = `<!doctype html><html lang="ja"><body style="margin:0;background:#f4f4f2;font-family:'Hiragino Sans','Noto Sans CJK JP',sans-serif;color:#222">
<table role="presentation" width="100%"><tr><td align="center" style="padding:24px 10px"><table role="presentation" width="600" style="background:#fff">
<tr><td style="padding:30px 36px 0;font-size:13px;color:#b5322a;letter-spacing:2px">季節の便り 第48号</td></tr>
<tr><td style="padding:6px 36px 10px;font-size:28px;font-weight:bold">紅葉の京都を歩く</td></tr>
<tr><td style="padding:0 36px 20px;font-size:15px;line-height:2">朝の光のなか、鴨川沿いをゆっくり歩きました。今週は静かな庭を三つご紹介します。</td></tr>
<tr><td style="padding:0 36px"><img src="cid:autumn" width="528" height="220" alt="紅葉"></td></tr>
<tr><td style="padding:20px 36px 34px;font-size:14px"><a href="https://kisetsu.example/48" style="color:#b5322a">続きを読む →</a></td></tr></table></td></tr></table></body></html>`;

const adaptive = `<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"><style>
body{margin:0;background:#ffffff;color:#1c2330;font-family:Helvetica,Arial,sans-serif}.box{max-width:600px;margin:0 auto;padding:36px 24px}.n{font-size:40px;font-weight:bold}.l{color:#5b6577;font-size:14px}
@media (prefers-color-scheme:dark){body{background:#11161f;color:#e6ebf4}.l{color:#93a0b8}}
@media (max-width:480px){.s{display:block!important;width:100%!important;padding-bottom:18px}}</style></head><body><div class="box">
<p class="l">Metric Garden · week 47</p><h1 style="font-size:26px;margin:4px 0 22px">Your site had a good week</h1>
<table role="presentation" width="100%"><tr><td class="s" width="33%"><div class="n">12,480</div><div class="l">visits, up 14 %</div></td><td class="s" width="33%"><div class="n">3:42</div><div class="l">average time</div></td><td class="s"><div class="n">218</div><div class="l">sign-ups</div></td></tr></table>
<p style="margin-top:26px"><img src="cid:bars" width="552" height="180" alt="Visits by day" style="max-width:100%"></p>
<p style="font-size:15px;line-height:1.6">Most visitors came from the article about tomatoes. <a href="https://metrics.example/report/47" style="color:#2f7d4f">Open the report</a></p></div></body></html>`;

const unsafe = `<html><head><title>Survey</title><script>document.title='ran'</script></head><body style="font-family:Verdana,sans-serif;background:#eaf4ff">
<h2>How was your stay?</h2><video src="https://hotel.example/lobby.mp4" controls width="320"></video>
<form action="https://hotel.example/survey" method="post"><p>Your name <input name="who"></p><p><label><input type="radio" name="r"> Good</label> <label><input type="radio" name="r"> Fair</label></p><button>Send answers</button></form>
<p onclick="alert(1)">Or answer <a href="https://hotel.example/survey/88">on our site</a>.</p></body></html>`;

const inline = (cid: string, content: Buffer) => ({
  filename: `${cid}.png`,
  cid,
  content,
  contentDisposition: 'inline' as const,
});

/** The pictures on the sender's server, by path. */
export const remotePictures: Readonly<Record<string, () => Buffer>> = {
  '/hills.png': () => drawHills(600, 260, [196, 213, 224], [72, 92, 84]),
  '/mug.png': () => drawGoods(124, [238, 231, 218], [171, 92, 62], 4),
  '/lamp.png': () => drawGoods(124, [228, 233, 231], [217, 164, 65], 1.3),
  '/throw.png': () => drawGoods(124, [240, 236, 230], [90, 108, 140], 8),
  '/tree.png': () => drawGoods(124, [233, 238, 224], [82, 121, 69], 2),
  '/open.png': () => drawGoods(1, [255, 255, 255], [255, 255, 255], 2),
};

export const newsletters: readonly SampleMail[] = [
  write(
    'newsletter-dark',
    'Orbit Weekly <hello@orbit.example>',
    'ann@shop.test',
    'The slow internet is back, and it is lovely',
    {
      text: 'The slow internet is back, and it is lovely\n\nRead the story: https://orbit.example/issues/48\n\nUnsubscribe: https://orbit.example/unsubscribe?u=77\n',
      html: dark,
      headers: {
        'List-Unsubscribe': '<https://orbit.example/unsubscribe?u=77>',
        'List-Id': 'Orbit Weekly <weekly.orbit.example>',
      },
      attachments: [
        inline('mark', drawMark(72, [255, 122, 89], [15, 18, 38])),
        inline('hero', drawHills(640, 300, [120, 96, 170], [24, 26, 66], 1)),
      ],
    },
  ),
  write(
    'newsletter-shop',
    'Northwind Home <shop@northwind.example>',
    'ann+news@shop.test',
    'The winter table, and free delivery until Sunday',
    {
      text: 'The winter table: https://northwind.example/winter\n',
      // In base64, no line begins with a dot. Mailpit 1.28.0 would lose the dot, and its picture would be worse.
      textEncoding: 'base64',
      html: shop,
      headers: {
        'List-Unsubscribe': '<https://northwind.example/unsubscribe/9>, <mailto:leave@northwind.example>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    },
  ),
  write(
    'newsletter-arabic',
    'نشرة القهوة <news@qahwa.example>',
    'ann@shop.test',
    'نشرة القهوة الأسبوعية: من جبال اليمن',
    { html: arabic },
  ),
  write(
    'newsletter-japanese',
    '季節の便り <news@kisetsu.example>',
    'ann@shop.test',
    '紅葉の京都を歩く【季節の便り 第48号】',
    {
      html: japanese,
      textEncoding: 'base64',
      attachments: [inline('autumn', drawHills(528, 220, [250, 214, 165], [160, 62, 40], 2))],
    },
  ),
  write(
    'newsletter-adaptive',
    'Metric Garden <reports@metrics.example>',
    'ops@shop.test',
    'Your site had a good week 🌱',
    {
      text: 'Visits 12,480, up 14 %.\nhttps://metrics.example/report/47\n',
      html: adaptive,
      attachments: [
        inline('bars', drawBars(552, 180, [0.42, 0.5, 0.61, 0.58, 0.8, 0.97, 0.74], [47, 125, 79])),
      ],
    },
  ),
  write('html-unsafe', 'Hotel Marina <stay@hotel.example>', 'ann@shop.test', 'How was your stay?', {
    html: unsafe,
  }),
];
