/** Runs a parallel test suite against a capture. Measures how soon each test has its mail; none may get another's code. */
import { createTransport } from 'nodemailer';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { quantile, type Report, shown } from './figures.ts';
import { stop } from './processes.ts';
import { capture, makeDataDir, removeDataDir } from './targets.ts';
import { HttpConnection } from './wait-clients.ts';

const WORKERS = 100;

export async function benchParallelSuite(report: Report, smoke: boolean): Promise<void> {
  const dataDir = makeDataDir();
  await benchReady(report, dataDir, smoke ? 2 : 20);
  const { child, ready } = await capture(dataDir);
  const ports = { http: Number(new URL(ready.http).port), smtp: Number(ready.smtp.split(':').at(-1)) };
  try {
    await benchSideBySide(report, ports, smoke ? 2 : 20);
    await benchSignUps(report, ports, smoke ? 1 : 10);
  } finally {
    await stop(child);
    removeDataDir(dataDir);
  }
}

/** Measures the time from the start of the process to a greeting over SMTP and an answer over HTTP. */
async function benchReady(report: Report, dataDir: string, starts: number): Promise<void> {
  report.section('A capture: the process until SMTP and HTTP answer');
  const timesMs: number[] = [];
  for (let count = 0; count < starts; count++) {
    const began = performance.now();
    const { child, ready } = await capture(dataDir);
    const greeting = SmtpClient.greet({ port: Number(ready.smtp.split(':').at(-1)) });
    const [client] = await Promise.all([greeting, fetch(`${ready.http}/readyz`)]);
    timesMs.push(performance.now() - began);
    client.close();
    await stop(child);
  }
  report.goal('ready (median)', quantile(timesMs, 0.5), 'ms', { under: 150 });
  report.line('ready (slowest)', `${shown(quantile(timesMs, 1))} ms`);
}

interface Ports {
  http: number;
  smtp: number;
}

/** Sends mails to 100 inboxes with a wait each, one after the other. Times are from the last byte to the whole answer. */
async function benchSideBySide(report: Report, ports: Ports, rounds: number): Promise<void> {
  report.section(`${WORKERS} waits side by side: from a mail's last byte to the answer of its wait`);
  const timesMs: number[] = [];
  using sender = await SmtpClient.greet({ port: ports.smtp });
  const connections = await Promise.all(
    Array.from({ length: WORKERS }, () => HttpConnection.open(ports.http)),
  );
  for (let round = 0; round < rounds; round++) {
    const since = new Date().toISOString();
    const answers = connections.map((connection, index) =>
      connection.get(`/api/v1/inboxes/user${index}@app.example/messages/wait?timeout=25&since=${since}`),
    );
    await Bun.sleep(50);
    for (const [index, answer] of answers.entries()) {
      await sender.sendEnvelope('app@app.example', `user${index}@app.example`);
      const code = String(100_000 + round * WORKERS + index);
      sender.data(`From: app@app.example\r\nSubject: Sign in\r\n\r\nYour verification code is ${code}\r\n`);
      const sentMs = performance.now();
      await sender.expect(250);
      const { at, body } = await answer;
      if (!body.includes(`"otp":"${code}"`)) throw new Error(`user${index} was answered ${body}`);
      if (round > 0) timesMs.push(at - sentMs);
    }
  }
  for (const connection of connections) connection.close();
  report.line('p50', `${shown(quantile(timesMs, 0.5))} ms`);
  report.goal('p99', quantile(timesMs, 0.99), 'ms', { under: 5 });
}

/** Runs 100 workers at once. Each signs up at an app, waits for the mail, and compares the code with its own. */
async function benchSignUps(report: Report, ports: Ports, rounds: number): Promise<void> {
  report.section(`${WORKERS} workers that sign up, wait and get their code, ${rounds} times`);
  const mailer = createTransport({ host: '127.0.0.1', port: ports.smtp, pool: true, maxConnections: 10 });
  const codes = new Map<string, string>();
  // The app with the sign-up page.
  const app = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const to = await request.text();
      const code = String(Math.floor(100_000 + Math.random() * 900_000));
      codes.set(to, code);
      const text = `Welcome!\n\nYour verification code is ${code}`;
      await mailer.sendMail({ from: 'app@app.example', to, subject: 'Verify your email', text });
      return new Response('ok');
    },
  });
  const timesMs: number[] = [];
  let wrong = 0;
  const work = async (address: string) => {
    const began = performance.now();
    const wait = `http://127.0.0.1:${ports.http}/api/v1/inboxes/${address}/messages/wait?timeout=25&since=0`;
    const waiting = fetch(wait);
    await fetch(app.url, { method: 'POST', body: address });
    const answer = await waiting;
    const got = answer.status === 200 ? ((await answer.json()) as { data: { otp: string } }).data.otp : null;
    if (got !== codes.get(address)) wrong += 1;
    timesMs.push(performance.now() - began);
  };
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: WORKERS }, (_, index) => work(`worker${index}-${round}@app.example`)),
    );
  }
  mailer.close();
  await app.stop(true);
  report.line('codes', `${shown(timesMs.length)}, of which ${wrong} wrong or missing`);
  report.line(
    'sign-up to code, p50 p99',
    `${shown(quantile(timesMs, 0.5))} ms`,
    `${shown(quantile(timesMs, 0.99))} ms`,
  );
  if (wrong > 0) throw new Error(`${wrong} workers did not get their own code`);
}
