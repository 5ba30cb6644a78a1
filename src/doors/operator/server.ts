/** A running server: its folder, doors, control socket, first output and orderly stop. */
import type { Appliance } from '../../app/app.ts';
import { CAPTURE_EMAIL } from '../../features/accounts/capture-account.ts';
import { listOperatorsHosts } from '../../features/accounts/sessions/sql.ts';
import { findAccountById } from '../../features/accounts/sql.ts';
import { findInboxById } from '../../features/inboxes/sql.ts';
import { systemClock } from '../../platform/core/clock.ts';
import { formatHostPort } from '../../platform/core/host-port.ts';
import { createLog, type Log, type LogLevel } from '../../platform/core/log.ts';
import type { LoadedSettings } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { refuseTakenAddresses } from './addresses.ts';
import { ArrivalCount, formatArrival } from './arrival-lines.ts';
import { formatBanner, formatReadyLine } from './banner.ts';
import { findBaseUrl } from './base-url.ts';
import { OperatorError } from './command.ts';
import {
  type ControlAnswer,
  type ControlRequest,
  callControl,
  encodeThrown,
  listenControl,
} from './control.ts';
import { type DataFolder, freeBytes, openDataFolder } from './data-folder.ts';
import { gatherLines } from './log-lines.ts';
import { mayColour } from './paint.ts';
import { runAsOperator } from './run-store-command.ts';
import { connectServiceManager, type ServiceManager } from './sd-notify.ts';
import { storeCommands } from './store-commands.ts';
import { answerTransfer } from './transfer.ts';

/** A stop takes at most 10 s (docs/operations.md, Stop). The rest is for closing the store. */
const STOP_MS_MAX = 9_500;
/** How long to wait for a command that has the folder. */
const LOCK_MS_MAX = 3_000;
/** Ctrl-C reaches both a wrapper (timeout, npm) and us, and the wrapper may forward it. Within this time it is one signal. */
const SAME_SIGNAL_MS = 200;

export interface ServeOptions {
  loaded: LoadedSettings;
  json: boolean;
  dataDir: string;
  capture?: boolean;
  /** Prints no line for each mail. */
  quiet?: boolean;
  /** Stops when standard input ends. A pipe ends however its writer ends, even when that is killed. */
  stopsWithStdin?: boolean;
  /** Logged as a warning: which variables of another tool were used. */
  notice?: string | null;
}

/** Serves until a signal; returns the exit status. */
export async function serveUntilStopped(options: ServeOptions): Promise<number> {
  const stopping = watchSignals(options.capture === true);
  if (options.stopsWithStdin) onStdinEnd(stopping.stop);
  await refuseTakenAddresses(options.loaded.settings);
  const folder = await takeFolder(options.dataDir);
  // Also when a second signal ends the process during a stop.
  process.once('exit', () => folder.release());
  if (options.capture) refuseServersStore(folder);
  const { log, always, form, write } = openLog(options);
  for (const warning of folder.warnings) log.warn(warning);
  if (options.notice) log.warn(options.notice);
  const loaded = options.capture ? fitDisk(options.loaded, folder.path) : options.loaded;
  const appliance = await startDoors(loaded, options, folder, log, stopping.fail);
  const control = listenForCommands(folder.path, appliance, loaded);
  const manager = connectServiceManager(process.env, (reason) =>
    log.warn('systemd could not be notified that the server is ready', { reason }),
  );
  stopping.onReload(() => reload(appliance, log, manager));

  warnOfSettings(loaded, appliance, log);

  const started = { appliance, folder, settings: loaded.settings, capture: options.capture === true };
  const colour = mayColour(process.stdout);
  const isForPeople = !options.json && form === 'pretty';
  process.stdout.write(isForPeople ? formatBanner(started, colour) : formatReadyLine(started));
  // With --json the log goes to standard error, but lines for mails to standard output.
  const show = options.json ? gatherLines(process.stdout, () => {}) : write;
  const isShown = options.capture && form === 'pretty';
  const caught = isShown ? watchArrivals(appliance, colour, options.quiet ? null : show) : null;

  manager.ready(formatStatus(appliance));
  // Otherwise a test's first mails, which come at once, would wait until the parser has started and compiled its code.
  if (options.capture) void appliance.services.parsers.warmUp();
  // The banner shows the link too.
  if (!isForPeople) logSetUpLink(appliance, loaded, always);

  const status = await stopping.asked;
  manager.stopping();
  log.info('stopping');
  const deadline = setTimeout(() => {
    log.error('the stop took too long and was cut off; nothing acknowledged is lost');
    process.exit(1);
  }, STOP_MS_MAX);
  await control.stop();
  await appliance.stop();
  folder.release();
  clearTimeout(deadline);
  if (caught) process.stdout.write(caught.format());
  return status;
}

