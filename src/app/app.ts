import type { Inbox } from '../features/inboxes/sql.ts';
import { importMails, type MailToImport } from '../features/ingest/import.ts';
import { systemClock } from '../platform/core/clock.ts';
import type { Log } from '../platform/core/log.ts';
import { LogTail } from '../platform/core/log-tail.ts';
import type { Listen } from '../platform/core/settings.ts';
import { readExtraCa } from '../platform/net/extra-ca.ts';
import { explainFullDisk } from '../platform/store/reserve.ts';
import type { Doors } from './doors.ts';
import {
  type ApplianceOptions,
  type CommandServices,
  openServices,
  type Services,
  type Undo,
} from './services.ts';

/*
 * The composition root: takes settings, and returns a running appliance. services.ts creates the services that every command
 * needs, doors.ts what a server opens in addition. stop() undoes all steps in reverse order, even if one of them fails.
 */

export interface Appliance {
  services: CommandServices;
  /** `services`, and those that only doors and jobs need; null without doors. */
  served: Services | null;
  http: { host: string; port: number; url: string } | null;
  smtp: readonly Listen[];
  /** The listener for clients of Mailpit and MailHog; null if it is off. */
  compat: { url: string } | null;
  /** The API key of capture mode. */
  apiKey?: string;
  /** Path of the link with which the operator sets a password. Null if one is set, or if nobody can sign in. */
  setUpPath: string | null;
  /** Process ids of the parsers, for measurements. */
  parserPids(): number[];
  /** Stores mail that the operator imports (features/ingest/import.ts). */
  importMails(inbox: Inbox, mails: readonly MailToImport[]): Promise<string[]>;
  /** Reads the certificate and the additional CAs again (SIGHUP). */
  reloadTls(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an appliance. If that fails, it undoes what was started, and throws. */
export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const undo: Undo[] = [];
  const clock = options.clock ?? systemClock;
  const logTail = new LogTail();
  const log = logTail.over(options.log, () => clock.nowUs());
  try {
    return await assemble({ ...options, log }, undo, logTail);
  } catch (fault) {
    await stopAll(undo, options.log);
    const reason = explainFullDisk(fault, options.dataDir);
    throw reason === null ? fault : new Error(reason, { cause: fault });
  }
}

async function assemble(options: ApplianceOptions, undo: Undo[], logTail: LogTail): Promise<Appliance> {
  const services = await openServices(options, undo);
  const doors = options.doors === false ? null : await loadDoors(options, services, logTail, undo);
  if (doors) Object.assign(services.listening, { http: doors.http.url, smtp: doors.smtp.listening });
  return {
    services,
    served: doors?.services ?? null,
    http: doors?.http ?? null,
    smtp: doors?.smtp.listening ?? [],
    compat: doors?.compat ?? null,
    apiKey: doors?.apiKey,
    setUpPath: doors && !doors.services.capture ? doors.services.setUp.open() : null,
    parserPids: () => services.parsers.pids,
    importMails: (inbox, mails) => importMails(services, inbox, mails),
    async reloadTls() {
      // The CAs are read even if the certificate is broken.
      try {
        await doors?.reloadTls();
      } finally {
        services.outside.extraCa = readExtraCa(services.settings.extra_ca_file);
      }
    },
    stop: () => stopAll(undo, options.log),
  };
}

/** Loads doors.ts only for a server, so that a command without one starts at once. */
async function loadDoors(...given: Parameters<typeof import('./doors.ts').openDoors>): Promise<Doors> {
  const { openDoors } = await import('./doors.ts');
  return openDoors(...given);
}

async function stopAll(undo: Undo[], log: Log): Promise<void> {
  for (let step = undo.pop(); step; step = undo.pop()) {
    try {
      await step.run();
    } catch (fault) {
      log.error('a part did not stop cleanly', { part: step.what, fault: String(fault) });
    }
  }
}
