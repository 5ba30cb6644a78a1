/** NSD, a real name server (Debian's package nsd), with zones of a test on a loopback port. */
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeResolver } from '../../src/platform/net/dns.ts';
import { until } from '../until.ts';
import { haveTool } from './tools.ts';

export const haveNsd = () => haveTool('nsd');

export interface Nsd extends AsyncDisposable {
  host: string;
  port: number;
  /** Replaces a zone's records, given as zone file lines without SOA and NS. Resolves once they are served. */
  publish(zone: string, lines: readonly string[]): Promise<void>;
  /** Stops it: its port no longer answers. */
  stop(): Promise<void>;
  /** Starts it again with the same zones. */
  start(): Promise<void>;
}

const host = '127.0.0.1';
/** How long a negative answer may be cached, from the SOA (RFC 2308 4). */
export const NSD_NEGATIVE_TTL_S = 45;
const PORTS_TRIED = 5;

/** Starts NSD with these zones, which are empty at first. */
export async function startNsd(zones: readonly string[]): Promise<Nsd> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-nsd-'));
  let serial = 0;
  let child: ReturnType<typeof spawnNsd> | undefined;
  let port = 0;
  const write = (zone: string, lines: readonly string[]) => {
    serial += 1;
    const head = [
      '$TTL 60',
      `@ IN SOA ns hostmaster ${serial} 3600 600 86400 ${NSD_NEGATIVE_TTL_S}`,
      '@ IN NS ns',
      `ns IN A ${host}`,
      `_serial IN TXT "${serial}"`,
    ];
    writeFileSync(join(dir, `${zone}.zone`), `${[...head, ...lines].join('\n')}\n`);
    return String(serial);
  };
  const serves = async (zone: string, wanted?: string) => {
    const resolver = makeResolver([{ host, port }], { tryMs: 500, totalMs: 1_000 });
    const outcome = await resolver.txt(`_serial.${zone}`);
    return outcome.kind === 'answer' && (wanted === undefined || outcome.records.includes(wanted));
  };
  const nsd: Nsd = {
    host,
    get port() {
      return port;
    },
    async publish(zone, lines) {
      const wanted = write(zone, lines);
      // Not by SIGHUP, after which the old process would still answer for a while, from the old zone.
      await nsd.stop();
      await nsd.start();
      await until(() => serves(zone, wanted));
    },
    async stop() {
      child?.kill('SIGTERM');
      await child?.exited;
    },
    async start() {
      for (let tries = 0; tries < PORTS_TRIED; tries++) {
        port ||= await freePort();
        writeFileSync(join(dir, 'nsd.conf'), makeConfig(dir, port, zones));
        child = spawnNsd(dir);
        const last = zones.at(-1)!;
        while (child.exitCode === null && !(await serves(last))) await Bun.sleep(20);
        if (child.exitCode === null) return;
        // Another process took the port.
        port = 0;
      }
      throw new Error(`nsd did not start: ${await new Response(child?.stderr).text()}`);
    },
    async [Symbol.asyncDispose]() {
      await nsd.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  for (const zone of zones) write(zone, []);
  await nsd.start();
  return nsd;
}

function spawnNsd(dir: string) {
  return Bun.spawn(['nsd', '-d', '-c', join(dir, 'nsd.conf')], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
}

function makeConfig(dir: string, port: number, zones: readonly string[]): string {
  const server = [
    ...['server:', `ip-address: ${host}@${port}`, `zonesdir: "${dir}"`, 'username: ""', 'chroot: ""'],
    ...['server-count: 1', `pidfile: "${dir}/nsd.pid"`, `xfrdfile: "${dir}/xfrd.state"`, 'database: ""'],
    ...[`xfrdir: "${dir}"`, `zonelistfile: "${dir}/zone.list"`, 'zonefiles-check: yes', 'hide-version: yes'],
    ...['remote-control:', 'control-enable: no'],
  ];
  return `${[...server, ...zones.flatMap((zone) => ['zone:', `name: ${zone}`, `zonefile: "${zone}.zone"`])].join('\n')}\n`;
}

/** Returns a port that is free for TCP and UDP at the moment. */
async function freePort(): Promise<number> {
  for (;;) {
    const tcp = createServer();
    await new Promise<void>((done) => tcp.listen(0, host, done));
    const { port } = tcp.address() as { port: number };
    const udp = createSocket('udp4');
    const isFree = await new Promise<boolean>((done) => {
      udp.once('error', () => done(false));
      udp.bind(port, host, () => done(true));
    });
    udp.close();
    await new Promise<void>((done) => tcp.close(() => done()));
    if (isFree) return port;
  }
}