/** Counts what a trap catches, and shows each mail unless `write` is null. */
function watchArrivals(
  { services }: Appliance,
  colour: boolean,
  write: ((line: string) => void) | null,
): ArrivalCount {
  const count = new ArrivalCount();
  services.arrivals.listen((arrival) => {
    count.add(arrival);
    write?.(formatArrival(arrival, colour));
  });
  return count;
}

/**
 * Logs the link that sets up the first sign-in. It uses its own log, because the appliance's is shown in the dashboard
 * and the link is a secret. Without the link nobody can sign in, so it is logged at every level.
 */
function logSetUpLink({ setUpPath, http }: Appliance, { settings }: LoadedSettings, log: Log): void {
  if (setUpPath === null) return;
  const link = findBaseUrl(settings, http?.url ?? null) + setUpPath;
  log.info('no operator can sign in to the dashboard; this link sets that up, once', {
    link,
  });
}

/** Warns about settings that are valid but may not be intended. */
function warnOfSettings(loaded: LoadedSettings, { services, setUpPath }: Appliance, log: Log): void {
  const hosts = setUpPath === null ? [] : listOperatorsHosts(services.store);
  if (hosts.length > 0) {
    log.warn(
      'passkeys sign in only at the host name where they were added: set POSTERN_BASE_URL back to it, or use the link',
      { added_at: hosts.join(', ') },
    );
  }
  const { oidc_issuer: issuer, oidc_account: accountId, postmaster_inbox: inboxId } = loaded.settings;
  if (issuer !== null && accountId !== null && !findAccountById(services.store, accountId)) {
    log.warn('the account in POSTERN_OIDC_ACCOUNT does not exist: nobody new can join with OpenID Connect', {
      account_id: accountId,
    });
  }
  if (inboxId !== null && !findInboxById(services.store, inboxId)) {
    log.warn(
      'the inbox in POSTERN_POSTMASTER_INBOX does not exist: mail to postmaster@ and abuse@ is dropped',
      {
        inbox_id: inboxId,
      },
    );
  }
}

async function startDoors(
  { settings, limits, plans, sources }: LoadedSettings,
  options: ServeOptions,
  folder: DataFolder,
  log: Log,
  onBroken: () => void,
): Promise<Appliance> {
  const { startAppliance } = await import('../../app/app.ts');
  const capture = options.capture ? { apiKey: settings.capture_api_key ?? undefined } : undefined;
  try {
    return await startAppliance({
      settings,
      limits,
      plans,
      sources,
      log,
      capture,
      doors: true,
      dataDir: folder.path,
      hasReserve: !folder.isThrownAway,
      isThrownAway: folder.isThrownAway,
      key: folder.key,
      onBroken,
    });
  } catch (fault) {
    folder.release();
    throw fault;
  }
}

function listenForCommands(dataDir: string, appliance: Appliance, { settings }: LoadedSettings) {
  const url = findBaseUrl(settings, appliance.http?.url ?? null);
  const answer = async ({ command, input }: ControlRequest): Promise<ControlAnswer> => {
    try {
      const known = storeCommands.find(({ name }) => name === command);
      if (!known)
        throw new OperatorError(
          `The running server does not know the command ${command}. Is it an older version?`,
        );
      return await runAsOperator(known, { services: appliance.services, base_url: url }, input);
    } catch (thrown) {
      return encodeThrown(thrown);
    }
  };
  return listenControl(dataDir, answer, (request) => answerTransfer(appliance, request));
}

