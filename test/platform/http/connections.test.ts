/** The bounds on HTTP connections, in total and per address, and the descriptors that are reserved for mail. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Finding } from '../../../src/features/doctor/wire.ts';
import { posternJson } from '../../doors/operator/command-process.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { ownAddress as address } from '../../peers/own-address.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { haveTool } from '../../peers/tools.ts';
import { program } from '../../program.ts';
import { startAppliance } from '../../start.ts';
import { until } from '../../until.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** A connection that stays open, and what it has received. */
class Line {
  text = '';
  isClosed = false;
  readonly closed = Promise.withResolvers<void>();
  private readonly connected = Promise.withResolvers<void>();
  private readonly answered = Promise.withResolvers<void>();

  private constructor(readonly socket: Socket) {
    socket.on('connect', () => this.connected.resolve());
    socket.on('data', (data) => {
      this.text += data.toString();
      this.answered.resolve();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.closed.resolve();
      this.connected.resolve();
      this.answered.resolve();
    });
  }

  /** Requests /healthz and stays open; a silent one sends nothing. */
  static async open(port: number, host = '127.0.0.1', isSilent = false): Promise<Line> {
    const line = new Line(
      connect({ port, host, ...(host.startsWith('127.') ? {} : { localAddress: host }) }),
    );
    line.socket.write(isSilent ? '' : 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await (isSilent ? line.connected : line.answered).promise;
    return line;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1] ?? 0);
  }
}

function expectRefusal({ text }: Line): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 503 /);
  expect(head).toMatch(/^retry-after: \d+\r?$/im);
  expect(head).toMatch(/^connection: close\r?$/im);
  const id = /^x-request-id: (req_\w+)\r?$/im.exec(head)?.[1];
  expect(JSON.parse(body).error).toMatchObject({ code: 'too_many_connections', fields: {}, request_id: id! });
}

