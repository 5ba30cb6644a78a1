/**
 * Measures sending: how fast a queue of signed emails reaches one fast server, how fast the API answers meanwhile, and how
 * much hanging servers slow down the others. The server is a process of its own; the receiving servers share this one.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { readySender } from '../../test/features/outbound/ready-sender.ts';
import { setExchanger } from '../../test/features/outbound/sending-server.ts';
import { type DnsServer, startDnsServer } from '../../test/peers/dns-server.ts';
import { type MailServer, startMailServer } from '../../test/peers/mail-server.ts';
import { quantile, type Report, shown } from './figures.ts';
import { makeDataDir, removeDataDir, runCommandAside, serve } from './targets.ts';

const FROM_DOMAIN = 'shop.example';
const HANGING = 20;
/** The goal, emails per second. */
const RATE_MIN = 300;

interface Bench extends AsyncDisposable {
  far: MailServer;
  /** Stops the server, queues this many emails to each domain as if posted, and restarts it; returns its URL. */
  queue(emails: Record<string, number>): Promise<string>;
  apiKey: string;
  emailId: string;
}

async function startBench(): Promise<Bench> {
  const dataDir = makeDataDir();
  const dns = await startDnsServer();
  const far = await startMailServer();
  const hanging = await startMailServer({ host: '127.0.0.2', port: far.port, greeting: () => 'silence' });
  publishExchangers(dns);
  const settings = {
    POSTERN_OUTBOUND: 'direct',
    POSTERN_OUTBOUND_PORT: String(far.port),
    POSTERN_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    POSTERN_DNS_SERVERS: `${dns.host}:${dns.port}`,
  };
  let server = await serve(dataDir, settings);
  const stop = async () => {
    server.child.kill('SIGTERM');
    await server.child.exited;
  };
  const run = (...args: string[]) => runCommandAside(dataDir, ...args);
  const begin = async () => {
    const apiKey = await readySender(server.ready.http, run, dns, FROM_DOMAIN);
    const emailId = await post(server.ready.http, apiKey);
    await awaitArrivals(far, 1, 0);
    return { api_key: apiKey, emailId };
  };
  const { api_key, emailId } = await begin().catch(async (fault) => {
    await stop();
    throw fault;
  });
  return {
    far,
    apiKey: api_key,
    emailId,
    async queue(emails) {
      await stop();
      for (const [domain, count] of Object.entries(emails)) copyEmails(dataDir, domain, count);
      server = await serve(dataDir, settings);
      return server.ready.http;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await Promise.all([far, hanging, dns].map((one) => one[Symbol.asyncDispose]()));
      removeDataDir(dataDir);
    },
  };
}

function publishExchangers(dns: DnsServer): void {
  setExchanger(dns, 'far.test', '10 mx.far.test');
  dns.setAddresses('mx.far.test', '127.0.0.1');
  for (let count = 0; count < HANGING; count++) {
    setExchanger(dns, `hang${count}.test`, `10 mx.hang${count}.test`);
    dns.setAddresses(`mx.hang${count}.test`, '127.0.0.2');
  }
}