async function takeFolder(dataDir: string): Promise<DataFolder> {
  const giveUpMs = performance.now() + LOCK_MS_MAX;
  for (;;) {
    const folder = await openDataFolder(dataDir);
    if (folder) return folder;
    if (performance.now() > giveUpMs || (await isServed(dataDir))) {
      throw new OperatorError(
        `Another Postern is using the data folder ${dataDir}. Stop it first, or give this one a folder of its ` +
          'own (POSTERN_DATA_DIR).',
      );
    }
    await Bun.sleep(50);
  }
}

/** Throws for the store of a server: a trap would run its jobs (domain checks, webhooks) without its settings. */
function refuseServersStore({ path, oldestEmail, hasAccounts }: DataFolder): void {
  if (!hasAccounts || oldestEmail === CAPTURE_EMAIL) return;
  throw new OperatorError(
    `The store in ${path} belongs to a server: it has accounts that no trap created. Nothing was changed in it. ` +
      'Give the trap a folder of its own (--data DIR), or run postern serve.',
  );
}

async function isServed(dataDir: string): Promise<boolean> {
  try {
    return (await callControl(dataDir, { command: '', input: {} })) !== null;
  } catch {
    // It refused the empty command, so it is running.
    return true;
  }
}

function openLog({ loaded: { settings, sources }, json, capture }: ServeOptions): {
  log: Log;
  /** The same log, but at every level. */
  always: Log;
  form: 'pretty' | 'json';
  write: (line: string) => void;
} {
  const out = json ? process.stderr : process.stdout;
  const form = (settings.log ?? (out.isTTY ? 'pretty' : 'json')) as 'pretty' | 'json';
  const colour = mayColour(out);
  // Mail is accepted even when the log's reader has gone away.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // A developer who watches the trap gets one line per mail (formatArrival), not one per step.
  const isWatched = capture && form === 'pretty' && sources.log_level?.source === 'default';
  const level = isWatched ? 'warn' : (settings.log_level as LogLevel);
  const write = gatherLines(out, (lines) =>
    always.warn('lines of the log are missing: nobody read it for a while', { lines }),
  );
  const logOptions = { form, colour, write, nowUs: systemClock.nowUs };
  const always = createLog({ ...logOptions, level: 'debug' });
  return { form, write, log: createLog({ ...logOptions, level }), always };
}

/** Lowers the disk floor for a small memory disk (64 MiB in a container), where a trap would refuse its first mail. */
function fitDisk(loaded: LoadedSettings, folder: string): LoadedSettings {
  const { settings, sources } = loaded;
  if (sources.disk_floor?.source !== 'default') return loaded;
  const diskFloor = Math.min(settings.disk_floor, Math.floor(freeBytes(folder) / 8));
  return { ...loaded, settings: { ...settings, disk_floor: diskFloor } };
}

/** Watches for signals. It comes first: a signal during the start stops the server once it has started. */
function watchSignals(isCapture: boolean) {
  const asked = Promise.withResolvers<number>();
  let firstMs = 0;
  const stop = () => {
    if (firstMs > 0 && performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(1);
    firstMs ||= performance.now();
    asked.resolve(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  let reload = () => {};
  // SIGHUP ends a trap whose terminal window is closed. Without a terminal, and for a server, it reloads certificates.
  // Looked up now: by the time of the signal, the terminal is gone.
  const hasTerminal = process.stdin.isTTY === true;
  process.on('SIGHUP', () => (isCapture && hasTerminal ? stop() : reload()));
  return {
    /** Resolves with the exit status. */
    asked: asked.promise,
    stop,
    /** Stops the server after an internal error, so that its supervisor restarts it. */
    fail: () => asked.resolve(1),
    onReload(run: () => void) {
      reload = run;
    },
  };
}

/** Ignores what is read. A reset connection is an end too. */
function onStdinEnd(stop: () => void): void {
  process.stdin.once('end', stop).once('error', stop).resume();
}

function reload(appliance: Appliance, log: Log, manager: ServiceManager): void {
  manager.reloading();
  appliance
    .reloadTls()
    .catch((fault: unknown) => {
      const reason = readReason(fault);
      log.error('the certificate was not reloaded; the old one stays in use', { reason });
    })
    .finally(() => manager.ready(formatStatus(appliance)));
}

function formatStatus({ http, smtp }: Appliance): string {
  return `SMTP at ${smtp.map(formatHostPort).join(', ')}; HTTP at ${http?.url}`;
}
