/** `postern mcp`: the same tools on standard input and output, for a server elsewhere. */
import { expect, test } from 'bun:test';
import { sendMail } from '../../peers/smtp-client.ts';
import { startServing } from '../operator/command-process.ts';
import { Agent } from './agent.ts';

const raw = 'Subject: Your code\r\n\r\nYour verification code is 493817.\r\n';

test('an agent gets an inbox and its code through postern mcp', async () => {
  await using serving = await startServing(['capture']);
  await using agent = await Agent.overStdio(serving.ready.http);
  const { json } = await agent.use('create_inbox', { label: 'sign-up' });
  const { address } = json.inbox;
  const waiting = agent.use('wait_for_code', { inbox: address });
  const port = Number(serving.ready.smtp.split(':').at(-1));
  await sendMail({ port, from: 'shop@example.org', to: [address], raw });
  expect((await waiting).json).toMatchObject({ found: true, code: '493817' });
});

test('without a server, a tool says what to do', async () => {
  await using agent = await Agent.overStdio('http://127.0.0.1:9');
  const { isError, json } = await agent.use('list_inboxes');
  expect({ isError, code: json.error.code }).toEqual({ isError: true, code: 'server_unreachable' });
  expect(json.error.message).toContain('postern capture');
});

test('with a URL that has one path too many, a tool says so', async () => {
  await using serving = await startServing(['capture']);
  await using agent = await Agent.overStdio(`${serving.ready.http}/mcp`);
  const { json } = await agent.use('list_inboxes');
  expect(json.error).toMatchObject({
    code: 'server_unreachable',
    message: expect.stringContaining('There is no Postern at'),
  });
});

test('an answer that is not from a Postern is reported as such', async () => {
  using proxy = Bun.serve({ port: 0, fetch: () => new Response('<h1>Bad gateway</h1>', { status: 502 }) });
  await using agent = await Agent.overStdio(`http://127.0.0.1:${proxy.port}`);
  const { json } = await agent.use('list_inboxes');
  expect(json.error).toMatchObject({ code: 'server_unreachable', message: expect.stringContaining('502') });
});

test('a wait continues through a restart of the server and loses nothing', async () => {
  await using serving = await startServing(['capture']);
  const upstream = new URL(serving.ready.http);
  let down = new AbortController();
  let waits = 0;
  const began = Promise.withResolvers<void>();
  // A proxy whose server is away for a while, since a capture that restarts has forgotten its mail.
  using proxy = Bun.serve({
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const gone = () => new Response('Bad gateway', { status: 502 });
      if (down.signal.aborted) return gone();
      const url = new URL(request.url);
      if (url.pathname.endsWith('/wait')) {
        waits += 1;
        // The first wait times out at once: the tool tries again only after the server has answered.
        if (waits === 1) url.searchParams.set('timeout', '1');
        if (waits === 2) began.resolve();
      }
      const signal = AbortSignal.any([request.signal, down.signal]);
      return fetch(new URL(url.pathname + url.search, upstream), { signal }).catch(gone);
    },
  });
  await using agent = await Agent.overStdio(`http://127.0.0.1:${proxy.port}`);
  const waiting = agent.use('wait_for_code', { inbox: 'ann@example.com', timeout: 40 });
  await began.promise;
  down.abort();
  const port = Number(serving.ready.smtp.split(':').at(-1));
  await sendMail({ port, from: 'shop@example.org', to: ['ann@example.com'], raw });
  await Bun.sleep(400);
  down = new AbortController();
  expect((await waiting).json).toMatchObject({ found: true, code: '493817' });
}, 60_000);
