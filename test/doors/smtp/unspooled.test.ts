/** How much unfinished mail is in memory, whatever the clients do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { installConnections } from '../../../src/doors/smtp/connections.ts';
import type { MailData } from '../../../src/doors/smtp/mail-data.ts';
import { type Tally, UnspooledBudget } from '../../../src/doors/smtp/unspooled.ts';
import { loadCertificate } from '../../../src/platform/net/certificate.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { Mailbox } from './mailbox.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** The most that Bun reads from a socket at a time. */
const READ_BYTES_MAX = 512 * KIB;

describe('the budget', () => {
  /** A budget, its connections, and the order in which reading from them was paused and resumed. */
  function makeBudget(maxBytes: number, connections: number) {
    const budget = new UnspooledBudget(maxBytes);
    const events: string[] = [];
    const tallies = Array.from({ length: connections }, (_, index) =>
      budget.open({
        hold: () => void events.push(`hold ${index}`),
        release: () => void events.push(`release ${index}`),
      }),
    );
    return { budget, events, tallies: tallies as [Tally, Tally, Tally, ...Tally[]] };
  }

  test('pauses every connection once it is used up, and resumes them when a quarter is free', () => {
    const { events, tallies } = makeBudget(400 * KIB, 3);
    const [one, other] = tallies;
    one.add(200 * KIB);
    other.add(199 * KIB);
    expect(events).toEqual([]);
    other.add(1 * KIB);
    expect(events.toSorted()).toEqual(['hold 0', 'hold 1', 'hold 2']);
    one.remove(99 * KIB);
    expect(events).toHaveLength(3);
    one.remove(1 * KIB);
    expect(events.slice(3).toSorted()).toEqual(['release 0', 'release 1', 'release 2']);
  });

  test('resumes the connection read longest ago first, small messages in turn with large ones', () => {
    const { events, tallies } = makeBudget(300 * KIB, 5);
    for (const index of [3, 1]) {
      // These mails are no longer small.
      tallies[index]!.add(257 * KIB);
      tallies[index]!.remove(257 * KIB);
    }
    for (const index of [2, 0, 4]) tallies[index]!.add(100 * KIB);
    events.length = 0;
    tallies.at(-1)!.remove(100 * KIB);
    expect(events).toEqual(['release 2', 'release 3', 'release 0', 'release 1', 'release 4']);
  });

  test('moves messages in memory to the disk when it is used up', () => {
    const { budget, tallies } = makeBudget(300 * KIB, 3);
    const [stalled, , busy] = tallies;
    stalled.beginMail(() => stalled.remove(150 * KIB));
    stalled.add(150 * KIB);
    busy.add(150 * KIB);
    expect(budget.used).toBe(150 * KIB);
    expect(tallies.map(({ isHeld }) => isHeld)).toEqual([false, false, false]);
  });

  test('keeps less of each message in memory the more are in progress, and half of the budget in total', () => {
    const { budget, tallies } = makeBudget(1 * MIB, 64);
    expect(budget.memoryBytesOfMail).toBe(256 * KIB);
    for (const tally of tallies) tally.beginMail(() => {});
    expect(budget.memoryBytesOfMail).toBe(8 * KIB);
    for (const tally of tallies) tally.endMail();
    expect(budget.memoryBytesOfMail).toBe(256 * KIB);
  });

  test('gets everything back from a closed connection', () => {
    const { budget, events, tallies } = makeBudget(100 * KIB, 3);
    const [over, other] = tallies;
    over.add(100 * KIB);
    over.close();
    expect(budget.used).toBe(0);
    expect(other.isHeld).toBe(false);
    over.add(100 * KIB);
    over.remove(100 * KIB);
    expect(budget.used).toBe(0);
    expect(events.filter((event) => event.endsWith('0'))).toEqual(['hold 0', 'release 0']);
  });
});

type Kind = 'in the clear' | 'TLS' | 'STARTTLS';
const BUDGET_BYTES = 1 * MIB;
const MAIL = Buffer.alloc(1 * MIB, `${'x'.repeat(70)}\r\n`);
/** With the line end that SMTP adds. */
const MAIL_BYTES = MAIL.length + 2;

