import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openBackstage } from '../doors/dashboard/backstage.ts';
import { liveRoomOf } from '../doors/dashboard/live-room.ts';
import { openToCapture } from '../doors/dashboard/session.ts';
import { openSetUp } from '../doors/dashboard/set-up.ts';
import type { SmtpDoor } from '../doors/smtp/listener.ts';
import { captureAccount } from '../features/accounts/capture-account.ts';
import { meterOf } from '../features/accounts/meter.ts';
import { Checker } from '../features/authenticity/checker.ts';
import type { Inbox } from '../features/inboxes/sql.ts';
import { type BroughtMail, bringMails } from '../features/ingest/import.ts';
import { KillBudget } from '../features/ingest/kill-budget.ts';
import { ParserPool } from '../features/ingest/parser-pool.ts';
import type { CaptureRule } from '../features/ingest/recipient.ts';
import { dropUnfinished } from '../features/ingest/writes.ts';
import { waitsOf } from '../features/waits/waits.ts';
import { dispatcherOf } from '../features/webhooks/dispatcher.ts';
import { Announcer } from '../platform/core/announcer.ts';
import { type Clock, systemClock } from '../platform/core/clock.ts';
import type { Log } from '../platform/core/log.ts';
import { LogTail } from '../platform/core/log-tail.ts';
import { type Meters, silentMeters } from '../platform/core/meters.ts';
import { Observed } from '../platform/core/observed.ts';
import { ServerKey } from '../platform/core/sealed.ts';
import { type Listen, type LoadedSettings, mxHost, type Settings } from '../platform/core/settings.ts';
import { makeFolder } from '../platform/files/durable.ts';
import type { Given } from '../platform/http/pipeline.ts';
import type { HttpServer } from '../platform/http/server.ts';
import { loadCertificate, loadServerCertificate } from '../platform/net/certificate.ts';
import { renewCertificate } from '../platform/net/certificate-watch.ts';
import { boundConnections } from '../platform/net/connections.ts';
import { makeResolver } from '../platform/net/dns.ts';
import { readExtraCa } from '../platform/net/extra-ca.ts';
import type { Arrival, Departure, PlatformServices, Queued, TrialDoor } from '../platform/services.ts';
import { explainFullDisk } from '../platform/store/reserve.ts';
import { Store } from '../platform/store/store.ts';
import type { Limits } from '../rules/limits.ts';
import type { Plans } from '../rules/plans.ts';

/*
 * The composition root: settings in, a running appliance out. Each part gets what it uses, leaves first, and
 * stop() undoes them in reverse, each guarded.
 */

export interface ApplianceOptions {
  settings: Settings;
  limits: Limits;
  plans: Plans;
  log: Log;
  /** Exists, and belongs to this process alone. */
  data_dir: string;
  /** The server's own 32 bytes. */
  key: Uint8Array;
  clock?: Clock;
  /** Every address is taken, and mail makes its own inboxes (docs/operations.md, capture). */
  capture?: { api_key?: string };
  /** Keeps space back for the time when the disk is full (platform/store/reserve.ts). */
  hasReserve?: boolean;
  /** False: no sockets and no jobs, for a command that runs without a server. */
  doors?: boolean;
  /** The writer thread died: nothing can be stored any more. */
  onBroken?: (reason: string) => void;
  /** Where each setting came from, for the operator's pages. */
  sources?: LoadedSettings['sources'];
  /** Told of every answer of HTTP. */
  onAnswer?: (given: Given) => void;
  /** How this program is started, for its roles in processes of their own; else as this process was. */
  program?: readonly string[];
}

export interface Appliance {
  services: PlatformServices;
  http: { host: string; port: number; url: string } | null;
  smtp: readonly Listen[];
  /** Capture mode's key. */
  api_key?: string;
  /** The path of the link with which the operator sets a password; null when one is set, or nobody signs in here. */
  setUpPath: string | null;
  /** Processes besides this one, for whoever measures. */
  parserPids(): number[];
  /** Stores mails that the operator brings along (features/ingest/import.ts). */
  bringMails(inbox: Inbox, mails: readonly BroughtMail[]): Promise<string[]>;
  /** Reads the files of certificates again, our own and those that we trust (SIGHUP). */
  reloadTls(): Promise<void>;
  stop(): Promise<void>;
}

/** What has to be undone at the end, newest last. */
type Undo = { what: string; run: () => Promise<void> | void };

export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const undo: Undo[] = [];
  const clock = options.clock ?? systemClock;
  const logTail = new LogTail();
  const log = logTail.over(options.log, () => clock.nowUs());
  try {
    return await assemble({ ...options, log }, undo, logTail);
  } catch (fault) {
    await stopAll(undo, options.log);
    const reason = explainFullDisk(fault, options.data_dir);
    throw reason === null ? fault : new Error(reason, { cause: fault });
  }
}

