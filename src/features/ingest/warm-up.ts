/**
 * Made-up mails of the two common shapes, which warm up a parser before the first real mail. Code that the engine has
 * not compiled yet takes 15 ms for the first mail, and 2 to 3 ms for each of the next forty.
 */

/** Saves three quarters of what a warm-up can save. Each further round takes 1 ms of processor time. */
export const WARM_UP_ROUNDS = 20;

const head = (subject: string, type: string) => [
  'From: Practice <noreply@practice.example>',
  'To: reader@practice.example',
  `Subject: ${subject}`,
  'Date: Thu, 1 Jan 2026 10:00:00 +0000',
  'Message-ID: <1@practice.example>',
  'MIME-Version: 1.0',
  `Content-Type: ${type}`,
  '',
];

const signIn = [
  ...head('Your sign-in code', 'multipart/alternative; boundary="part"'),
  '--part',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello,',
  '',
  'your code is 482913. It expires in 10 minutes.',
  'Or open this link: https://practice.example/verify?token=f3Kd82hs7Gq1LmZx',
  '',
  'If you did not ask for it, ignore this mail.',
  '--part',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<html><head><style>p { color: #333 }</style></head><body><h1>Your sign-in code</h1>',
  '<p style=3D"font-size: 24px"><b>482913</b></p><p>It expires in 10 minutes.',
  '<a href=3D"https://practice.example/verify?token=3Df3Kd82hs7Gq1LmZx">Sign in</a></p>',
  '<p>If you did not ask for it, ignore this mail.</p></body></html>',
  '--part--',
  '',
];

const notice = [
  ...head('Build 218 has failed', 'text/plain; charset=utf-8'),
  'The build of 12:30 has failed after 95 seconds.',
  '',
  'Its log: https://practice.example/builds/218',
  '',
];

export const warmUpMails: readonly Uint8Array[] = [signIn, notice].map((lines) =>
  Buffer.from(lines.join('\r\n')),
);