async function post(http: string, apiKey: string): Promise<string> {
  const answer = await fetch(`${http}/api/v1/outbound_emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from_address: `me@${FROM_DOMAIN}`,
      to: ['ann@far.test'],
      subject: 'Hello',
      body_text: 'Good morning, this is your report.\n'.repeat(50),
      body_html: `<p>${'Good morning, this is your report. '.repeat(50)}</p>`,
    }),
  });
  if (answer.status !== 201)
    throw new Error(`the POST was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

function copyEmails(dataDir: string, domain: string, count: number): void {
  const store = new Database(join(dataDir, 'postern.db'));
  const nowUs = Date.now() * 1000;
  const mail =
    `From: me@${FROM_DOMAIN}\r\nTo: ann@${domain}\r\nSubject: Hello\r\nMessage-ID: <1@${FROM_DOMAIN}>\r\n` +
    'Date: Sat, 21 Nov 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n' +
    `\r\n${'Good morning, this is your report.\r\n'.repeat(100)}`;
  const bytes = Bun.zstdCompressSync(Buffer.from(mail));
  store.transaction(() => {
    const { last = 0 } = store.query('SELECT max(no) AS last FROM outbound_email').get() as { last: number };
    store
      .query(
        `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
         INSERT INTO outbound_email (no, id, account_no, kind, status, from_domain, from_address, "to", cc, bcc,
           subject, message_id, attempts, created_at, expires_at)
         SELECT ? + value, 'out_' || lower(hex(randomblob(16))), e.account_no, 'send', 'queued', e.from_domain,
           e.from_address, e."to", '[]', '[]', e.subject, e.message_id, 0, ?, ?
         FROM n, (SELECT * FROM outbound_email ORDER BY no LIMIT 1) e`,
      )
      .run(count, last, nowUs, nowUs + 86_400_000_000);
    store
      .query(
        `INSERT INTO outbound_recipient (outbound_no, email, domain, status, attempts, next_attempt_at)
         SELECT no, 'ann@' || ?, ?, 'queued', 0, ? FROM outbound_email WHERE no > ?`,
      )
      .run(domain, domain, nowUs, last);
    store
      .query('INSERT INTO outbound_mime (outbound_no, bytes) SELECT no, ? FROM outbound_email WHERE no > ?')
      .run(bytes, last);
  })();
  store.close();
}

/** GETs an email over one connection every 5 ms until stopped; returns each duration. */
function pollApi(http: string, { apiKey, emailId }: Bench): { stop(): Promise<number[]> } {
  const timesMs: number[] = [];
  let isOver = false;
  const loop = (async () => {
    while (!isOver) {
      const began = performance.now();
      const headers = { authorization: `Bearer ${apiKey}` };
      await (await fetch(`${http}/api/v1/outbound_emails/${emailId}`, { headers })).arrayBuffer();
      timesMs.push(performance.now() - began);
      await Bun.sleep(5);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      return timesMs;
    },
  };
}

/** Returns the seconds until this many more mails have arrived. */
async function awaitArrivals(far: MailServer, count: number, from: number): Promise<number> {
  const began = performance.now();
  const giveUp = began + 120_000;
  while (far.mails.length < from + count) {
    if (performance.now() > giveUp) throw new Error(`only ${far.mails.length - from} of ${count} arrived`);
    await Bun.sleep(2);
  }
  return (performance.now() - began) / 1000;
}

export async function benchOutbound(report: Report, smoke: boolean): Promise<void> {
  report.section('Sending');
  const emails = smoke ? 100 : 10_000;
  await using bench = await startBench();
  await benchOneServer(report, bench, emails);
  await benchBesideHanging(report, bench, Math.ceil(emails / 5));
}

async function benchOneServer(report: Report, bench: Bench, emails: number): Promise<void> {
  const from = bench.far.mails.length;
  const http = await bench.queue({ 'far.test': emails });
  const poll = pollApi(http, bench);
  const seconds = await awaitArrivals(bench.far, emails, from);
  const timesMs = await poll.stop();
  const count = emails.toLocaleString('en-US');
  report.goal(`${count} emails to one server, signed`, emails / seconds, '/s', { atLeast: RATE_MIN });
  report.line('a GET of the API meanwhile, p50', `${shown(quantile(timesMs, 0.5))} ms`);
  report.goal('a GET of the API meanwhile, p99', quantile(timesMs, 0.99), 'ms', { under: 15 });
}

async function benchBesideHanging(report: Report, bench: Bench, emails: number): Promise<void> {
  const from = bench.far.mails.length;
  const hanging = Object.fromEntries(Array.from({ length: HANGING }, (_, n) => [`hang${n}.test`, 5]));
  await bench.queue({ ...hanging, 'far.test': emails });
  const seconds = await awaitArrivals(bench.far, emails, from);
  report.goal(`the same beside ${HANGING} servers that hang`, emails / seconds, '/s', { atLeast: RATE_MIN });
}
