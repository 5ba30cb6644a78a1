/** Many things at once: connections, slow readers, large mails, clients that disconnect. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { posternJson, startServing } from '../doors/operator/command-process.ts';
import { temporaryFolder } from '../doors/operator/folder.ts';
import { Mailbox } from '../doors/smtp/mailbox.ts';
import { SmtpClient, sendMail } from '../peers/smtp-client.ts';
import { startAppliance } from '../start.ts';

test('five hundred connections at the same time each have their mail stored, once', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const boxes = await Promise.all(Array.from({ length: 10 }, () => Mailbox.open(appliance)));
  const port = appliance.smtpPort;
  const clients = await Promise.all(
    Array.from({ length: 500 }, () => SmtpClient.greet({ port, timeoutMs: 20_000 })),
  );
  // Sessions without an envelope would be closed to make room.
  await Promise.all(clients.map((client) => client.say('MAIL FROM:<a@example.org>', 250)));
  using surplus = await SmtpClient.connect({ port });
  await surplus.expect(421);
  await Promise.all(
    clients.map(async (client, index) => {
      await client.say(`RCPT TO:<${boxes[index % 10]!.address}>`, 250);
      await client.say('DATA', 354);
      client.data(`Subject: ${index}\r\n\r\nx\r\n`);
      await client.expect(250);
      client.close();
    }),
  );
  for (const [index, box] of boxes.entries()) {
    const subjects = (await box.subjects()).map(Number).sort((a, b) => a - b);
    expect(subjects).toEqual(Array.from({ length: 50 }, (_, turn) => turn * 10 + index));
  }
}, 30_000);

test('clients that idle, never read, or send a byte now and then do not hold up the others', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const box = await Mailbox.open(appliance);
  const port = appliance.smtpPort;
  const idle = await Promise.all(Array.from({ length: 50 }, () => SmtpClient.greet({ port })));
  // They keep writing and never read the replies. The kernel’s buffers and ours bound that.
  const deaf = Array.from({ length: 50 }, () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
    socket.pause();
    socket.write(`EHLO x\r\n${'NOOP\r\n'.repeat(20_000)}`);
    return socket;
  });
  const dripping = await Promise.all(Array.from({ length: 20 }, () => SmtpClient.greet({ port })));
  const drip = setInterval(() => {
    for (const client of dripping) client.write('N');
  }, 50);
  const began = performance.now();
  for (let count = 0; count < 20; count++)
    expect((await box.send(`Subject: ${count}\r\n\r\nx\r\n`)).data?.code).toBe(250);
  // If they were blocked, each would wait a minute for an idle session to end.
  expect(performance.now() - began).toBeLessThan(20_000);
  clearInterval(drip);
  for (const client of [...idle, ...dripping]) client.close();
  for (const socket of deaf) socket.destroy();
}, 30_000);

test('a message whose client disconnects while it is stored exists whole or not at all', async () => {
  await using appliance = await startAppliance({ settings: { limits: 'off' } });
  const box = await Mailbox.open(appliance);
  for (let round = 0; round < 60; round++) {
    const raw = `Subject: ${round}\r\n\r\n${'x'.repeat(round * 1000)}\r\n`;
    using client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say(`RCPT TO:<${box.address}>`, 250);
    await client.say('DATA', 354);
    client.data(raw);
    // After a varying time: before the last byte is read, in the parser, in the commit.
    for (let turn = 0; turn < round % 12; turn++) await new Promise((resolve) => setImmediate(resolve));
    client.close();
  }
  expect((await box.send('Subject: last\r\n\r\nx\r\n')).data?.code).toBe(250);
  const list = await box.list();
  expect(new Set(list.map(({ subject }) => subject)).size).toBe(list.length);
  for (const { id, subject, size } of list) {
    const text = (await box.raw(id)).toString();
    expect(text.length).toBe(size);
    if (subject !== 'last')
      expect(text).toBe(`Subject: ${subject}\r\n\r\n${'x'.repeat(Number(subject) * 1000)}\r\n`);
  }
  expect(readdirSync(join(appliance.dataDir, 'spool'))).toEqual([]);
}, 30_000);

test('four simultaneous messages of 25 MiB are stored whole within the memory bound', async () => {
  using folder = temporaryFolder();
  const env = { POSTERN_DATA_DIR: folder.path, POSTERN_DISK_FLOOR: '0', POSTERN_LIMITS: 'off' };
  const { api_key } = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', 'a@b.example'],
    env,
  );
  await using server = await startServing(['serve'], env);
  const get = (path: string, method = 'GET') =>
    fetch(`${server.ready.http}/api/v1${path}`, { method, headers: { authorization: `Bearer ${api_key}` } });
  const { data: inbox } = (await (await get('/inboxes', 'POST')).json()) as {
    data: { id: string; address: string };
  };
  const port = Number(server.ready.smtp.split(':').at(-1));
  const size = 25 * 1024 * 1024;
  const head =
    'Subject: large\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  const line = `${'QUJD'.repeat(19)}\r\n`;
  const raw = Buffer.from(`${head}${line.repeat(Math.floor((size - head.length) / line.length))}`);

  let rssMbMax = 0;
  const watch = setInterval(() => {
    const pages = Number(readFileSync(`/proc/${server.ready.pid}/statm`, 'latin1').split(' ')[1]);
    rssMbMax = Math.max(rssMbMax, (pages * 4096) / 1e6);
  }, 20);
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => sendMail({ port, from: 'a@b.example', to: [inbox.address], raw })),
  ).finally(() => clearInterval(watch));
  expect(replies.map(({ data }) => data?.code)).toEqual([250, 250, 250, 250]);
  expect(rssMbMax).toBeLessThan(350);
  const { data } = (await (await get(`/inboxes/${inbox.id}/messages`)).json()) as {
    data: { id: string; status: string }[];
  };
  expect(data.map(({ status }) => status)).toEqual(['parsed', 'parsed', 'parsed', 'parsed']);
  for (const { id } of data) {
    const bytes = Buffer.from(await (await get(`/messages/${id}/raw`)).arrayBuffer());
    expect(bytes.subarray(-raw.length).equals(raw)).toBe(true);
  }
  console.log(`main thread's process at most ${Math.round(rssMbMax)} MB`);
}, 60_000);
