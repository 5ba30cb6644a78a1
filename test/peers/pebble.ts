/** Pebble, Let's Encrypt's own CA for tests, built with Go. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGoProgram, goProgramPath, pebble as program } from '../../scripts/go-program.ts';
import { freePort } from '../../scripts/measure/processes.ts';
import type { DnsServer } from './dns-server.ts';
import { testCa } from './https-receiver.ts';
import { haveTool } from './tools.ts';

let known: boolean | undefined;

/** Returns whether Pebble is installed or can be built; if not, prints why. */
export function havePebble(): boolean {
  if (known !== undefined) return known;
  const trouble = haveTool('go') ? buildGoProgram(program) : 'Go is not installed';
  if (trouble !== null) console.warn(`tests that need Pebble are skipped: ${trouble}`);
  known = trouble === null;
  return known;
}

export interface PebbleOptions {
  dns: DnsServer;
  /** The port at which it looks for answers to challenges. */
  httpPort: number;
  /** More variables, such as `{ PEBBLE_WFE_NONCEREJECT: '50' }`. */
  env?: Record<string, string>;
  /** How long its certificates are valid, in seconds. */
  validS?: number;
}

export interface Pebble extends AsyncDisposable {
  /** For POSTERN_ACME_DIRECTORY; its https needs the tests' own CA. */
  directory: string;
  /** Restarts it. Everything is in memory, so accounts and orders are gone and the keys are new. */
  restart(): Promise<void>;
  /** Returns its current root certificate (PEM). */
  root(): Promise<string>;
}

export async function startPebble({
  dns,
  httpPort,
  env = {},
  validS = 7_776_000,
}: PebbleOptions): Promise<Pebble> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-pebble-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const { key, cert } = await (await testCa()).issue(['localhost', '127.0.0.1']);
  writeFileSync(join(dir, 'key.pem'), key);
  writeFileSync(join(dir, 'cert.pem'), cert);
  const config = makeConfig(dir, { port, managementPort, httpPort, validS });
  writeFileSync(join(dir, 'config.json'), JSON.stringify({ pebble: config }));
  const directory = `https://localhost:${port}/dir`;
  const ask = (url: string) => fetch(url, { tls: { rejectUnauthorized: false } });
  let logged = '';
  const spawn = async () => {
    const child = Bun.spawn(
      [
        ...[goProgramPath(program), '-config', join(dir, 'config.json'), '-strict'],
        ...['-dnsserver', `${dns.host}:${dns.port}`],
      ],
      {
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'inherit',
        env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', ...env },
      },
    );
    void (async () => {
      for await (const bytes of child.stdout) logged += new TextDecoder().decode(bytes);
    })();
    while (child.exitCode === null && !(await ask(directory).catch(() => null))?.ok) await Bun.sleep(20);
    if (child.exitCode !== null) throw new Error(`Pebble did not start: ${logged}`);
    return child;
  };
  let child = await spawn();
  return {
    directory,
    async restart() {
      child.kill();
      await child.exited;
      child = await spawn();
    },
    root: async () => (await ask(`https://localhost:${managementPort}/roots/0`)).text(),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function makeConfig(dir: string, { port, managementPort, httpPort, validS }: Record<string, number>) {
  return {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(dir, 'cert.pem'),
    privateKey: join(dir, 'key.pem'),
    httpPort,
    tlsPort: 1,
    keyAlgorithm: 'ecdsa',
    domainBlocklist: ['blocked.acme.test'],
    retryAfter: { authz: 1, order: 1 },
    profiles: { default: { description: 'The only one', validityPeriod: validS } },
  };
}
