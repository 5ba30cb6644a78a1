/**
 * A server that is killed with SIGKILL while mail with a forwarding rule arrives, and restarted on the same folder:
 * each message that was answered 250 has one line in its diary, became one email, and reached Ann.
 */
import { expect, test } from 'bun:test';
import { type Serving, startServing } from '../../doors/operator/command-process.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { until } from '../../until.ts';
import { startFarEnd } from '../outbound/far-end.ts';
import { readySender } from '../outbound/ready-sender.ts';
import { makeRaw } from './forwarding.ts';

const KILLS = 3;
const MAILS = 60;
const CLIENTS = 4;
const DOMAIN = 'shop.example';

interface Api {
  serving: Serving;
  key: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers as they are on the wire.
async function call({ serving, key }: Api, method: string, path: string, body?: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${serving.ready.http}/api/v1${path}`, init);
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Sends mails one after another until the server is killed, and notes those that are answered 250. */
async function sendUntilCut(
  { serving }: Api,
  next: () => number | null,
  accepted: Set<string>,
): Promise<void> {
  const port = Number(serving.ready.smtp.split(':').at(-1));
  for (let number = next(); number !== null; number = next()) {
    const subject = `message ${number}`;
    const mail = { port, from: 'bob@else.test', to: [`desk@${DOMAIN}`], raw: makeRaw(subject) };
    const reply = await sendMail(mail).catch(() => null);
    if (!reply) return;
    if (reply.data?.code === 250) accepted.add(subject);
  }
}

test('a rule forwards each message once, whenever the server is killed', async () => {
  await using end = await startFarEnd({ POSTERN_AUTHENTICATION: 'off' });
  const { dns, far, env, run } = end;
  const api: Api = { serving: await startServing(['serve'], env), key: '' };
  const accepted = new Set<string>();
  let number = 0;
  const load = (until: number) => {
    const next = () => (number < until ? number++ : null);
    return Promise.all(Array.from({ length: CLIENTS }, () => sendUntilCut(api, next, accepted)));
  };
  try {
    api.key = await readySender(api.serving.ready.http, run, dns, DOMAIN);
    const [{ id }] = (await call(api, 'GET', '/domains')).data;
    await call(api, 'POST', '/inboxes', { domain: id, routing_key: 'desk' });
    await call(api, 'POST', '/outbound_allowlist', { email: 'ann@far.test' });
    await call(api, 'POST', '/rules', { forward_to: ['ann@far.test'], tags: ['seen'] });
    for (let kill = 1; kill <= KILLS; kill++) {
      const loads = load((MAILS * kill) / KILLS);
      await until(() => number >= (MAILS * (kill - 0.5)) / KILLS, 60_000);
      await Bun.sleep(Math.random() * 50);
      api.serving.kill('SIGKILL');
      await Promise.all([api.serving.exited, loads]);
      api.serving = await startServing(['serve'], env);
    }
    const arrived = () => new Set(far.mails.map(({ data }) => /^Subject: (.*)\r$/m.exec(data)?.[1]));
    await until(() => accepted.isSubsetOf(arrived()), 60_000);
    const { data: messages } = await call(api, 'GET', '/messages?limit=100');
    const emails = new Set<string>();
    for (const message of messages) {
      expect(message.tags).toEqual(['seen']);
      const { data: diary } = await call(api, 'GET', `/messages/${message.id}/diary`);
      const forwards = diary.filter(({ action }: { action: string }) => action === 'forward');
      expect(forwards).toHaveLength(1);
      expect(forwards[0].status).toBe('done');
      emails.add(forwards[0].outbound_email_id);
    }
    const { data: sent } = await call(api, 'GET', '/outbound_emails?limit=100');
    expect(accepted.size).toBeGreaterThan(20);
    expect(emails.size).toBe(messages.length);
    expect(sent).toHaveLength(messages.length);
  } finally {
    api.serving.kill('SIGKILL');
    await api.serving.exited;
  }
}, 120_000);
