/**
 * A real server to torture while mail arrives, with a final check: everything that was answered 250 is stored once, nothing
 * was answered 500, and nothing failed unexpectedly. Loads use only loopback, and end by themselves.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { posternJson, type Serving, startServing } from '../../test/doors/operator/command-process.ts';
import { SmtpClient } from '../../test/peers/smtp-client.ts';
import { measureMemory } from '../measure/processes.ts';

/** The figures of a part, and what was not as expected. */
export interface Outcome {
  figures: Record<string, number | string>;
  faults: string[];
}

/** How long a part runs: `short` only shows that it works. */
export type Length = 'full' | 'short';

export interface Part {
  meaning: string;
  run(length: Length): Promise<Outcome>;
}

export interface Inbox {
  id: string;
  address: string;
}

/** The time for memory to return to its earlier level. */
const MEMORY_S_MAX = 60;

/** The sender of mails whose sender does not matter. */
export const SENDER = 'storm@example.org';

/** Subjects of mails that were answered 250. */
export type Ledger = Set<string>;

export class Stage implements AsyncDisposable {
  readonly acknowledged: Ledger = new Set();
  private number = 0;

  private constructor(
    readonly dir: string,
    readonly env: Record<string, string>,
    public server: Serving,
    readonly apiKey: string,
    readonly inbox: Inbox,
  ) {}

  static async open(settings: Record<string, string> = {}, parent = tmpdir()): Promise<Stage> {
    const dir = mkdtempSync(join(parent, 'postern-storm-'));
    const env = {
      POSTERN_DATA_DIR: join(dir, 'data'),
      POSTERN_DISK_FLOOR: '0',
      POSTERN_LIMITS: 'off',
      POSTERN_LOG_LEVEL: 'warn',
      ...settings,
    };
    const { api_key } = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'storm@example.org'],
      env,
    );
    const server = await startServing(['serve'], env);
    const inbox = await makeInbox(server, api_key);
    return new Stage(dir, env, server, api_key, inbox);
  }

  get smtpPort(): number {
    return Number(this.server.ready.smtp.split(':').at(-1));
  }

  get httpPort(): number {
    return Number(new URL(this.server.ready.http).port);
  }

  memoryMb(): number {
    return measureMemory(this.server.ready.pid).pssMb;
  }

  /** Sends mails one by one, over one connection, until `isOver`; returns each duration, ms. */
  async sendUntil(isOver: () => boolean, pauseMs = 0): Promise<number[]> {
    const tookMs: number[] = [];
    using client = await SmtpClient.greet({ port: this.smtpPort, timeoutMs: 30_000 });
    while (!isOver()) {
      const subject = `mail-${++this.number}`;
      const began = performance.now();
      await client.deliver(SENDER, this.inbox.address, `Subject: ${subject}\r\n\r\nYour code is 482913\r\n`);
      tookMs.push(performance.now() - began);
      this.acknowledged.add(subject);
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
    return tookMs;
  }

  async get(path: string): Promise<Response> {
    return fetch(`${this.server.ready.http}/api/v1${path}`, {
      headers: { authorization: `Bearer ${this.apiKey}` },
    });
  }

  /** The final check, with an idle server. */
  async faults(): Promise<string[]> {
    const found = await countSubjects(this.server, this.apiKey, this.inbox.id);
    const lost = [...this.acknowledged].filter((subject) => !found.has(subject)).length;
    const doubled = [...found.values()].filter((count) => count > 1).length;
    const ready = await fetch(`${this.server.ready.http}/readyz`);
    return [
      lost > 0 && `${lost} mails that were answered 250 are missing`,
      doubled > 0 && `${doubled} mails are duplicated`,
      ready.status !== 200 && `/readyz says ${ready.status}`,
    ].filter((fault) => fault !== false);
  }

  /** As `faults`, after waiting for memory to return to its earlier level, plus an allowance for what is kept warm. */
  async faultsWithMemory(beforeMb: number, allowedMb: number): Promise<string[]> {
    const untilMs = performance.now() + MEMORY_S_MAX * 1000;
    let nowMb = this.memoryMb();
    while (nowMb > beforeMb + allowedMb && performance.now() <= untilMs) {
      await Bun.sleep(500);
      nowMb = this.memoryMb();
    }
    const faults = await this.faults();
    if (nowMb > beforeMb + allowedMb)
      faults.push(`memory was ${round(beforeMb)} MB and is ${round(nowMb)} MB`);
    return faults;
  }

  /** Stops it, and returns the log lines that report internal errors. */
  async end(): Promise<string[]> {
    this.server.kill('SIGTERM');
    const status = await this.server.exited;
    const lines = (await this.server.stderr).split('\n').filter((line) => line.includes('"level":"error"'));
    if (status !== 0) lines.push(`it ended with ${status}`);
    return lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export async function makeInbox(server: Serving, apiKey: string): Promise<Inbox> {
  const answer = await fetch(`${server.ready.http}/api/v1/inboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (answer.status !== 201) throw new Error(`no inbox was created: ${await answer.text()}`);
  return ((await answer.json()) as { data: Inbox }).data;
}

export interface ListedMessage {
  id: string;
  subject: string;
  received_at: string;
}

/** Lists all messages of an inbox, newest first. */
export async function* listMessages(
  server: Serving,
  apiKey: string,
  inboxId: string,
): AsyncGenerator<ListedMessage> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${server.ready.http}/api/v1/inboxes/${inboxId}/messages?limit=100${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const page = (await answer.json()) as {
      data: ListedMessage[];
      pagination: { next_cursor: string | null };
    };
    yield* page.data;
    cursor = page.pagination.next_cursor;
  }
}

/** Counts how often each subject is in an inbox. */
export async function countSubjects(
  server: Serving,
  apiKey: string,
  inboxId: string,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { subject } of listMessages(server, apiKey, inboxId)) {
    found.set(subject, (found.get(subject) ?? 0) + 1);
  }
  return found;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Returns the slowest duration and the 99th percentile, in milliseconds. */
export function findSlowest(tookMs: readonly number[]): { p99Ms: number; maxMs: number } {
  const sorted = [...tookMs].sort((one, other) => one - other);
  return { p99Ms: round(sorted[Math.floor(sorted.length * 0.99)] ?? 0), maxMs: round(sorted.at(-1) ?? 0) };
}
