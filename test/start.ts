/**
 * Starts a whole server for a test: real sockets on free ports, a real store in a temporary folder, and optionally a
 * FakeClock (test/peers/fake-clock.ts). `await using appliance = await startAppliance();`
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAppliance as start } from '../src/app/app.ts';
import type { Services } from '../src/app/services.ts';
import type { Account } from '../src/features/accounts/account.ts';
import { createAccount } from '../src/features/accounts/create.ts';
import { storeMail } from '../src/features/ingest/writes.ts';
import type { Clock } from '../src/platform/core/clock.ts';
import { newId } from '../src/platform/core/id.ts';
import { createLog, type Log, type LogLevel } from '../src/platform/core/log.ts';
import { mxHost, type Settings, settingsFrom } from '../src/platform/core/settings.ts';
import type { Job } from '../src/platform/job.ts';
import type { ParsedContent, ParsedSummary } from '../src/platform/mail/parsed.ts';
import type { PlatformServices } from '../src/platform/services.ts';
import type { Plan } from '../src/rules/plans.ts';
import { AnswerWatch } from './conformance.ts';
import { makeStoreMail, plainContent } from './plain-mail.ts';
import { built } from './program.ts';
import { putCertificate, READY_HOST } from './ready-certificate.ts';
import { putStore } from './ready-store.ts';

export interface StartOptions {
  /** Settings as in the TOML file: `{ mail_domain: 'x.test', limit_requests_per_hour: '3' }`. */
  settings?: Record<string, string>;
  clock?: Clock;
  capture?: { apiKey?: string };
  /** An existing folder, which is not removed at the end; a new one by default. */
  dataDir?: string;
  /** The server's key, for a folder that is used again; a new one by default. */
  key?: Uint8Array;
  /** Whether to reserve disk space, as a server does. */
  hasReserve?: boolean;
  /** The command that starts the program in a role; by default the program as it is tested. */
  program?: readonly string[];
  /** The lowest level of lines in `logged`; `warn` by default. */
  logLevel?: 'debug' | 'info' | 'warn';
}

export interface RequestOptions {
  /** The API key. */
  key?: string;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A response with its whole body. `json` is undefined if it is not JSON. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses as they are on the wire.
  json: any;
}

/** An account, and an API key of its owner. */
export interface Holder {
  account: Account;
  key: string;
}

/** A message to store. What is not given has a plain default. */
export interface Delivery extends Partial<ParsedSummary> {
  content?: Partial<ParsedContent>;
  raw?: Uint8Array | string;
  /** Addresses of more inboxes that get the same message. */
  alsoTo?: string[];
  /** Whether SPF, DKIM and DMARC are checked afterwards. */
  isChecked?: boolean;
  envelope_from?: string;
}

export interface RunningAppliance extends AsyncDisposable {
  services: Services;
  url: string;
  httpPort: number;
  smtpPort: number;
  /** The port of each SMTP listener, in the order of the setting. */
  smtpPorts: number[];
  dataDir: string;
  /** Lines of the log at `logLevel` or above. */
  logged: string[];
  apiKey: string | undefined;
  /** The listener for Mailpit’s and MailHog’s clients; null when it is off. */
  compatUrl: string | null;
  /** Path of the page where the operator sets up the first sign-in; null if that is done. */
  setUpPath: string | null;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** Creates an account on a plan (`business` by default), and an owner's key. */
  holder(plan?: Plan): Promise<Holder>;
  /** Creates an inbox, and returns it as POST /inboxes does. */
  inbox(holder: Holder, fields?: Record<string, unknown>): Promise<{ id: string; address: string }>;
  /** Stores a message as ingest does, but without SMTP. Returns the id of the first recipient's message. */
  deliver(address: string, mail?: Delivery): Promise<string>;
  /** Reloads the certificate, as SIGHUP does. */
  reloadTls(): Promise<void>;
  /** Runs a job once. */
  run(job: Job<Services>): Promise<void>;
}

