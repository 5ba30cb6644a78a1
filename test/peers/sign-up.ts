/**
 * A web app that people sign up to with an email address: it mails a code, or a magic link, as real apps do. Plain HTML
 * without scripts, so that any browser tool can drive it:
 *
 *   await using app = await startSignUp({ smtp: { port: appliance.smtpPort } });
 *   await page.goto(app.url);
 *   await page.getByLabel('Email address').fill(address);          // #email
 *   await page.getByRole('button', { name: 'Email me a code' });   // #send-code, or #send-link for a magic link
 *   await page.getByLabel('Code').fill(code);                      // #code, then #sign-in
 *   await page.getByRole('heading', { name: 'Welcome' });          // #welcome, with the address in #who
 *
 * A wrong code shows #fault. A code or link works once, and a new one (#send-again) invalidates the previous one.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { createTransport } from 'nodemailer';

export interface SignUpOptions {
  /** Where the app sends its mail, in clear text. */
  smtp: { host?: string; port: number; auth?: { user: string; pass: string } };
  /** The sender of its mail. */
  from?: string;
  /** A free port by default. */
  port?: number;
}

export interface SignUpApp extends AsyncDisposable {
  /** The page with the form; it ends with a slash. */
  url: string;
  /** Addresses that have signed in, in order. */
  signedIn: readonly string[];
}

interface Invitation {
  email: string;
  code: string;
  token: string;
  wrong: number;
}

const WRONG_MAX = 5;
const COOKIE = 'sign_up';

export async function startSignUp({ smtp, from = SENDER, port = 0 }: SignUpOptions): Promise<SignUpApp> {
  const transport = createTransport({ host: '127.0.0.1', ignoreTLS: true, ...smtp });
  const app = new SignUps((to, mail) => transport.sendMail({ from, to, ...mail }));
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    routes: {
      '/': () => show(askEmail()),
      '/invite': { POST: (request, { url }) => app.invite(request, url) },
      '/code': { POST: (request) => app.enter(request) },
      '/verify': { GET: (request) => app.follow(request) },
    },
    fetch: () => new Response('Not found', { status: 404 }),
  });
  return {
    url: server.url.href,
    signedIn: app.signedIn,
    async [Symbol.asyncDispose]() {
      transport.close();
      await server.stop(true);
    },
  };
}

class SignUps {
  readonly signedIn: string[] = [];
  /** The invitations, by the browser's cookie. */
  private readonly pending = new Map<string, Invitation>();

  constructor(private readonly send: (to: string, mail: object) => Promise<unknown>) {}

  async invite(request: Request, base: URL): Promise<Response> {
    const form = await request.formData();
    const email = String(form.get('email') ?? '').trim();
    if (!/^[^\s@<>]+@[^\s@<>]+$/.test(email)) return show(askEmail('Enter a valid email address.'), 422);
    const by = form.get('by') === 'link' ? 'link' : 'code';
    const invitation = { email, code: makeCode(), token: randomBytes(24).toString('base64url'), wrong: 0 };
    const browser = readCookie(request) ?? randomBytes(16).toString('hex');
    this.pending.set(browser, invitation);
    await this.send(email, writeMail(by, invitation, base));
    const page = by === 'code' ? askCode(email) : confirmLink(email);
    return show(page, 200, { 'set-cookie': `${COOKIE}=${browser}; Path=/; HttpOnly; SameSite=Lax` });
  }

  async enter(request: Request): Promise<Response> {
    const browser = readCookie(request) ?? '';
    const invitation = this.pending.get(browser);
    if (!invitation) return show(askEmail('Ask for a new code.'), 410);
    const given = String((await request.formData()).get('code') ?? '').replace(/[\s-]/g, '');
    if (given === invitation.code) return this.welcome(browser, invitation.email);
    if (++invitation.wrong < WRONG_MAX) return show(askCode(invitation.email, 'That code is wrong.'), 422);
    this.pending.delete(browser);
    return show(askEmail('Too many wrong codes. Ask for a new one.'), 429);
  }

  /** Accepts the link in any browser, because a mail is often opened on another device. */
  follow(request: Request): Response {
    const token = new URL(request.url).searchParams.get('token');
    const found = [...this.pending].find(([, invitation]) => invitation.token === token);
    return found ? this.welcome(found[0], found[1].email) : show(askEmail('This link has been used.'), 410);
  }

  private welcome(browser: string, email: string): Response {
    this.pending.delete(browser);
    this.signedIn.push(email);
    const who = `<b id="who">${Bun.escapeHTML(email)}</b>`;
    return show(`<h1 id="welcome">Welcome</h1><p>You are signed in as ${who}.</p>`);
  }
}

const SENDER = 'Harbour <no-reply@harbour.example>';

/** Writes a mail that has other numbers and links around the real one, as mails of real apps do. */
function writeMail(by: 'code' | 'link', { code, token }: Invitation, base: URL) {
  const link = new URL(`/verify?token=${token}`, base).href;
  const lead =
    by === 'code' ? 'Your verification code is:' : 'Confirm your email address to finish signing up:';
  const rest = [
    'It expires in 10 minutes. If you did not ask for it, ignore this email.',
    'Harbour Ltd, 4100 Quay Road, Suite 220. Questions? Call +44 20 7946 0958.',
    `Unsubscribe: ${new URL('/unsubscribe?u=771204', base).href}`,
  ];
  const shown =
    by === 'code'
      ? `<p style="font-size:32px">${code}</p>`
      : `<p><a href="${link}">Confirm email address</a></p>`;
  return {
    subject: by === 'code' ? 'Your Harbour verification code' : 'Confirm your email address',
    text: [lead, by === 'code' ? code : link, ...rest].join('\n\n'),
    html: `<p>${lead}</p>${shown}${rest.map((line) => `<p>${line}</p>`).join('')}`,
  };
}

/** Returns six digits, of which the first is not 0. */
function makeCode(): string {
  return String(randomInt(100_000, 1_000_000));
}

function askEmail(fault = ''): string {
  return `<h1>Sign up</h1>${showFault(fault)}
    <form method="post" action="/invite">
      <label for="email">Email address</label>
      <input id="email" name="email" type="email" autocomplete="email" required>
      <button id="send-code" name="by" value="code">Email me a code</button>
      <button id="send-link" name="by" value="link">Email me a link</button>
    </form>`;
}

function askCode(email: string, fault = ''): string {
  return `<h1>Check your email</h1><p>We sent a code to <b>${Bun.escapeHTML(email)}</b>.</p>${showFault(fault)}
    <form method="post" action="/code">
      <label for="code">Code</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>
      <button id="sign-in">Sign in</button>
    </form>
    <form method="post" action="/invite">
      <input type="hidden" name="email" value="${Bun.escapeHTML(email)}">
      <button id="send-again" name="by" value="code">Send a new code</button>
    </form>`;
}

function confirmLink(email: string): string {
  return `<h1>Check your email</h1><p>We sent a link to <b>${Bun.escapeHTML(email)}</b>.</p>`;
}

function showFault(fault: string): string {
  return fault === '' ? '' : `<p id="fault" role="alert">${Bun.escapeHTML(fault)}</p>`;
}

function show(body: string, status = 200, headers: Record<string, string> = {}): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Harbour</title><link rel="icon" href="data:,">
    <main>${body}</main></html>`;
  return new Response(html, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
}

function readCookie(request: Request): string | null {
  return new RegExp(`${COOKIE}=([0-9a-f]{32})`).exec(request.headers.get('cookie') ?? '')?.[1] ?? null;
}
