/** What a server opens: SMTP, HTTP and the jobs, with the services that only they need. */

import { type CompatListener, openCompat } from '../doors/compat/listener.ts';
import { LiveRoom } from '../doors/dashboard/live-room.ts';
import type { Backstage } from '../doors/dashboard/services.ts';
import { SetUp } from '../doors/dashboard/set-up.ts';
import { watchDisk } from '../doors/smtp/disk-floor.ts';
import { openSmtp, type SmtpDoor } from '../doors/smtp/listener.ts';
import type { KnownCallers } from '../features/accounts/authenticate.ts';
import { captureAccount } from '../features/accounts/capture-account.ts';
import { Meter } from '../features/accounts/usage/meter.ts';
import { Checker } from '../features/authenticity/checker.ts';
import { dropUnfinished } from '../features/ingest/writes.ts';
import { HeldBytes } from '../features/messages/streamed.ts';
import { Verifier } from '../features/verification/verifier.ts';
import { Waits } from '../features/waits/waits.ts';
import { type Listen, mxHost } from '../platform/core/settings.ts';
import { Windows } from '../platform/core/window.ts';
import { type HttpServer, startHttp } from '../platform/http/server.ts';
import { loadServerCertificate } from '../platform/net/certificate.ts';
import { renewCertificate } from '../platform/net/certificate-watch.ts';
import { boundConnections } from '../platform/net/connections.ts';
import { startJobs } from './jobs.ts';
import { api } from './routes.ts';
import {
  type ApplianceOptions,
  type CommandServices,
  roleCommand,
  type Services,
  type Undo,
} from './services.ts';

export interface Doors {
  services: Services;
  http: HttpServer;
  smtp: SmtpDoor;
  /** Where other tools' clients are answered; null when that is off. */
  compat: CompatListener | null;
  /** Capture mode's key. */
  api_key: string | undefined;
  reloadTls(): Promise<void>;
}

export async function openDoors(
  options: ApplianceOptions,
  inner: CommandServices,
  logTail: Backstage['log_tail'],
  undo: Undo[],
): Promise<Doors> {
  const { settings, data_dir, log, store, parsers } = inner;
  const knownCallers: KnownCallers = { version: -1, callers: new Map() };
  const capture =
    options.capture && (await captureAccount({ ...inner, knownCallers }, options.capture.api_key));
  const readCertificate = () => loadServerCertificate(settings, data_dir, log);
  const [certificate, dropped] = await Promise.all([readCertificate(), store.write(dropUnfinished, null)]);
  if (dropped > 0) log.info('dropped mail that was never acknowledged', { mails: dropped });

  const disk = watchDisk(data_dir, settings.disk_floor, store.reserve);
  // They stop together: mail under way must not keep who waits over HTTP waiting for longer than the stop may take.
  const closings: (() => Promise<void>)[] = [];
  undo.push({ what: 'doors', run: async () => void (await Promise.all(closings.map((close) => close()))) });
  let smtp: SmtpDoor | undefined;
  const connections = boundConnections(settings, log, capture !== undefined);
  const ready = () => (smtp ? (disk.trouble() ?? connections.shortage()) : 'SMTP does not listen yet');
  const services = await withDoors(
    options,
    inner,
    { knownCallers, capture: capture ?? null },
    { log_tail: logTail, ready },
  );
  const { waits, verifier, liveRoom, meter } = services;
  const http = startHttp({
    services,
    api,
    listen: settings.http_listen,
    ...(settings.http_tls ? { tls: certificate } : {}),
    onAnswer: options.onAnswer,
    ready,
    connections,
  });
  closings.push(async () => {
    waits.stop();
    verifier.stop();
    liveRoom.stop();
    await http.stop();
    await meter.settled();
  });
  const opened = await openSmtp(
    { services, parsers, capture: services.capture, isDiskLow: disk.isLow },
    mxHost(settings),
    certificate,
  );
  smtp = opened;
  closings.push(() => opened.stop());
  const compat = openCompatDoor(services, closings);
  await startSending(services, opened.listening, closings);
  if (!capture) closings.push(startChecker(services, roleCommand('checker', options)));
  const jobs = startJobs(services);
  undo.push({ what: 'jobs', run: () => jobs.stop() });
  const renewal = renewCertificate(services, readCertificate, [opened, http]);
  undo.push({ what: 'watch on the certificate', run: renewal.stop });
  return { services, http, smtp: opened, compat, api_key: capture?.api_key, reloadTls: renewal.reload };
}

/** Capture's alone: who reaches it needs no key. */
function openCompatDoor(services: Services, closings: (() => Promise<void>)[]): CompatListener | null {
  const { capture, settings } = services;
  if (!capture || !settings.compat_listen) return null;
  const compat = openCompat(services, capture.account_no, settings.compat_listen);
  closings.push(() => compat.stop());
  return compat;
}

/** Adds what only doors and jobs need. */
async function withDoors(
  { sources = {} }: ApplianceOptions,
  inner: CommandServices,
  given: Pick<Services, 'knownCallers' | 'capture'>,
  backstage: Pick<Backstage, 'log_tail' | 'ready'>,
): Promise<Services> {
  return {
    ...inner,
    ...given,
    wrongPasswords: new Windows(),
    meter: new Meter(inner),
    heldBytes: new HeldBytes(),
    waits: new Waits(inner),
    verifier: new Verifier(inner),
    liveRoom: new LiveRoom(inner),
    setUp: new SetUp(inner.store),
    backstage: { ...backstage, observed: inner.meters, sources, started_at: inner.clock.nowUs() },
    sender: await openSender(inner),
  };
}

/** What sends email is loaded only where it is on. */
async function openSender(services: CommandServices): Promise<Services['sender']> {
  if (services.settings.outbound.way === 'off') return null;
  const { MailDispatcher } = await import('../features/outbound/sending/dispatcher.ts');
  return new MailDispatcher(services);
}

/** Webhooks and email. */
async function startSending(
  { webhooks, sender }: Services,
  listening: readonly Listen[],
  closings: (() => Promise<void>)[],
): Promise<void> {
  closings.push(() => webhooks.stop());
  webhooks.start();
  if (!sender) return;
  closings.push(() => sender.stop());
  await sender.start(ownDoor(listening));
}

/** Where our own SMTP is reached from here, for mail to ourselves. */
function ownDoor(listening: readonly Listen[]): { host: string; port: number } | null {
  const door = listening.find(({ tls }) => !tls);
  return door ? { host: loopbackOf(door.host), port: door.port } : null;
}

/** Where a listener of ours is reached from here. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0' || host === 'localhost') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Who checks the senders of mail; gives what stops it. */
function startChecker(services: Services, command: string[]): () => Promise<void> {
  const checker = new Checker(services, command);
  if (services.settings.authentication !== 'off') checker.start();
  return async () => checker.stop();
}
