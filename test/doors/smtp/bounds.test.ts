/** What the server bounds for a client: size, recipients, hops, faults, time, connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { ownAddress } from '../../peers/own-address.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { until } from '../../until.ts';
import { Mailbox } from './mailbox.ts';

let appliance: RunningAppliance;
let ann: Mailbox;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { smtp_max_size: '65536', smtp_idle_s: '1' } });
  ann = await Mailbox.open(appliance, { routing_key: 'ann' });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const greet = () => SmtpClient.greet({ port: appliance.smtpPort });

/** Sends everything that comes before the message's bytes. */
async function startData(
  to = ann.address,
  where: { host?: string; port: number } = { port: appliance.smtpPort },
): Promise<SmtpClient> {
  const client = await SmtpClient.greet(where);
  await client.say('MAIL FROM:<a@example.org>', 250);
  await client.say(`RCPT TO:<${to}>`, 250);
  await client.say('DATA', 354);
  return client;
}

describe('size', () => {
  test('a SIZE over the bound is refused at MAIL, one at it is not', async () => {
    using client = await greet();
    expect((await client.say('MAIL FROM:<a@example.org> SIZE=65537', 552)).lines[0]).toStartWith('5.3.4 ');
    await client.say('MAIL FROM:<a@example.org> SIZE=99999999999999999999', 552);
    await client.say('MAIL FROM:<a@example.org> SIZE=x', 501);
    await client.say('MAIL FROM:<a@example.org> SIZE=-1', 501);
    await client.say('MAIL FROM:<a@example.org> SIZE=65536 BODY=8BITMIME', 250);
  });

  test('a message over the bound is refused after its end, and the session continues', async () => {
    const box = await Mailbox.open(appliance);
    using client = await startData(box.address);
    client.data(`Subject: big\r\n\r\n${'x'.repeat(70_000)}\r\n`);
    expect((await client.expect(552)).lines[0]).toStartWith('5.3.4 ');
    await client.deliver('a@example.org', box.address, 'Subject: small\r\n\r\nx\r\n');
    expect(await box.subjects()).toEqual(['small']);
  });

  test('the bound is exact, whatever SIZE announced', async () => {
    const head = 'Subject: exact\r\n\r\n';
    const exact = `${head}${'x'.repeat(65_536 - head.length - 2)}\r\n`;
    for (const [raw, code] of [
      [exact, 250],
      [`x${exact}`, 552],
    ] as const) {
      using client = await greet();
      await client.say('MAIL FROM:<a@example.org> SIZE=10', 250);
      await client.say(`RCPT TO:<${ann.address}>`, 250);
      await client.say('DATA', 354);
      client.data(raw);
      await client.expect(code);
    }
    expect((await ann.latest()).size).toBe(65_536);
  });

  test('a dropped connection in mid-transfer leaves nothing', async () => {
    const box = await Mailbox.open(appliance);
    for (const bytes of [0, 100, 60_000]) {
      const client = await startData(box.address);
      client.write(`Subject: cut\r\n\r\n${'x'.repeat(bytes)}\r\n.`);
      client.close();
      const ended = await startData(box.address);
      ended.write('Subject: cut\r\n\r\nx\r\n');
      ended.finish();
      await ended.closed();
    }
    await ann.receive('Subject: after\r\n\r\nx\r\n');
    expect(await box.subjects()).toEqual([]);
    expect(readdirSync(join(appliance.dataDir, 'spool'))).toEqual([]);
  });
});

