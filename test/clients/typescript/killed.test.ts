/** The client with a real server that is killed and started again. */
import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { Postern } from '../../../clients/typescript/src/index.ts';
import { posternJson, startServing } from '../../doors/operator/command-process.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { until } from '../../until.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { sendMail } from './runner/smtp-mail.ts';

const KILLS = 2;

test('a stream and waits survive a kill -9 of the server, and get each message once', async () => {
  using folder = temporaryFolder();
  const env = { POSTERN_DATA_DIR: folder.path, POSTERN_LIMITS: 'off', POSTERN_DISK_FLOOR: '0' };
  let server = await startServing(['serve'], env);
  const email = 'ann@example.com';
  const { api_key: apiKey } = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', email, '--plan', 'business'],
    env,
  );
  await using proxy = await CuttingProxy.open(Number(new URL(server.ready.http).port), []);
  const client = new Postern({ url: proxy.url, apiKey });
  const streamed = await client.inboxes.create();
  const waited = await client.inboxes.create();
  const giveUp = new AbortController();
  const seen: string[] = [];
  const claimed: string[] = [];
  const { signal } = giveUp;
  const streaming = (async () => {
    for await (const { subject } of streamed.stream({ since: 0, signal })) seen.push(subject);
  })().catch((reason: unknown) => reason);
  const waiting = Promise.all(
    [0, 1].map(async () => {
      for (;;) claimed.push((await waited.waitForMessage({ timeoutMs: 60_000, signal })).subject);
    }),
  ).catch((reason: unknown) => reason);
  const sent: string[] = [];
  for (let round = 0; round <= KILLS; round++) {
    for (let mail = 0; mail < 4; mail++) {
      const subject = `mail ${round} ${mail}`;
      sent.push(subject);
      for (const to of [streamed.address, waited.address]) await sendMail(server.ready.smtp, { to, subject });
    }
    if (round === KILLS) break;
    // While answers may be on their way.
    server.kill('SIGKILL');
    await server.exited;
    server = await startServing(['serve'], env);
    proxy.targetPort = Number(new URL(server.ready.http).port);
  }
  await until(() => seen.length >= sent.length && claimed.length >= sent.length, 30_000);
  giveUp.abort(new Error('enough'));
  expect(await Promise.all([streaming, waiting])).toEqual([new Error('enough'), new Error('enough')]);
  expect(seen).toEqual(sent);
  expect(claimed.toSorted()).toEqual(sent.toSorted());
  await Bun.sleep(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  await server[Symbol.asyncDispose]();
}, 90_000);