export async function startAppliance(options: StartOptions = {}): Promise<RunningAppliance> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'postern-test-'));
  const toml = { http_listen: '127.0.0.1:0', smtp_listen: '127.0.0.1:0', disk_floor: '0', data_dir: dataDir };
  const { settings, limits, plans, sources } = settingsFrom({ toml: { ...toml, ...options.settings } });
  if (options.dataDir === undefined) fillFolder(dataDir, settings);
  const { log, logged } = collectLog(options.logLevel ?? 'warn');
  const answers = new AnswerWatch();
  const appliance = await start({
    ...built,
    ...(options.program && { program: options.program }),
    onAnswer: answers.note,
    settings,
    limits,
    plans,
    sources,
    log,
    dataDir,
    key: options.key ?? randomBytes(32),
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.capture ? { capture: options.capture } : {}),
    // As `postern capture` without --data does.
    ...(options.capture && !options.dataDir ? { isThrownAway: true } : {}),
    ...(options.hasReserve ? { hasReserve: true } : {}),
  });
  const { http, smtp } = appliance;
  const services = appliance.served!;
  const url = http?.url ?? '';
  const request = async (method: string, path: string, options: RequestOptions = {}) => {
    const reply = await ask(url + path, method, options);
    answers.expectNoFault(method, path, reply);
    return reply;
  };
  return {
    services,
    url,
    dataDir,
    logged,
    request,
    httpPort: http?.port ?? 0,
    smtpPort: smtp[0]?.port ?? 0,
    smtpPorts: smtp.map(({ port }) => port),
    apiKey: appliance.apiKey,
    compatUrl: appliance.compat?.url ?? null,
    setUpPath: appliance.setUpPath,
    holder: (plan = 'business') => createHolder(services, plan),
    async inbox({ key }, fields = {}) {
      const reply = await request('POST', '/api/v1/inboxes', { key, body: fields });
      if (reply.status !== 201) throw new Error(`no inbox was created: ${reply.text}`);
      return reply.json.data;
    },
    reloadTls: () => appliance.reloadTls(),
    deliver: (address, mail = {}) => deliver(services, address, mail),
    run: (job) => job.run(services, new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await appliance.stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      answers.expectNoFault();
    },
  };
}

/** Returns a log that keeps its lines in `logged`. */
function collectLog(level: LogLevel): { log: Log; logged: string[] } {
  const logged: string[] = [];
  const write = (line: string) => void logged.push(line);
  return { log: createLog({ form: 'json', level, colour: false, write, nowUs: () => 0 }), logged };
}

async function createHolder(services: Services, plan: Plan): Promise<Holder> {
  const email = `${newId('user')}@example.org`;
  const { account, api_key } = await createAccount(services, { email, plan });
  return { account, key: api_key };
}

/** Puts what a first start would create into the folder, from copies that are created once for all tests. */
function fillFolder(dataDir: string, settings: Settings): void {
  putStore(dataDir);
  if (mxHost(settings) === READY_HOST) putCertificate(dataDir);
}

async function ask(url: string, method: string, { key, body, headers }: RequestOptions): Promise<Reply> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

async function deliver(services: PlatformServices, address: string, mail: Delivery): Promise<string> {
  const {
    content,
    raw = 'Subject: test\r\n\r\nbody\r\n',
    alsoTo = [],
    isChecked = false,
    envelope_from = 'sender@example.org',
    ...summary
  } = mail;
  const stored = await services.store.write(storeMail, {
    ...makeStoreMail([address, ...alsoTo], raw, { subject: 'Hello', snippet: 'body', ...summary }),
    content: Buffer.from(JSON.stringify({ ...bodyContent, ...content })),
    envelope_from,
    isChecked,
  });
  if (!stored[0]) throw new Error(`there is no inbox ${address}`);
  return stored[0].message_id;
}

const bodyContent: ParsedContent = {
  ...plainContent,
  message_id: '<1@example.org>',
  sent_at: '2026-11-21T08:00:00.000000Z',
  text: 'body',
};