/** Starts the program with a hard limit of descriptors. */
async function startLimited(limit: number | string, name: string, env: Record<string, string> = {}) {
  // With BUN_BE_BUN, which scripts/test sets, the executable would be plain Bun.
  const own = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|BUN_BE_BUN$)/.test(name));
  const doors = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0', '--disk-floor', '0'];
  const child = Bun.spawn(['prlimit', `--nofile=${limit}`, ...program, 'serve', '--json', ...doors], {
    env: { ...Object.fromEntries(own), POSTERN_DATA_DIR: join(folder.path, name), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const logged: string[] = [];
  createInterface({ input: Readable.fromWeb(child.stderr as never) }).on('line', (line) => logged.push(line));
  const { value } = await child.stdout.getReader().read();
  const { http, smtp, pid } = JSON.parse(new TextDecoder().decode(value).split('\n')[0]!);
  return {
    logged,
    url: http as string,
    pid: pid as number,
    httpPort: Number(new URL(http).port),
    smtpPort: Number(smtp.split(':').at(-1)),
    /** Processor seconds of the main process. */
    cpu() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

/** Opens a connection to a door without a bound, unlike HTTP and SMTP. */
async function openControl(name: string): Promise<Socket> {
  const socket = connect(join(folder.path, name, 'control.sock'));
  socket.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  // The kernel connects before the server accepts.
  socket.once('data', () => resolve());
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await promise;
  return socket;
}

async function sendMail(port: number): Promise<number> {
  const client = await SmtpClient.greet({ port });
  await client.say('MAIL FROM:<a@example.org>', 250);
  await client.say('RCPT TO:<postmaster@postern.test>', 250);
  await client.say('DATA', 354);
  client.data('Subject: x\r\n\r\nx\r\n');
  const { code } = await client.expect(250);
  client.close();
  return code;
}

test.concurrent('a stranger’s idle connection ends long before that of a client with a key', async () => {
  await using appliance = await startAppliance();
  const { key } = await appliance.holder();
  const ask = async (authorization: string) => {
    const line = await Line.open(appliance.httpPort, '127.0.0.1', true);
    line.socket.write(`GET /api/v1/account HTTP/1.1\r\nHost: a\r\n${authorization}\r\n`);
    return line;
  };
  const [stranger, owner] = [await ask(''), await ask(`Authorization: Bearer ${key}\r\n`)];
  const lost = await Line.open(appliance.httpPort, '127.0.0.1', true);
  lost.socket.write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
  // A body that trickles in after its response does not keep the connection open either, in whatever form.
  const forms = ['Content-Length: 100000\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n'];
  const dripping = await Promise.all(
    forms.map(async (form) => {
      const line = await Line.open(appliance.httpPort, '127.0.0.1', true);
      line.socket.write(`POST /api/v1/inboxes HTTP/1.1\r\nHost: a\r\n${form}`);
      return line;
    }),
  );
  const drip = setInterval(() => {
    dripping[0]!.socket.write(' ');
    dripping[1]!.socket.write('1\r\n \r\n');
  }, 200);
  await Promise.all([stranger, lost, ...dripping].map(({ closed }) => closed.promise));
  clearInterval(drip);
  expect([stranger, lost, ...dripping].map(({ status }) => status)).toEqual([401, 404, 401, 401]);
  expect([owner.status, owner.isClosed]).toEqual([200, false]);
  owner.socket.destroy();
}, 30_000);

describe.if(haveTool('prlimit'))('under a low limit of descriptors', () => {
  // Run concurrently: most of their time is the server's own timers.
  test.concurrent.each([
    [1_300, 'idle after a request', false],
    [750, 'silent from the start', true],
  ])(
    '%d connections that are %s keep no mail out and use no processor time',
    async (many, name, isSilent) => {
      await using server = await startLimited(1024, name);
      const lines: Line[] = [];
      // In small groups: the kernel makes most of a burst wait for seconds.
      while (lines.length < many) {
        const more = Array.from({ length: 50 }, () => Line.open(server.httpPort, '127.0.0.1', isSilent));
        lines.push(...(await Promise.all(more)));
      }
      for (let sent = 0; sent < 10; sent++) expect(await sendMail(server.smtpPort)).toBe(250);
      const count = (holds: (line: Line) => boolean) => lines.filter(holds).length;
      const isRefused = ({ text }: Line) => text.startsWith('HTTP/1.1 503');
      await until(() => count(isRefused) >= 20);
      // 60 % of 1,024 stay; those above are refused with a response.
      await until(() => count(({ isClosed }) => !isClosed) <= 614);
      for (const line of lines.filter(isRefused).slice(0, 20)) expectRefusal(line);
      const beforeS = server.cpu();
      await Bun.sleep(1_000);
      expect(server.cpu() - beforeS).toBeLessThan(0.3);
      expect(server.logged.filter((line) => line.includes('HTTP connections are refused'))).toHaveLength(1);
      for (const { socket } of lines) socket.destroy();
    },
    30_000,
  );

  test.concurrent('the soft limit is raised to the hard one', async () => {
    await using server = await startLimited('300:2000', 'raised');
    expect(readFileSync(`/proc/${server.pid}/limits`, 'utf8')).toMatch(/Max open files +2000 +2000/);
  });

  test.concurrent('a shortage caused by other connections is logged, and fails /readyz and the doctor', async () => {
    await using server = await startLimited(400, 'short', {
      POSTERN_DNS_SERVERS: '127.0.0.1:9',
    });
    const idle: Socket[] = [];
    const askReady = () => fetch(`${server.url}/readyz`, { headers: { connection: 'close' } });
    while ((await askReady()).ok) {
      expect(idle.length).toBeLessThan(400);
      idle.push(await openControl('short'));
    }
    await until(() => server.logged.some((line) => line.includes('file descriptors are running out')));
    // Without some room, the next request may be refused for the same reason.
    for (const socket of idle.splice(-5)) socket.destroy();
    let text = '';
    while (!text.includes('file descriptors are running out')) {
      const ready = await askReady();
      expect(ready.status).toBe(503);
      text = await ready.text();
    }
    for (let count = 0; count < 5; count++) idle.push(await openControl('short'));
    const data = { POSTERN_DATA_DIR: join(folder.path, 'short'), POSTERN_DNS_SERVERS: '127.0.0.1:9' };
    const { checks } = await posternJson<{ checks: Finding[] }>(['doctor'], data);
    expect(checks.find(({ name }) => name === 'descriptors')).toMatchObject({ ok: false });
    for (const socket of idle) socket.destroy();
  }, 30_000);

  test.concurrent('waits and streams older than a shortage outlast it', async () => {
    await using server = await startLimited(400, 'older');
    const data = { POSTERN_DATA_DIR: join(folder.path, 'older') };
    const { api_key } = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'a@example.org'],
      data,
    );
    const authorization = `Authorization: Bearer ${api_key}`;
    const created = await fetch(`${server.url}/api/v1/inboxes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}` },
    });
    const { address } = ((await created.json()) as { data: { address: string } }).data;
    const ask = async (path: string) => {
      const line = await Line.open(server.httpPort, '127.0.0.1', true);
      line.socket.write(
        `GET /api/v1/inboxes/${address}/${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\n\r\n`,
      );
      return line;
    };
    const stream = await ask('stream');
    await until(() => stream.text.includes('retry:'));
    const wait = await ask('messages/wait?timeout=60');
    const strangers: Line[] = [];
    while (strangers.length < 200) strangers.push(await Line.open(server.httpPort));
    const others: Socket[] = [];
    while (strangers.every(({ isClosed }) => !isClosed)) {
      expect(others.length).toBeLessThan(300);
      others.push(await openControl('older'));
    }
    expect([stream, wait].map(({ isClosed }) => isClosed)).toEqual([false, false]);
    // After its response a connection gets no unsolicited text.
    for (const { text } of strangers.filter(({ isClosed }) => isClosed))
      expect(text).not.toContain('HTTP/1.1 503');
    for (const socket of [...others, ...[...strangers, stream, wait].map(({ socket }) => socket)])
      socket.destroy();
  }, 30_000);
});

