/** The log: a message can be followed in it, and it contains no secrets. */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { jobs } from '../../../src/app/jobs.ts';
import { createAccount } from '../../../src/features/accounts/create.ts';

import { rotateSecret } from '../../../src/features/webhooks/configure.ts';
import { viewNewSecret } from '../../../src/features/webhooks/view.ts';
import { Hooked, makeSurroundings, startHooked } from '../../features/webhooks/hooked.ts';
import { SmtpClient, sendMail } from '../../peers/smtp-client.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Visitor } from '../dashboard/visitor.ts';

interface Line {
  message: string;
  session?: string;
  id?: string;
}

const listLines = (appliance: RunningAppliance) => appliance.logged.map((line) => JSON.parse(line) as Line);

test('the log can be followed from an SMTP session to the webhook attempt by one id', async () => {
  await using one = await startHooked({ logLevel: 'debug' });
  const { appliance, hooked } = one;
  const raw = 'Subject: x\r\n\r\nx\r\n';
  await sendMail({ port: appliance.smtpPort, from: 'a@example.org', to: [hooked.inbox.address], raw });
  await hooked.attempted(1);
  await until(() => listLines(appliance).some(({ message }) => message === 'webhook attempt'));
  const stored = listLines(appliance).find(({ message }) => message === 'message stored');
  const attempt = listLines(appliance).find(({ message }) => message === 'webhook attempt');
  expect(stored?.session).toMatch(/^\w+$/);
  expect(attempt).toMatchObject({
    session: stored?.session,
    id: stored?.id,
    outcome: 'delivered',
    attempt: 1,
    status: 200,
  });
});

/** Unique words that are in no dictionary. If one is in the log, it came from this test. */
const secret = (name: string) => `${name}Zq${randomBytes(9).toString('hex')}`;

/** Secrets of this test; none may be logged. */
class Secrets {
  readonly kept: string[] = [];
  readonly keep = (text: string) => {
    this.kept.push(text);
    return text;
  };
  readonly makeSecret = (name: string) => this.keep(secret(name));
}

/** People and keys, valid and invalid. */
async function signAllIn(appliance: RunningAppliance, { keep, makeSecret }: Secrets): Promise<Holder> {
  const password = makeSecret('password');
  const email = 'owner@example.org';
  const { account, api_key } = await createAccount(appliance.services, { email, password });
  const visitor = new Visitor(appliance);
  expect((await visitor.signIn(email, password)).status).toBeLessThan(300);
  keep(visitor.token);
  expect((await visitor.signIn(email, makeSecret('wrong'))).status).toBe(401);
  await appliance.request('GET', '/api/v1/account', { key: makeSecret('wrongkey') });
  const agent = await appliance.request('POST', '/api/v1/agents/register', {
    body: { name: makeSecret('agent') },
    headers: { 'idempotency-key': makeSecret('idempotency') },
  });
  keep(agent.json.data.api_key);
  return { account, key: keep(api_key) };
}

/** Mail that is accepted, refused, odd, and cut off. */
async function sendAllKinds(port: number, to: string, { keep, makeSecret }: Secrets): Promise<void> {
  const mail = (more = '') =>
    `From: "${makeSecret('name')}" <${makeSecret('from')}@example.org>\r\nSubject: ${makeSecret('subject')}\r\n` +
    `Message-ID: <${makeSecret('mid')}@x>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n` +
    `${more}\r\n--b\r\n\r\nYour code is ${keep('804731')} https://example.org/${makeSecret('link')} ${makeSecret('body')}\r\n` +
    `--b\r\nContent-Disposition: attachment; filename=${makeSecret('file')}\r\n\r\n${makeSecret('attached')}\r\n--b--\r\n`;
  const from = 'sender@example.org';
  expect((await sendMail({ port, from, to: [to], raw: mail() })).data?.code).toBe(250);
  await sendMail({ port, from, to: [to], raw: mail('Received: x\r\n'.repeat(120)) });
  await sendMail({ port, from, to: [to], raw: mail(`X-Odd: ${'('.repeat(2_000)}\r\n`) });
  await sendMail({ port, from, to: ['nobody@postern.test'], raw: mail() });
  const dropped = await SmtpClient.greet({ port });
  await dropped.say(`MAIL FROM:<${from}>`, 250);
  await dropped.say(`RCPT TO:<${to}>`, 250);
  await dropped.say('DATA', 354);
  dropped.write(`Subject: ${makeSecret('half')}\r\n\r\n${makeSecret('halfbody')}\r\n`);
  dropped.close();
}

test('no secret and no content of mail is logged, even at the lowest level', async () => {
  await using around = await makeSurroundings();
  const settings = { ...around.settings, metrics: 'on', authentication: 'all', agent_registration: 'on' };
  await using appliance = await startAppliance({ settings, logLevel: 'debug' });
  const secrets = new Secrets();
  const { keep, makeSecret, kept } = secrets;
  const holder = await signAllIn(appliance, secrets);
  const { key } = holder;

  // A webhook that fails, with a secret in its path and one in its receiver's response.
  const hooked = await Hooked.make(appliance, `${around.url}?token=${makeSecret('url')}`, holder);
  keep(hooked.secret);
  around.receiver.answer({ status: 500, body: makeSecret('receiver') });
  keep(viewNewSecret(appliance.services.key, await rotateSecret(appliance.services, hooked.webhook)).secret);

  const path = `/api/v1/inboxes/${hooked.inbox.id}`;
  const waiting = appliance.request('GET', `${path}/messages/wait?require=message`, { key });
  await sendAllKinds(appliance.smtpPort, hooked.inbox.address, secrets);
  expect((await waiting).status).toBe(200);
  for (const query of [
    'messages?q=',
    'messages?subject_contains=',
    'messages/wait?timeout=1&subject_contains=',
  ])
    await appliance.request('GET', `${path}/${query}${makeSecret('query')}`, { key });
  const body = { label: makeSecret('label'), metadata: { a: makeSecret('metadata') } };
  await appliance.request('POST', '/api/v1/inboxes', { key, body });
  await appliance.request('POST', '/api/v1/inboxes', { key, body: `{"label": "${makeSecret('broken')}` });
  await hooked.attempted(1);
  for (const job of jobs) await appliance.run(job);

  await until(() => appliance.logged.join('').includes('the client hung up before'));
  const log = appliance.logged.join('');
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.filter((text) => log.includes(text))).toEqual([]);
  for (const message of ['message stored', 'message refused', 'recipient refused', 'webhook attempt'])
    expect(log).toContain(message);
});

test('the login of a capture-mode client is not logged', async () => {
  const apiKey = secret('capture');
  await using appliance = await startAppliance({ capture: { apiKey }, logLevel: 'debug' });
  const password = secret('password');
  const client = await SmtpClient.greet({ port: appliance.smtpPort });
  await client.say(`AUTH PLAIN ${Buffer.from(`\0user\0${password}`).toString('base64')}`, 235);
  await client.say('QUIT', 221);
  const log = appliance.logged.join('');
  expect([
    log.includes(apiKey),
    log.includes(password),
    log.includes(Buffer.from(`\0user\0${password}`).toString('base64')),
  ]).toEqual([false, false, false]);
});
