/** Everything that lives as long as the appliance, by name. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardServices } from '../doors/dashboard/services.ts';
import type { McpServices } from '../doors/mcp/calls.ts';
import type { KeyServices } from '../features/accounts/authenticate.ts';
import type { LinkServices } from '../features/checks/fetch-links.ts';
import { Doctor, type DoctorServices } from '../features/doctor/doctor.ts';
import type { DomainServices } from '../features/domains/check.ts';
import { FaultRules } from '../features/faults/rules.ts';
import type { FaultServices } from '../features/faults/services.ts';
import { Diary, type DiaryServices } from '../features/ingest/diary/diary.ts';
import { KillBudget } from '../features/ingest/kill-budget.ts';
import { type IngestServices, ParserPool } from '../features/ingest/parser-pool.ts';
import { ErrandRunner, type ErrandServices } from '../features/mail-rules/errands/runner.ts';
import { ReleaseDiary } from '../features/outbound/release/diary.ts';
import type { MailDispatcher } from '../features/outbound/sending/dispatcher.ts';
import type { VerificationServices } from '../features/verification/verifier.ts';
import { WebhookDispatcher, type WebhookServices } from '../features/webhooks/dispatcher.ts';
import { Announcer } from '../platform/core/announcer.ts';
import { type Clock, systemClock } from '../platform/core/clock.ts';
import type { Log } from '../platform/core/log.ts';
import { type Meters, silentMeters } from '../platform/core/meters.ts';
import { Observed } from '../platform/core/observed.ts';
import { ServerKey } from '../platform/core/sealed.ts';
import { type LoadedSettings, mxHost, type Settings } from '../platform/core/settings.ts';
import { makeFolder } from '../platform/files/durable.ts';
import type { GivenAnswer } from '../platform/http/pipeline.ts';
import { loadCertificate } from '../platform/net/certificate.ts';
import { makeResolver } from '../platform/net/dns.ts';
import { readExtraCa } from '../platform/net/extra-ca.ts';
import type {
  Arrival,
  Departure,
  PlatformServices,
  Proven,
  Queued,
  TrialDoor,
  Withheld,
} from '../platform/services.ts';
import { STORE_FILE } from '../platform/store/file-names.ts';
import { runInline } from '../platform/store/inline-thread.ts';
import { Store } from '../platform/store/store.ts';
import type { ThreadPort } from '../platform/store/thread.ts';
import { serveWrites } from '../platform/store/write-loop.ts';
import type { Limits } from '../rules/limits.ts';
import type { Plans } from '../rules/plans.ts';
import { writes } from './writes.ts';

export interface ApplianceOptions {
  settings: Settings;
  limits: Limits;
  plans: Plans;
  log: Log;
  /** The folder exists, and this process holds its lock. */
  dataDir: string;
  /** The server's key, 32 bytes. */
  key: Uint8Array;
  clock?: Clock;
  /** Capture mode: every address is accepted, and mail creates its inbox (docs/operations.md, capture). */
  capture?: { apiKey?: string };
  /** Whether to reserve disk space for when the disk is full (platform/store/reserve.ts). */
  hasReserve?: boolean;
  /** Whether the data folder is removed at the end (capture without --data). */
  isThrownAway?: boolean;
  /** If false, no sockets are opened and no jobs run: for a command without a server. */
  doors?: boolean;
  /** Called when the writer thread has died. Nothing can be stored any more. */
  onBroken?: (reason: string) => void;
  /** The source of each setting, for the operator's pages. */
  sources?: LoadedSettings['sources'];
  /** Called with every HTTP response. */
  onAnswer?: (given: GivenAnswer) => void;
  /** The command that starts this program in a role; by default that of this process. */
  program?: readonly string[];
  /** The files of the store's threads; by default those beside this file. */
  threads?: Threads;
}

export interface Threads {
  writer: URL;
  reader: URL;
}

/** How to undo a step of the start. */
export type Undo = { what: string; run: () => Promise<void> | void };

/** The services of every command. They must be quick to load and to create. */
export interface CommandServices
  extends IngestServices,
    WebhookServices,
    ErrandServices,
    DomainServices,
    DoctorServices,
    DiaryServices {
  readonly meters: Observed;
  readonly faultRules: FaultRules;
  readonly releases: ReleaseDiary;
}

/** The services of doors and jobs (doors.ts). */
export interface Services
  extends CommandServices,
    KeyServices,
    DashboardServices,
    McpServices,
    LinkServices,
    VerificationServices,
    FaultServices {
  readonly meters: Observed;
  /** Null if sending is off. */
  readonly sender: MailDispatcher | null;
}