describe('counts', () => {
  test('a hundred recipients get the message, and further ones 452', async () => {
    const boxes = await Promise.all(Array.from({ length: 3 }, () => Mailbox.open(appliance)));
    using client = await greet();
    client.write('MAIL FROM:<a@example.org>\r\n');
    const [first, last, beyond] = boxes as [Mailbox, Mailbox, Mailbox];
    const tags = Array.from({ length: 98 }, (_, index) => ann.address.replace('@', `+t${index}@`));
    for (const to of [first.address, ...tags, last.address, beyond.address, beyond.address])
      client.write(`RCPT TO:<${to}>\r\n`);
    for (let count = 0; count < 101; count++) await client.expect(250);
    expect((await client.expect(452)).lines[0]).toStartWith('4.5.3 ');
    await client.expect(452);
    // A recipient that is already in the list does not count again.
    await client.say(`RCPT TO:<${last.address}>`, 250);
    await client.say('DATA', 354);
    client.data('Subject: many\r\n\r\nx\r\n');
    await client.expect(250);
    expect(await first.subjects()).toEqual(['many']);
    expect(await last.subjects()).toEqual(['many']);
    expect(await beyond.subjects()).toEqual([]);
    expect((await ann.list()).filter(({ subject }) => subject === 'many')).toHaveLength(98);
  });

  test('a message with more than a hundred Received headers is refused as a loop', async () => {
    for (const [hops, code] of [
      [100, 250],
      [101, 554],
    ] as const) {
      using client = await startData();
      const trace = 'Received: from a by b;\r\n\tSat, 21 Nov 2026 08:00:00 +0000\r\n'.repeat(hops);
      client.data(`${trace}Subject: hops\r\n\r\nReceived: in the body\r\n`);
      const reply = await client.expect(code);
      if (code === 554) expect(reply.lines[0]).toStartWith('5.4.6 ');
    }
    // Odd forms of the same header. The same word in a body does not count.
    using odd = await startData();
    odd.data(`${'RECEIVED : x\nreceived: y\r\n'.repeat(51)}\r\nx\r\n`);
    await odd.expect(554);
    using body = await startData();
    body.data(`Subject: x\r\n\r\n${'Received: x\r\n'.repeat(200)}`);
    await body.expect(250);
  });

  test('ten bad commands end the session with 421, whatever they are', async () => {
    const bad = ['FROB', 'RCPT TO:<x@y.example>', 'DATA', 'MAIL FROM:nobody', 'HELO'];
    using client = await greet();
    for (let count = 0; count < 9; count++) await client.say(bad[count % bad.length]!, '50');
    await client.say('NOOP', 250);
    client.send('EHLO');
    await client.expect(501);
    expect((await client.expect(421)).lines[0]).toStartWith('4.7.0 ');
    await client.closed();
  });

  test('ten unknown recipients end the session, even when pipelined', async () => {
    using client = await greet();
    const one = (name: string) => `RCPT TO:<nobody${name}@postern.test>\r\n`;
    client.write(
      `MAIL FROM:<a@example.org>\r\n${Array.from({ length: 50 }, (_, i) => one(`${i}`)).join('')}`,
    );
    await client.expect(250);
    for (let count = 0; count < 10; count++) await client.expect(550);
    await client.expect(421);
    await client.closed();
    await expect(client.reply()).rejects.toThrow();
  });

  test('ten unrecognised commands alone end the session too', async () => {
    using client = await greet();
    client.write('FROB\r\n'.repeat(40));
    let count = 0;
    for (; ; count++) if ((await client.reply()).code === 421) break;
    expect(count).toBeLessThanOrEqual(10);
    await client.closed();
  });

  test('an endless command line ends the session', async () => {
    using client = await greet();
    client.write('MAIL FROM:<'.padEnd(20_000, 'a'));
    await client.expect(421);
    await client.closed();
  });
});

test('commands sent ahead are processed a few at a time, so that others have their turn', async () => {
  const prototype = SMTPConnection.prototype as unknown as { send(...given: unknown[]): void };
  const { send } = prototype;
  let inTurn = 0;
  let most = 0;
  prototype.send = function (...given) {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    most = Math.max(most, ++inTurn);
    send.apply(this, given);
  };
  try {
    using client = await greet();
    client.write('NOOP\r\n'.repeat(500));
    for (let count = 0; count < 500; count++) await client.expect(250);
    expect(most).toBeWithin(2, 33);
  } finally {
    prototype.send = send;
  }
});

