/**
 * Measures webhooks: how soon a thousand messages reach one receiver, how much hanging receivers slow down the others, and
 * what a hundred thousand pending deliveries cost. The server is a process of its own; sender and receivers share another.
 */
import { Database } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCa } from '../../test/peers/https-receiver.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { readResidentKib } from './processes.ts';
import { makeDataDir, removeDataDir, runCommand, serve } from './targets.ts';
import { type Arrived, startReceivers } from './webhook-receivers.ts';

interface Bench extends AsyncDisposable {
  dataDir: string;
  pid: number;
  smtpPort: number;
  /** Addresses of inboxes with a webhook to this URL. */
  hooks(urls: readonly string[]): Promise<string[]>;
}

async function startBench(): Promise<Bench> {
  const dataDir = makeDataDir();
  const { api_key } = runCommand(dataDir, 'account', 'create', '--email', 'bench@example.org');
  const caFile = join(dataDir, 'ca.pem');
  writeFileSync(caFile, (await testCa()).pem);
  const settings = { POSTERN_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8', POSTERN_EXTRA_CA_FILE: caFile };
  const { child, ready } = await serve(dataDir, settings);
  const headers = { authorization: `Bearer ${api_key}` };
  return {
    dataDir,
    pid: child.pid,
    smtpPort: Number(ready.smtp.split(':').at(-1)),
    async hooks(urls) {
      const addresses: string[] = [];
      for (const url of urls) {
        const answer = await fetch(`${ready.http}/api/v1/inboxes`, { method: 'POST', headers });
        const { data } = (await answer.json()) as { data: { address: string } };
        // Through the control socket, like the command, but without a process for each.
        const control = await fetch('http://postern/', {
          unix: join(dataDir, 'control.sock'),
          method: 'POST',
          body: JSON.stringify({ command: 'webhook set', input: { inbox: data.address, url } }),
        } as RequestInit);
        if (!JSON.stringify(await control.json()).includes('whsec_')) throw new Error(`no webhook to ${url}`);
        addresses.push(data.address);
      }
      return addresses;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      removeDataDir(dataDir);
    },
  };
}

/** Sends one mail to each recipient; returns the time of each 250 (Date.now) by subject. */
async function send(port: number, recipients: readonly string[], connections: number, perS = Infinity) {
  const committedAt = new Map<string, number>();
  const began = performance.now();
  let next = 0;
  const one = async () => {
    using client = await SmtpClient.greet({ port });
    for (let number = next++; number < recipients.length; number = next++) {
      const earlyMs = (number / perS) * 1000 - (performance.now() - began);
      if (earlyMs > 0) await Bun.sleep(earlyMs);
      await client.deliver(
        'bench@shop.example',
        recipients[number]!,
        Buffer.from(`Subject: ${number}\r\nFrom: bench@shop.example\r\n\r\nYour code is 482913\r\n`),
      );
      committedAt.set(String(number), performance.timeOrigin + performance.now());
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return committedAt;
}

async function awaitArrivals(arrived: readonly Arrived[], count: number, withinMs: number): Promise<void> {
  const giveUp = performance.now() + withinMs;
  while (arrived.length < count && performance.now() < giveUp) await Bun.sleep(5);
}

export async function benchWebhooks(report: Report, smoke: boolean): Promise<void> {
  report.section('Webhooks');
  await benchOne(report, smoke ? 50 : 1000);
  await benchHanging(report, smoke ? 20 : 500, smoke ? 2 : 50, smoke ? 2 : 10);
  await benchWaiting(report, smoke ? 1000 : 100_000);
}

async function benchOne(report: Report, messages: number): Promise<void> {
  await using bench = await startBench();
  using receivers = await startReceivers();
  const [address = ''] = await bench.hooks([receivers.fast]);
  const committedAt = await send(bench.smtpPort, Array<string>(messages).fill(address), 8);
  const last250 = Math.max(...committedAt.values());
  await awaitArrivals(receivers.arrived, messages, 30_000);
  if (receivers.arrived.length < messages) throw new Error(`only ${receivers.arrived.length} arrived`);
  const behindMs = Math.max(...receivers.arrived.map(({ at }) => at)) - last250;
  report.goal(`${messages} messages to one receiver, from the last 250`, behindMs / 1000, 's', { under: 3 });
}

async function benchHanging(report: Report, hooks: number, hanging: number, rounds: number): Promise<void> {
  await using bench = await startBench();
  using receivers = await startReceivers();
  const isHanging = (index: number) => index % Math.floor(hooks / hanging) === 0;
  const urls = Array.from({ length: hooks }, (_, index) =>
    isHanging(index) ? receivers.mute : receivers.fast,
  );
  const addresses = await bench.hooks(urls);
  const recipients = Array.from({ length: hooks * rounds }, (_, index) => addresses[index % hooks]!);
  const committedAt = await send(bench.smtpPort, recipients, 8, 150);
  const wanted = [...committedAt.keys()].filter((number) => !isHanging(Number(number) % hooks));
  await awaitArrivals(receivers.arrived, wanted.length, 20_000);
  const arrivedAt = new Map(receivers.arrived.map(({ subject, at }) => [subject, at]));
  const delays = wanted.map((number) => (arrivedAt.get(number) ?? Infinity) - committedAt.get(number)!);
  report.line(`${hooks} webhooks, ${hanging} hang: the others' p50`, `${shown(quantile(delays, 0.5))} ms`);
  report.goal(`${hooks} webhooks, ${hanging} hang: the others' p99`, quantile(delays, 0.99), 'ms', {
    under: 100,
  });
}

async function benchWaiting(report: Report, waiting: number): Promise<void> {
  await using bench = await startBench();
  using receivers = await startReceivers();
  const [address = '', other = ''] = await bench.hooks([receivers.mute, receivers.fast]);
  await send(bench.smtpPort, [address], 1);
  const beforeKib = readResidentKib(bench.pid);
  const store = new Database(join(bench.dataDir, 'postern.db'));
  store.exec('PRAGMA busy_timeout = 10000');
  store
    .query(
      `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?)
       INSERT INTO event (id, account_no, inbox_no, kind, subject_id, created_at)
       SELECT 'evt_' || value, m.account_no, m.inbox_no, 'email.received', m.id, ?
       FROM n, (SELECT id, account_no, inbox_no FROM message LIMIT 1) m`,
    )
    .run(waiting, Date.now() * 1000);
  store
    .query(
      `INSERT INTO delivery (event_no, webhook_no, status, tries, due_at, created_at, attempts)
       SELECT no, 1, 'pending', 0, ?, ?, '[]' FROM event WHERE no NOT IN (SELECT event_no FROM delivery)`,
    )
    .run(Date.now() * 1000, Date.now() * 1000);
  const due = store.query(
    `SELECT no FROM delivery INDEXED BY delivery_due
     WHERE webhook_no = 1 AND status = 'pending' AND due_at <= ? ORDER BY due_at, event_no LIMIT 5`,
  );
  const costs = Array.from({ length: 200 }, () => {
    const began = performance.now();
    due.all(Date.now() * 1000);
    return performance.now() - began;
  });
  store.close();
  const committedAt = await send(bench.smtpPort, Array<string>(100).fill(other), 2, 50);
  await awaitArrivals(receivers.arrived, 100, 10_000);
  const delays = receivers.arrived.map(({ subject, at }) => at - committedAt.get(subject)!);
  const count = waiting.toLocaleString('en-US');
  report.goal(`${count} pending: the due query, p99`, quantile(costs, 0.99), 'ms', { under: 5 });
  report.goal(`${count} waiting: another webhook, p99`, quantile(delays, 0.99), 'ms', { under: 100 });
  const moreKib = readResidentKib(bench.pid) - beforeKib;
  report.line(`${count} pending: memory more by`, `${shown(moreKib / 1024)} MiB`);
}
