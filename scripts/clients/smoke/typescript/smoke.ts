// A code by mail, with the types that openapi-typescript generates, and openapi-fetch.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

const { POSTERN_URL: baseUrl = '', POSTERN_API_KEY: key, POSTERN_SMTP: smtp = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

async function send(address: string): Promise<void> {
  const [host = '', port] = smtp.split(':');
  const socket = connect(Number(port), host);
  const mail = `From: app@example.com\r\nTo: ${address}\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n.`;
  const lines = ['EHLO smoke', 'MAIL FROM:<app@example.com>', `RCPT TO:<${address}>`, 'DATA', mail, 'QUIT'];
  for await (const reply of createInterface(socket)) {
    if (reply > '4') throw new Error(reply);
    if (reply[3] === '-') continue;
    const line = lines.shift();
    if (line !== undefined) socket.write(`${line}\r\n`);
  }
}

const { data: created } = await client.POST('/api/v1/inboxes', { body: { label: 'smoke' } });
if (!created) throw new Error('no inbox was created');
const params = { path: { id: created.data.id } };
await send(created.data.address);
const { data: waited } = await client.GET('/api/v1/inboxes/{id}/messages/wait', {
  params: { ...params, query: { since: '0' } },
});
if (!waited) throw new Error('no message came');
const { data: read } = await client.GET('/api/v1/messages/{id}', {
  params: { path: { id: waited.data.id } },
});
const { response } = await client.DELETE('/api/v1/inboxes/{id}', { params });
const { error } = await client.GET('/api/v1/inboxes/{id}', { params });
console.log(read?.data.otp, read?.data.subject, response.status, error?.error.code);