async function listen(server: SMTPServer): Promise<number> {
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as AddressInfo).port;
}

async function startMail(port: number, kind: Kind, mail: Buffer | null): Promise<SmtpClient> {
  const client = await SmtpClient.connect({ port, tls: kind === 'TLS' });
  await client.expect(220);
  await client.say('EHLO client.example', 250);
  if (kind === 'STARTTLS') {
    await client.starttls();
    await client.say('EHLO client.example', 250);
  }
  await client.say('MAIL FROM:<a@example.org>', 250);
  await client.say('RCPT TO:<b@example.org>', 250);
  await client.say('DATA', 354);
  if (mail) client.data(mail);
  return client;
}

/** A server that keeps what it reads of messages until it is released. */
async function startKeeper(kind: Kind, idleMs = 60_000) {
  installConnections();
  const budget = new UnspooledBudget(BUDGET_BYTES);
  const kept: { tally: Tally; bytes: number }[] = [];
  const state = { gives: false, readBytes: 0 };
  const ended: (() => void)[] = [];
  const { dataDir } = await startedForItsCertificate();
  const server = new SMTPServer({
    ...(await loadCertificate({ cert: null, key: null }, dataDir, 'mx.postern.test')),
    secure: kind === 'TLS',
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    socketTimeout: idleMs,
    onData(stream, _session, done) {
      const { tally } = stream as unknown as MailData;
      stream.on('data', (chunk: Buffer) => {
        state.readBytes += chunk.length;
        if (state.gives) tally.remove(chunk.length);
        else kept.push({ tally, bytes: chunk.length });
      });
      stream.on('error', () => {});
      // As while a message is being stored: the reply comes afterwards.
      stream.on('end', () => (state.gives ? done(null) : ended.push(() => done(null))));
    },
  });
  Object.assign(server.options, {
    budget,
    badCommandsMax: 10,
    onOpen() {},
    onCommand() {},
    authState: () => 'off',
    onRefusal() {},
  });
  const port = await listen(server);
  return {
    budget,
    state,
    /** Bytes read from each connection. */
    readOfEach: () =>
      [...server.connections].map(
        (connection) => (connection as unknown as { _socket: { bytesRead: number } })._socket.bytesRead,
      ),
    giveBack() {
      state.gives = true;
      for (const { tally, bytes } of kept.splice(0)) tally.remove(bytes);
      for (const reply of ended.splice(0)) reply();
    },
    /** A client that sends a whole mail; with null it only sends DATA. */
    send: (mail: Buffer | null = MAIL) => startMail(port, kind, mail),
    async untilFull() {
      while (budget.used < BUDGET_BYTES) await turn();
      // More would come in these turns of the event loop if anything were read.
      for (let turns = 0; turns < 100; turns++) await turn();
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

describe('sockets', () => {
  test.each<Kind>(['in the clear', 'TLS', 'STARTTLS'])(
    'are not read beyond the budget, and lose nothing: %s',
    async (kind) => {
      await using keeper = await startKeeper(kind);
      const { budget, state } = keeper;
      const clients = await Promise.all(Array.from({ length: 6 }, () => keeper.send()));
      await keeper.untilFull();
      expect(budget.used).toBeLessThan(BUDGET_BYTES + READ_BYTES_MAX);
      expect(state.readBytes).toBeLessThan(BUDGET_BYTES + READ_BYTES_MAX);
      keeper.giveBack();
      for (const client of clients) await client.expect(250);
      expect(state.readBytes).toBe(clients.length * MAIL_BYTES);
      expect(budget.used).toBe(0);
      for (const client of clients) client.close();
    },
  );

  test('whose clients send more before their message has its reply are counted in full', async () => {
    await using keeper = await startKeeper('in the clear');
    const { budget } = keeper;
    const clients = await Promise.all(Array.from({ length: 6 }, () => keeper.send(null)));
    const commands = `NOOP ${'x'.repeat(400)}\r\n`.repeat(5_000);
    for (const client of clients) client.write(`x\r\n.\r\n${commands}`);
    while (keeper.readOfEach().some((bytes) => bytes < 32 * KIB)) await turn();
    // More would come in these turns of the event loop if anything were read.
    for (let turns = 0; turns < 200; turns++) await turn();
    const readBytes = keeper.readOfEach().reduce((sum, bytes) => sum + bytes, 0);
    // The envelopes are complete.
    expect(readBytes - budget.used).toBeLessThan(clients.length * KIB);
    keeper.giveBack();
    for (const client of clients) await client.expect(250);
    for (const client of clients) client.close();
    while (budget.used > 0) await turn();
  });

  test('that are not read still time out, and release their memory', async () => {
    await using keeper = await startKeeper('in the clear', 300);
    const clients = await Promise.all(Array.from({ length: 4 }, () => keeper.send()));
    for (const client of clients) await client.expect(421);
    expect(keeper.budget.used).toBe(0);
    for (const client of clients) client.close();
  });

  test('whose clients disconnect while they are not read make room for the others', async () => {
    await using keeper = await startKeeper('in the clear');
    const gone = await Promise.all(Array.from({ length: 4 }, () => keeper.send()));
    await keeper.untilFull();
    for (const client of gone) client.close();
    keeper.giveBack();
    const client = await keeper.send();
    await client.expect(250);
    while (keeper.budget.used > 0) await turn();
    client.close();
  });
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let started: RunningAppliance | null = null;
async function startedForItsCertificate(): Promise<RunningAppliance> {
  started ??= await startAppliance();
  return started;
}
afterAll(() => started?.[Symbol.asyncDispose]());

describe('half-finished mails', () => {
  let appliance: RunningAppliance;
  let box: Mailbox;
  const spooled = () => readdirSync(join(appliance.dataDir, 'spool'));

  beforeAll(async () => {
    appliance = await startAppliance({ settings: { smtp_unfinished_max_size: '1MiB' } });
    box = await Mailbox.open(appliance);
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  async function begin(): Promise<SmtpClient> {
    const client = await SmtpClient.greet({ port: appliance.smtpPort });
    await client.say('MAIL FROM:<a@example.org>', 250);
    await client.say(`RCPT TO:<${box.address}>`, 250);
    await client.say('DATA', 354);
    return client;
  }

  test('go to the disk early when they are many, and one that completes is stored whole beside the others', async () => {
    // 100 KB each: one alone stays in memory.
    const text = `${'half a mail '.repeat(5)}\r\n`.repeat(1_600);
    const clients = await Promise.all(Array.from({ length: 30 }, begin));
    for (const [index, client] of clients.entries()) client.write(`Subject: half ${index}\r\n\r\n${text}`);
    // Each has more than its share of half a mebibyte.
    while (spooled().length < 29) await turn();
    await box.receive('Subject: honest\r\n\r\nx\r\n');
    expect(await box.subjects()).toEqual(['honest']);
    for (const client of clients.slice(0, 15)) client.close();
    for (const client of clients.slice(15)) client.write('the other half\r\n.\r\n');
    for (const client of clients.slice(15)) await client.expect(250);
    const stored = await box.list();
    expect(stored.map(({ subject }) => subject).toSorted()).toEqual(
      ['honest', ...Array.from({ length: 15 }, (_, index) => `half ${index + 15}`)].toSorted(),
    );
    const sizes = new Set(stored.filter(({ subject }) => subject !== 'honest').map(({ size }) => size));
    expect([...sizes]).toEqual([text.length + 'Subject: half 15\r\n\r\nthe other half\r\n'.length]);
    while (spooled().length > 0) await turn();
    for (const client of clients) client.close();
  });

  test('count by the memory that they use, even when sent byte by byte', async () => {
    using client = await begin();
    client.write('Subject: drops\r\n\r\n');
    for (let count = 0; spooled().length === 0 && count < 20_000; count++) {
      client.write('x');
      await turn();
    }
    expect(spooled()).toHaveLength(1);
    client.write('\r\n.\r\n');
    await client.expect(250);
    expect(await box.subjects()).toContain('drops');
  });
});