describe.if(address !== undefined)('one address beyond loopback', () => {
  const settings = { http_listen: '0.0.0.0:0', http_connections_per_ip: '3' };

  test('has a maximum of connections, and may open another when one ends', async () => {
    await using appliance = await startAppliance({ settings });
    const { httpPort } = appliance;
    const lines = await Promise.all([1, 2, 3].map(() => Line.open(httpPort, address)));
    expect(lines.map(({ status }) => status)).toEqual([200, 200, 200]);
    expectRefusal(await Line.open(httpPort, address));
    // Clients on this machine are not locked out.
    const near = await Promise.all([1, 2, 3, 4].map(() => Line.open(httpPort)));
    expect(near.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    lines[0]!.socket.destroy();
    let next = await Line.open(httpPort, address);
    while (next.status !== 200) next = await Line.open(httpPort, address);
    for (const { socket } of [...lines, ...near, next]) socket.destroy();
    expect(appliance.logged.filter((line) => line.includes('HTTP connections are refused'))).toHaveLength(1);
  });

  test('does not keep more by saying nothing', async () => {
    await using appliance = await startAppliance({ settings });
    const lines = await Promise.all([1, 2, 3, 4, 5].map(() => Line.open(appliance.httpPort, address, true)));
    await Promise.any(lines.map(({ closed }) => closed.promise));
    await until(() => lines.filter(({ isClosed }) => isClosed).length >= 2);
    for (const line of lines.filter(({ isClosed }) => isClosed)) expectRefusal(line);
    for (const { socket } of lines) socket.destroy();
  });

  test('has no bound when it is a trusted proxy', async () => {
    const proxied = { ...settings, trusted_proxies: `${address}/32` };
    await using appliance = await startAppliance({ settings: proxied });
    const lines = await Promise.all(Array.from({ length: 6 }, () => Line.open(appliance.httpPort, address)));
    expect(lines.map(({ status }) => status)).toEqual(Array(6).fill(200));
    for (const { socket } of lines) socket.destroy();
  });
});

test('capture mode on one’s own machine has no bound', async () => {
  await using trap = await startAppliance({ capture: {}, settings: { http_connections: '2' } });
  const lines = await Promise.all(Array.from({ length: 5 }, () => Line.open(trap.httpPort)));
  expect(lines.map(({ status }) => status)).toEqual(Array(5).fill(200));
  for (const { socket } of lines) socket.destroy();
});
