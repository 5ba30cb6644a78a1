/** Links whose address is a click counter's, which says nothing of its target. */
import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';

const mail = (parts: Partial<Parameters<typeof extract>[0]>) =>
  extract({ subject: '', from: 'Acme <no-reply@acme.example>', text: '', html: '', ...parts });

const TOKEN = '9fK2mQ7xWb3LtZ8r';
const right = `https://acme.example/verify?token=${TOKEN}`;

test('a link that shows an address without a secret is none', () => {
  const counted = `https://clicks.mailer.example/ls/click?upn=u001.${TOKEN}${TOKEN}`;
  for (const shown of ['acme.example', 'https://acme.example/login']) {
    const html = `<p>Your sign-in code is 482913.</p><p>You asked to log in to <a href="${counted}">${shown}</a>.</p>`;
    expect(mail({ subject: 'Verify your email', html })).toMatchObject({ otp: '482913', magic_link: null });
  }
  const html = `<p>Verify your email: <a href="${counted}">Verify at acme.example</a></p>`;
  expect(mail({ subject: 'Verify your email', html }).magic_link).toBe(counted);
});

test('the link is the address that its text shows, if that has a secret', () => {
  const counted = `https://clicks.mailer.example/ls/click?upn=u001.${TOKEN}${TOKEN}`;
  const small = `<p><a href="${counted}b">Unsubscribe</a> <a href="${counted}c">Privacy</a></p>`;
  const html = `<p>Confirm your account:</p><p><a href="${counted}">${right}</a></p>${small}`;
  expect(mail({ subject: 'Hello from Acme', html }).magic_link).toBe(right);
  const long = `${right}&state=${TOKEN.repeat(20)}`;
  expect(mail({ html: html.replace(right, long.replace('&', '&amp;')) }).magic_link).toBe(long);
});

describe('a link that shows another address', () => {
  const findLink = (href: string, shown: string) =>
    mail({
      subject: 'Confirm your email address',
      html: `<p>Confirm your address by opening this link:</p><p><a href="${href}">${shown}</a></p>`,
    }).magic_link;
  const counted = `https://clicks.mailer.example/ls/click?upn=u001.${TOKEN}${TOKEN}`;
  const start = right.slice(0, -4);

  test.each([`${start}…`, `${start}...`, `${start}<br>${right.slice(-4)}`, `${start} ${right.slice(-4)}`])(
    'is followed where it leads if that is shown in part: %s',
    (shown) => {
      expect(findLink(right, shown)).toBe(right);
      expect(findLink(counted, shown)).toBe(counted);
    },
  );

  test('is followed where it leads if that is no counter', () => {
    expect(findLink(right, 'https://other.example/verify?token=Qq3Jq81LmPz0Xw72')).toBe(right);
    expect(findLink(`${right}&amp;email=b%40postern.test`, right)).toBe(`${right}&email=b%40postern.test`);
  });
});

test('a button to sign in after something has happened is none', () => {
  const counted = `https://clicks.mailer.example/ls/click?upn=u001.${TOKEN}${TOKEN}`;
  const html = `<p>Hi Ann,</p><p>Bob has left your group.</p><a href="${counted}">Log in to Acme</a><p><a href="${counted}b">Unsubscribe</a></p>`;
  expect(mail({ subject: 'Bob has left your group', html }).magic_link).toBeNull();
});

test('its path does not count against a link', () => {
  const url = `https://acme.us4.list-manage.com/track/click?u=${TOKEN}${TOKEN}&id=4f9a2c71&e=91bc`;
  const html = `<p>Hello,</p><a href="${url.replaceAll('&', '&amp;')}">Sign in</a>`;
  expect(mail({ subject: 'Your Acme account', html }).magic_link).toBe(url);
});

test('a link is found if the address that it leads to is written out below', () => {
  const counted = `https://clicks.mailer.example/ls/click?upn=u001.${TOKEN}${TOKEN}`;
  const address = `https://acme.example/users/validate/${TOKEN}`;
  for (const label of ['Activate your account', 'Log in']) {
    const html = `<p>Hi Ann,</p><p><a href="${counted}">${label}</a></p><p>The link expires in an hour. Copy it if you can’t click: ${address}</p><p><a href="${counted}b">Unsubscribe</a></p>`;
    expect([counted, address]).toContain(mail({ subject: 'Your account', html }).magic_link!);
  }
});
