// npm install nodemailer; node --test sign-in.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import nodemailer from 'nodemailer';

const { POSTERN_URL = 'http://127.0.0.1:8025', SMTP_PORT = '1025' } = process.env;

test('the sign-in mail carries the code', async () => {
  const to = `${crypto.randomUUID()}@example.com`;
  const app = nodemailer.createTransport({ host: 'localhost', port: Number(SMTP_PORT) });
  await app.sendMail({ from: 'app@example.com', to, subject: 'Sign in', text: 'Your code is 493817.' });

  const response = await fetch(`${POSTERN_URL}/api/v1/inboxes/${to}/messages/wait?since=0`);
  assert.equal((await response.json()).data.otp, '493817');
});
