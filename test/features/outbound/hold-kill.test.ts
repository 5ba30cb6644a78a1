/** Held emails and SIGKILL: a server is killed right after each answer, and none is lost, changed or sent unapproved. */
import { expect, test } from 'bun:test';
import { type Serving, startServing } from '../../doors/operator/command-process.ts';
import { until } from '../../until.ts';
import { startFarEnd } from './far-end.ts';
import { readySender } from './ready-sender.ts';

const ROUNDS = 3;

test('an email stays held after a kill, and is sent once it is approved, however often the server is killed', async () => {
  await using end = await startFarEnd();
  const { dns, far, env, run } = end;
  let serving = await startServing(['serve'], env);
  const kill = async (which: Serving) => {
    which.kill('SIGKILL');
    await which.exited;
    serving = await startServing(['serve'], env);
  };
  try {
    const owner = await readySender(serving.ready.http, run, dns, 'shop.example');
    await run('member', 'add', 'sender@example.org', '--email', 'agent@example.org');
    const { api_key: member = '' } = await run(
      'key',
      'create',
      'sender@example.org',
      '--as',
      'agent@example.org',
    );
    const ask = async (key: string, method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return (await fetch(`${serving.ready.http}/api/v1${path}`, init)).text();
    };
    await ask(owner, 'PUT', '/outbound_hold', { enabled: true });
    for (let round = 0; round < ROUNDS; round++) {
      const subject = `Round ${round}`;
      const email = { from_address: 'a@shop.example', to: ['ann@far.test'], subject, body_text: 'x' };
      const { data } = JSON.parse(await ask(member, 'POST', '/outbound_emails', email));
      await kill(serving);
      const path = `/outbound_emails/${data.id}`;
      const before = await ask(owner, 'GET', `${path}/raw`);
      expect(before).toContain(`Subject: ${subject}\r\n`);
      expect(JSON.parse(await ask(owner, 'GET', path)).data.status).toBe('held');
      expect(JSON.parse(await ask(owner, 'POST', `${path}/approve`)).data.status).toBe('queued');
      await kill(serving);
      const arrived = () => far.mails.filter(({ data: bytes }) => bytes.includes(`Subject: ${subject}\r\n`));
      await until(() => arrived().length > 0, 20_000);
      const from = (bytes: string) => bytes.slice(bytes.indexOf('From: '));
      expect(from(arrived()[0]!.data)).toBe(from(before));
    }
  } finally {
    await serving[Symbol.asyncDispose]();
  }
}, 90_000);
