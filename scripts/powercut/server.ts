/** Starts Postern for recordings and checks. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Serving, startServing } from '../../test/doors/operator/command-process.ts';

/** A server that runs longer is killed, so that a hanging one ends the recording or fails the check. */
const RECORDED_MS_MAX = 30 * 60_000;
export const CHECKED_MS_MAX = 120_000;

/** `dns` (HOST:PORT) and `farPort`; without them nothing answers there, and queued deliveries stay queued. */
export function makeSettings(
  dataDir: string,
  { dns = '127.0.0.1:1', farPort = 1 }: { dns?: string; farPort?: number } = {},
): Record<string, string> {
  return {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_LIMITS: 'off',
    POSTERN_DISK_FLOOR: '0',
    POSTERN_LOG_LEVEL: 'warn',
    POSTERN_DNS_SERVERS: dns,
    POSTERN_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    POSTERN_OUTBOUND: 'direct',
    POSTERN_OUTBOUND_PORT: String(farPort),
    POSTERN_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    POSTERN_PLAN_BUSINESS_OUTBOUND_RECIPIENTS_PER_HOUR: '1000000',
    POSTERN_PLAN_BUSINESS_OUTBOUND_RECIPIENTS_PER_DAY: '1000000',
    POSTERN_PLAN_BUSINESS_OUTBOUND_QUEUED: '1000000',
  };
}

/** Copies the store and the key of a stopped server into the folder `data` of a recording's files. */
export function copyStopped({ POSTERN_DATA_DIR: dataDir }: Record<string, string>, files: string): void {
  mkdirSync(join(files, 'data'), { mode: 0o700 });
  for (const name of ['postern.db', 'server.key'])
    copyFileSync(join(dataDir!, name), join(files, 'data', name));
}

export function serve(settings: Record<string, string>, msMax = RECORDED_MS_MAX): Promise<Serving> {
  return startServing(['serve'], settings, msMax);
}

export async function end(server: Serving, signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
  server.kill(signal);
  return server.exited;
}

export function readSmtpPort({ ready }: Serving): number {
  return Number(ready.smtp.split(':').at(-1));
}

/** Returns where a load sends its requests and its mail. */
export function readDoors(server: Serving): { http: string; smtpPort: number } {
  return { http: server.ready.http, smtpPort: readSmtpPort(server) };
}

const LOOK_MS = 10;

/** Resolves when the condition holds. Throws with the fault if that takes longer than `msMax`. */
export async function waitUntil(holds: () => boolean, msMax: number, fault: string): Promise<void> {
  const giveUp = performance.now() + msMax;
  while (!holds()) {
    if (performance.now() > giveUp) throw new Error(fault);
    await Bun.sleep(LOOK_MS);
  }
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer, as the wire has it.
  json: any;
}

export class Api {
  constructor(
    private readonly http: string,
    readonly key: string,
  ) {}

  async call(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${this.http}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  }

  async bytes(path: string): Promise<{ status: number; bytes: Buffer }> {
    const answer = await fetch(`${this.http}/api/v1${path}`, {
      headers: { authorization: `Bearer ${this.key}` },
    });
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  // biome-ignore lint/suspicious/noExplicitAny: items, as the wire has them.
  async all(path: string): Promise<any[]> {
    const found = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, json } = await this.call('GET', `${path}?limit=100${query}`);
      if (status !== 200) throw new Error(`${path} was answered ${status}`);
      found.push(...json.data);
      cursor = json.pagination.next_cursor;
    }
    return found;
  }
}