describe('time', () => {
  test('silence ends the session, before EHLO and between commands', async () => {
    const began = performance.now();
    using fresh = await SmtpClient.connect({ port: appliance.smtpPort });
    await fresh.expect(220);
    using greeted = await greet();
    using sending = await startData();
    sending.write('Subject: never ends\r\n');
    expect((await fresh.expect(421)).lines[0]).toStartWith('4.4.2 ');
    await greeted.expect(421);
    await sending.expect(421);
    expect(performance.now() - began).toBeGreaterThan(900);
    await sending.closed();
    expect(await ann.subjects()).not.toContain('never ends');
  });

  test('a session has a maximum time, however busy it is', async () => {
    await using short = await startAppliance({ settings: { smtp_session_s: '1' } });
    using client = await SmtpClient.greet({ port: short.smtpPort });
    const began = performance.now();
    let code = 250;
    let text = '';
    while (code === 250) {
      client.send('NOOP');
      const reply = await client.reply();
      code = reply.code;
      text = reply.lines.join();
    }
    expect({ code, text }).toEqual({ code: 421, text: '4.4.2 The session lasted too long' });
    expect(performance.now() - began).toBeGreaterThan(900);
    await client.closed();
  });
});

describe('connections', () => {
  test('idle sessions make room for a client when all connections are in use, and messages in transfer do not', async () => {
    await using small = await startAppliance({ settings: { smtp_connections: '3' } });
    const box = await Mailbox.open(small);
    const port = small.smtpPort;
    const idle: SmtpClient[] = [];
    for (let count = 0; count < 3; count++) idle.push(await SmtpClient.greet({ port }));
    // The first one has sent something since.
    await idle[0]!.say('NOOP', 250);
    const sending: SmtpClient[] = [];
    for (const ended of [1, 2, 0]) {
      const client = await SmtpClient.greet({ port });
      expect((await idle[ended]!.expect(421)).lines[0]).toStartWith('4.4.2 Idle session closed');
      await client.say('MAIL FROM:<a@example.org>', 250);
      await client.say(`RCPT TO:<${box.address}>`, 250);
      await client.say('DATA', 354);
      sending.push(client);
    }
    using refused = await SmtpClient.connect({ port });
    expect((await refused.expect(421)).lines[0]).toStartWith(
      '4.3.2 All connections of this server are in use',
    );
    await refused.closed();
    for (const client of sending) client.data('Subject: through\r\n\r\nx\r\n');
    for (const client of sending) await client.expect(250);
    expect(await box.subjects()).toEqual(['through', 'through', 'through']);
    for (const client of [...idle, ...sending]) client.close();
  });

  test.if(ownAddress !== undefined)(
    'an address has a maximum, and may open another when one ends',
    async () => {
      const settings = { smtp_listen: '0.0.0.0:0', smtp_connections_per_ip: '2' };
      await using small = await startAppliance({ settings });
      const box = await Mailbox.open(small);
      const where = { host: ownAddress!, port: small.smtpPort };
      const knock = async () => {
        const client = await SmtpClient.connect(where);
        return { client, ...(await client.reply()) };
      };
      using polite = await SmtpClient.greet(where);
      using lost = await startData(box.address, where);
      const refused = await knock();
      expect([refused.code, refused.lines[0]]).toEqual([
        421,
        expect.stringContaining('Too many open connections'),
      ]);
      await polite.say('QUIT', 221);
      lost.close();
      const open: SmtpClient[] = [];
      // The server learns of it a moment later.
      await until(async () => {
        const { client, code } = await knock();
        if (code === 220) open.push(client);
        else client.close();
        return open.length === 2;
      });
      expect((await knock()).code).toBe(421);
      for (const client of open) client.close();
    },
  );

  test('five hundred idle sessions keep nobody out', async () => {
    const port = appliance.smtpPort;
    const idle = await Promise.all(Array.from({ length: 500 }, () => SmtpClient.connect({ port })));
    const box = await Mailbox.open(appliance);
    await box.receive('Subject: through\r\n\r\nx\r\n');
    expect(await box.subjects()).toEqual(['through']);
    for (const client of idle) client.close();
  });
});
