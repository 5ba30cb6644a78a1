/** Measures verification in safe mode: how long batches take, and how many single addresses are verified per second. */
import { isDisposable } from '../../src/features/verification/disposable.ts';
import { type DnsServer, startDnsServer } from '../../test/peers/dns-server.ts';
import { quantile, type Report, shown } from './figures.ts';
import { stop } from './processes.ts';
import { makeDataDir, removeDataDir, runCommand, serve } from './targets.ts';
import { HttpConnection } from './wait-clients.ts';

const DNS_DELAY_MS = 50;
const DOMAINS = 100;
const CONNECTIONS = 16;

type Post = (connection: number, path: string, body: unknown) => Promise<void>;

export async function benchVerify(report: Report, smoke: boolean): Promise<void> {
  report.section('Verification, safe mode: over HTTP, with a DNS server in the bench that takes 50 ms');
  await using dns = await startDnsServer();
  const dataDir = makeDataDir();
  const { child, ready } = await serve(dataDir, { POSTERN_DNS_SERVERS: `127.0.0.1:${dns.port}` });
  const { api_key = '' } = runCommand(dataDir, 'account', 'create', '--email', 'bench@example.org');
  const { port } = new URL(ready.http);
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => HttpConnection.open(Number(port))),
  );
  const post: Post = async (connection, path, body) => {
    const reply = await connections[connection]!.post(`/api/v1/${path}`, api_key, JSON.stringify(body));
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.body}`);
  };
  await benchBatches(report, dns, post, smoke ? 2 : 11);
  // Warms up the compiler; what follows is the rate of a running server.
  await verifySingles(post, smoke ? 100 : 5_000);
  await benchSingles(report, post, smoke ? 500 : 10_000);
  for (const connection of connections) connection.close();
  await stop(child);
  removeDataDir(dataDir);
  benchList(report, smoke ? 1_000 : 100_000);
}

async function benchBatches(report: Report, dns: DnsServer, post: Post, rounds: number): Promise<void> {
  const mx = (name: string) =>
    dns.set(name, 'MX', {
      records: [{ type: 'MX', data: '10 mx.test', ttlS: 600 }],
      delay_ms: DNS_DELAY_MS,
    });
  const timed = async (emails: string[]) => {
    const began = performance.now();
    await post(0, 'verify/batch', { emails });
    return performance.now() - began;
  };
  const timesMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: DOMAINS }, (_, index) => `d${index}.round${round}.test`);
    for (const name of names) mx(name);
    timesMs.push(await timed(names.map((name) => `ann@${name}`)));
  }
  report.goal('100 addresses of 100 domains (median)', quantile(timesMs, 0.5), 'ms', { under: 400 });
  report.line('the slowest of them', `${shown(quantile(timesMs, 1))} ms`);
  const before = dns.asked.length;
  mx('one.test');
  const oneMs = await timed(Array.from({ length: 100 }, (_, index) => `a${index}@one.test`));
  report.line('100 addresses of one domain', `${shown(oneMs)} ms`);
  report.goal('DNS questions for them', dns.asked.length - before, '', { under: 2 });
}

/** Verifies addresses of domains that the batches have already looked up, and returns each duration. */
async function verifySingles(post: Post, count: number): Promise<number[]> {
  const timesMs: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      for (let index = next++; index < count; index = next++) {
        const sent = performance.now();
        await post(connection, 'verify', { email: `a${index}@d${index % DOMAINS}.round1.test` });
        timesMs.push(performance.now() - sent);
      }
    }),
  );
  return timesMs;
}

async function benchSingles(report: Report, post: Post, count: number): Promise<void> {
  const began = performance.now();
  const timesMs = await verifySingles(post, count);
  const rate = count / ((performance.now() - began) / 1000);
  report.goal(`${count} single ones, ${CONNECTIONS} connections`, rate, '/s', { atLeast: 5_000 });
  report.line('p50, p99', `${shown(quantile(timesMs, 0.5))} ms`, `${shown(quantile(timesMs, 0.99))} ms`);
}

function benchList(report: Report, looks: number): void {
  const names = Array.from({ length: looks }, (_, index) => `made-up-${index}.org`);
  for (let round = 0; round < 3; round++) for (const name of names) isDisposable(name);
  const began = performance.now();
  for (const name of names) isDisposable(name);
  report.goal('one look-up in the list', ((performance.now() - began) * 1000) / looks, 'µs', { under: 1 });
}