/** Creates the services, each after those that it depends on. */
export async function openServices(options: ApplianceOptions, undo: Undo[]): Promise<CommandServices> {
  const { settings, log, dataDir, clock = systemClock } = options;
  const doors = options.doors !== false;
  const spoolDir = openSpool(dataDir, doors);
  const meters = new Observed(await openMeters(settings, doors), () => clock.nowUs());
  const store = await openStore(options, meters);
  undo.push({ what: 'store', run: () => store.close() });
  // In capture mode all mail is the operator's own test mail, so parser restarts need no limit.
  const kills = options.capture ? null : new KillBudget(clock);
  const parsers = new ParserPool(buildRoleCommand('parser', options), log, meters, kills);
  undo.push({ what: 'parsers', run: () => parsers.stop() });
  const logFault = (fault: unknown) => log.error('a listener failed', { fault: String(fault) });
  const platform: PlatformServices = {
    settings,
    limits: options.limits,
    plans: options.plans,
    clock,
    log,
    meters,
    store,
    key: new ServerKey(options.key),
    arrivals: new Announcer<Arrival>(logFault),
    withheld: new Announcer<Withheld>(logFault),
    proven: new Announcer<Proven>(logFault),
    departures: new Announcer<Departure>(logFault),
    queued: new Announcer<Queued>(logFault),
    outside: {
      resolver: makeResolver(settings.dns_servers),
      extraCa: readExtraCa(settings.extra_ca_file),
    },
    mailReader: parsers,
    spoolDir,
    dataDir,
    listening: { http: null, smtp: [] },
    openTrialDoor: () => openTrialDoor(services),
  };
  const services: CommandServices = {
    ...platform,
    meters,
    parsers,
    diary: new Diary(platform),
    faultRules: new FaultRules(),
    releases: new ReleaseDiary(platform.clock),
    domainChecks: new Map(),
    doctor: new Doctor(platform),
    webhooks: new WebhookDispatcher(platform),
    errands: new ErrandRunner(platform),
  };
  platform.departures.listen((gone) => {
    if ('account_no' in gone) services.faultRules.clear(gone.account_no);
  });
  if (settings.metrics && doors) {
    const { watchProcess } = await import('../platform/core/process-meters.ts');
    undo.push({ what: 'meters', run: watchProcess(services) });
  }
  return services;
}

/** Creates the folder for temporary files. A server deletes what an earlier run has left in it. */
function openSpool(dataDir: string, doors: boolean): string {
  const spoolDir = join(dataDir, 'spool');
  if (doors) rmSync(spoolDir, { recursive: true, force: true });
  makeFolder(spoolDir);
  return spoolDir;
}

/** Creates the meters. Their library is loaded only if somebody can read them. */
async function openMeters(settings: Settings, doors: boolean): Promise<Meters> {
  if (!settings.metrics || !doors) return silentMeters;
  const { prometheusMeters } = await import('../platform/core/prometheus.ts');
  return prometheusMeters();
}

const ownThreads: Threads = {
  writer: new URL('./writer-thread.ts', import.meta.url),
  reader: new URL('./reader-thread.ts', import.meta.url),
};
const startInlineWriter = (): ThreadPort => runInline((port) => serveWrites(writes, port));

function openStore(options: ApplianceOptions, meters: Meters): Promise<Store> {
  const { log, threads = ownThreads } = options;
  return Store.open({
    file: join(options.dataDir, STORE_FILE),
    dataDir: options.dataDir,
    clock: options.clock ?? systemClock,
    log,
    copiesBeforeMigration: options.settings.migration_copy,
    ownCheckpoints: options.settings.checkpoints === 'own',
    hasReserve: options.hasReserve === true,
    isThrownAway: options.isThrownAway === true,
    startWriter: options.isThrownAway ? startInlineWriter : () => new Worker(threads.writer),
    startReader: () => new Worker(threads.reader),
    onGroup: (size, ms) => {
      meters.observe('commit_group_size', size);
      meters.observe('commit_seconds', ms / 1000);
    },
    onBroken: (reason) => {
      log.error('the writer thread ended; nothing can be stored until the program is restarted', {
        reason,
      });
      options.onBroken?.(reason);
    },
  });
}

/** Opens SMTP on a free port of the loopback, for the doctor. */
async function openTrialDoor(services: CommandServices): Promise<TrialDoor> {
  const { openSmtp } = await import('../doors/smtp/listener.ts');
  const smtpListen = [{ host: '127.0.0.1', port: 0, tls: false }];
  const trial = {
    ...services,
    settings: { ...services.settings, smtp_listen: smtpListen },
    knownCallers: { version: -1, callers: new Map() },
    capture: null,
  };
  const host = mxHost(services.settings);
  // Not the operator's certificate, because another check reports a wrong one.
  const certificate = await loadCertificate({ cert: null, key: null }, services.dataDir, host);
  const isDiskLow = () => false;
  const door = await openSmtp({ services: trial, capture: null, isDiskLow }, host, certificate);
  return { port: door.listening[0]!.port, close: () => door.stop() };
}

/** Returns the command that runs this program in a role. From sources, it runs Bun with the flags of this process. */
export function buildRoleCommand(role: 'parser' | 'checker', { program }: ApplianceOptions): string[] {
  const compiled = import.meta.path.startsWith('/$bunfs');
  const own = [
    process.execPath,
    ...(compiled ? [] : [...process.execArgv, join(import.meta.dir, '../main.ts')]),
  ];
  return [...(program ?? own), `--role=${role}`];
}