async function assemble(options: ApplianceOptions, undo: Undo[], logTail: LogTail): Promise<Appliance> {
  const { settings, log, clock = systemClock } = options;
  const doors = options.doors !== false;
  const spoolDir = spoolIn(options.data_dir, doors);
  const meters = new Observed(await openMeters(settings, doors), () => clock.nowUs());
  const store = await openStore(options, meters);
  undo.push({ what: 'store', run: () => store.close() });
  // Whoever tries their own mails out meets the same parser, and nobody else's mail waits for theirs.
  const kills = options.capture ? null : new KillBudget(clock);
  const parsers = new ParserPool({ command: roleCommand('parser', options) }, log, meters, kills);
  undo.push({ what: 'parsers', run: () => parsers.stop() });
  const tellFault = (fault: unknown) => log.error('a listener failed', { fault: String(fault) });
  const services: PlatformServices = {
    settings,
    limits: options.limits,
    plans: options.plans,
    clock,
    log,
    meters,
    store,
    key: new ServerKey(options.key),
    arrivals: new Announcer<Arrival>(tellFault),
    departures: new Announcer<Departure>(tellFault),
    queued: new Announcer<Queued>(tellFault),
    outside: {
      resolver: makeResolver(settings.dns_servers),
      extraCa: readExtraCa(settings.extra_ca_file),
    },
    mailReader: parsers,
    spoolDir,
    data_dir: options.data_dir,
    listening: { http: null, smtp: [] },
    openTrialDoor: () => openTrialDoor(services, parsers),
  };
  if (settings.metrics && doors) {
    const { watchProcess } = await import('../platform/core/process-meters.ts');
    undo.push({ what: 'meters', run: watchProcess(services) });
  }
  const captured = options.capture ? await captureAccount(services, options.capture.api_key) : null;
  if (captured) openToCapture(services, captured.account_no);
  const served = doors ? await openDoors(options, services, parsers, captured, undo) : null;
  const backstage = {
    log_tail: logTail,
    observed: meters,
    sources: options.sources ?? {},
    started_at: clock.nowUs(),
  };
  if (served) openBackstage(services, { ...backstage, ready: served.ready });
  services.listening = { http: served?.http.url ?? null, smtp: served?.smtp.listening ?? [] };
  return applianceOf(services, served, captured, parsers, () => stopAll(undo, log));
}

/** What a caller of startAppliance is given. */
function applianceOf(
  services: PlatformServices,
  served: Awaited<ReturnType<typeof openDoors>> | null,
  captured: { api_key: string } | null,
  parsers: ParserPool,
  stop: () => Promise<void>,
): Appliance {
  return {
    services,
    http: served?.http ?? null,
    smtp: served?.smtp.listening ?? [],
    api_key: captured?.api_key,
    setUpPath: served && !captured ? openSetUp(services) : null,
    parserPids: () => parsers.pids,
    bringMails: (inbox, mails) => bringMails(services, parsers, inbox, mails),
    async reloadTls() {
      // One that is broken must not keep the other from being read.
      try {
        await served?.reloadTls();
      } finally {
        services.outside.extraCa = readExtraCa(services.settings.extra_ca_file);
      }
    },
    stop,
  };
}

/** The folder for files of a moment; what a run before left there is of no use. */
function spoolIn(dataDir: string, doors: boolean): string {
  const spoolDir = join(dataDir, 'spool');
  if (doors) rmSync(spoolDir, { recursive: true, force: true });
  makeFolder(spoolDir);
  return spoolDir;
}

/** What counts is loaded only when somebody reads it. */
async function openMeters(settings: Settings, doors: boolean): Promise<Meters> {
  if (!settings.metrics || !doors) return silentMeters;
  const { prometheusMeters } = await import('../platform/core/prometheus.ts');
  return prometheusMeters();
}

function openStore(options: ApplianceOptions, meters: Meters): Promise<Store> {
  const { log } = options;
  return Store.open({
    file: join(options.data_dir, 'postern.db'),
    data_dir: options.data_dir,
    clock: options.clock ?? systemClock,
    log,
    migration_copy: options.settings.migration_copy,
    ownCheckpoints: options.settings.checkpoints === 'own',
    hasReserve: options.hasReserve === true,
    startWriter: () => new Worker(new URL('./writer-thread.ts', import.meta.url)),
    startReader: () => new Worker(new URL('./reader-thread.ts', import.meta.url)),
    onGroup: (size, ms) => {
      meters.observe('commit_group_size', size);
      meters.observe('commit_seconds', ms / 1000);
    },
    onBroken: (reason) => {
      log.error('the writer thread ended; nothing can be stored until the program is started again', {
        reason,
      });
      options.onBroken?.(reason);
    },
  });
}

/** Only for a server, so that a command without one starts at once. */
function loadDoors() {
  return Promise.all([
    import('../doors/smtp/listener.ts'),
    import('../doors/smtp/disk-floor.ts'),
    import('../platform/http/server.ts'),
    import('./routes.ts'),
    import('./jobs.ts'),
    import('../features/verification/verifier.ts'),
  ]);
}

