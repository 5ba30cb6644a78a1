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
 * The composition root: takes settings, returns a running appliance. services.ts creates what lives as long as it,
 * doors.ts what a server opens. stop() undoes both in reverse; a failing step does not stop the others.
 */

export interface Appliance {
  services: CommandServices;
  /** `services` and what doors and jobs add to them; null without doors. */
  served: Services | null;
  http: { host: string; port: number; url: string } | null;
  smtp: readonly Listen[];
  /** Where Mailpit's and MailHog's clients are answered. */
  compat: { url: string } | null;
  /** Capture mode's key. */
  api_key?: string;
  /** Path of the link with which the operator sets a password. Null when one is set, or when nobody can sign in. */
  setUpPath: string | null;
  /** The process ids of the parsers, for measurements. */
  parserPids(): number[];
  /** Stores mails that the operator imports (features/ingest/import.ts). */
  importMails(inbox: Inbox, mails: readonly MailToImport[]): Promise<string[]>;
  /** Reads the certificate files again: ours, and those of the CAs we trust (SIGHUP). */
  reloadTls(): Promise<void>;
  stop(): Promise<void>;
}

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
  const services = await openServices(options, undo);
  const doors = options.doors === false ? null : await loadDoors(options, services, logTail, undo);
  if (doors) Object.assign(services.listening, { http: doors.http.url, smtp: doors.smtp.listening });
  return {
    services,
    served: doors?.services ?? null,
    http: doors?.http ?? null,
    smtp: doors?.smtp.listening ?? [],
    compat: doors?.compat ?? null,
    api_key: doors?.api_key,
    setUpPath: doors && !doors.services.capture ? doors.services.setUp.open() : null,
    parserPids: () => services.parsers.pids,
    importMails: (inbox, mails) => importMails(services, services.parsers, inbox, mails),
    async reloadTls() {
      // A broken certificate must not keep the trusted CAs from being read, nor the other way round.
      try {
        await doors?.reloadTls();
      } finally {
        services.outside.extraCa = readExtraCa(services.settings.extra_ca_file);
      }
    },
    stop: () => stopAll(undo, options.log),
  };
}

/** Loaded only for a server, so that a command without one starts at once. */
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
