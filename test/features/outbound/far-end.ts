/** What a program that sends needs around it: a DNS server, a far mail server, and a data folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson } from '../../doors/operator/command-process.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../peers/mail-server.ts';
import { setExchanger } from './sending-server.ts';

export interface FarEnd extends AsyncDisposable {
  dns: DnsServer;
  /** The only exchanger of far.test. */
  far: MailServer;
  /** The environment of the program: an empty data folder, and settings with which it sends to `far`. */
  env: Record<string, string>;
  /** Runs a command of the program and returns its JSON. */
  run(...args: string[]): Promise<Record<string, string>>;
}

/** Starts what a program that is killed and started again sends through. At the end the data folder is removed. */
export async function startFarEnd(
  settings: Record<string, string> = {},
  options: MailServerOptions = {},
): Promise<FarEnd> {
  const [dns, far] = await Promise.all([startDnsServer(), startMailServer(options)]);
  setExchanger(dns, 'far.test', '10 mx.far.test');
  dns.setAddresses('mx.far.test', far.host);
  const dir = mkdtempSync(join(tmpdir(), 'postern-far-end-'));
  const env = {
    POSTERN_DATA_DIR: dir,
    POSTERN_DISK_FLOOR: '0',
    POSTERN_LIMITS: 'off',
    POSTERN_OUTBOUND: 'direct',
    POSTERN_OUTBOUND_PORT: String(far.port),
    POSTERN_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    POSTERN_DNS_SERVERS: `${dns.host}:${dns.port}`,
    ...settings,
  };
  return {
    dns,
    far,
    env,
    run: (...args) => posternJson<Record<string, string>>(args, env),
    async [Symbol.asyncDispose]() {
      await Promise.all([dns[Symbol.asyncDispose](), far[Symbol.asyncDispose]()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