/** SMTP, HTTP and the jobs. */
async function openDoors(
  options: ApplianceOptions,
  services: PlatformServices,
  parsers: ParserPool,
  capture: CaptureRule | null,
  undo: Undo[],
) {
  const { settings, data_dir, log } = options;
  const [{ openSmtp }, { watchDisk }, { startHttp }, { api }, { startJobs }, { verifierOf }] =
    await loadDoors();
  const readCertificate = () => loadServerCertificate(settings, data_dir, log);
  const [certificate, dropped] = await Promise.all([
    readCertificate(),
    services.store.write(dropUnfinished, null),
  ]);
  if (dropped > 0) log.info('dropped mail that was never acknowledged', { mails: dropped });

  const disk = watchDisk(data_dir, settings.disk_floor, services.store.reserve);
  // They stop together: mail under way must not keep who waits over HTTP waiting for longer than the stop may take.
  const closings: (() => Promise<void>)[] = [];
  undo.push({ what: 'doors', run: async () => void (await Promise.all(closings.map((close) => close()))) });
  const verifier = verifierOf(services);
  let smtp: SmtpDoor | undefined;
  const connections = boundConnections(settings, log, capture !== null);
  const ready = () => (smtp ? (disk.trouble() ?? connections.shortage()) : 'SMTP does not listen yet');
  const http: HttpServer = startHttp({
    services,
    api,
    listen: settings.http_listen,
    ...(settings.http_tls ? { tls: certificate } : {}),
    onAnswer: options.onAnswer,
    ready,
    connections,
  });
  const waits = waitsOf(services);
  closings.push(async () => {
    waits.stop();
    verifier.stop();
    liveRoomOf(services).stop();
    await http.stop();
    await meterOf(services).settled();
  });
  smtp = await openSmtp({ services, parsers, capture, isDiskLow: disk.isLow }, mxHost(settings), certificate);
  const opened = smtp;
  closings.push(() => opened.stop());
  const dispatcher = dispatcherOf(services);
  closings.push(() => dispatcher.stop());
  dispatcher.start();
  closings.push(await startSending(services, opened.listening));
  if (!capture) closings.push(startChecker(services, roleCommand('checker', options)));
  const jobs = startJobs(services);
  undo.push({ what: 'jobs', run: () => jobs.stop() });
  const renewal = renewCertificate(services, readCertificate, [opened, http]);
  undo.push({ what: 'watch on the certificate', run: renewal.stop });
  return { http, smtp, ready, reloadTls: renewal.reload };
}

/** Sends email, where it is on; gives its stop. */
async function startSending(
  services: PlatformServices,
  listening: readonly Listen[],
): Promise<() => Promise<void>> {
  if (services.settings.outbound.way === 'off') return async () => {};
  const { outboundDispatcherOf } = await import('../features/outbound/sending/dispatcher.ts');
  const sender = outboundDispatcherOf(services);
  const door = listening.find(({ tls }) => !tls);
  await sender.start(door ? { host: loopbackOf(door.host), port: door.port } : null);
  return () => sender.stop();
}

/** Where a listener of ours is reached from here. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0' || host === 'localhost') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** The door that mail comes in by, on a free port of the loopback. */
async function openTrialDoor(services: PlatformServices, parsers: ParserPool): Promise<TrialDoor> {
  const { openSmtp } = await import('../doors/smtp/listener.ts');
  const smtpListen = [{ host: '127.0.0.1', port: 0, tls: false }];
  const trial: PlatformServices = {
    ...services,
    settings: { ...services.settings, smtp_listen: smtpListen },
  };
  const host = mxHost(services.settings);
  // Not the operator's certificate: a wrong one is another check's finding.
  const certificate = await loadCertificate({ cert: null, key: null }, services.data_dir, host);
  const isDiskLow = () => false;
  const door = await openSmtp({ services: trial, parsers, capture: null, isDiskLow }, host, certificate);
  return { port: door.listening[0]!.port, close: () => door.stop() };
}

/** Who checks the senders of mail; gives what stops it. */
function startChecker(services: PlatformServices, command: string[]): () => Promise<void> {
  const checker = new Checker(services, command);
  if (services.settings.authentication !== 'off') checker.start();
  return async () => checker.stop();
}

/** A role of this very program, in a process of its own. */
function roleCommand(role: 'parser' | 'checker', { program }: ApplianceOptions): string[] {
  const compiled = import.meta.path.startsWith('/$bunfs');
  const own = [process.execPath, ...(compiled ? [] : [join(import.meta.dir, '../main.ts')])];
  return [...(program ?? own), `--role=${role}`];
}

async function stopAll(undo: Undo[], log: Log): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) {
    try {
      await step.run();
    } catch (fault) {
      log.error('a part did not stop as it should', { part: step.what, fault: String(fault) });
    }
  }
}
