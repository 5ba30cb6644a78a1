/** Opens everything that only a server has: SMTP, HTTP, the jobs, and their services. */

import { type CompatListener, openCompat } from '../doors/compat/listener.ts';
import { makeCaptureToken } from '../doors/dashboard/capture-access.ts';
import { LiveRoom } from '../doors/dashboard/live-room.ts';
import type { Backstage } from '../doors/dashboard/services.ts';
import { SetUp } from '../doors/dashboard/set-up.ts';
import { RunningCalls } from '../doors/mcp/calls.ts';
import { watchDisk } from '../doors/smtp/disk-floor.ts';
import { openSmtp, type SmtpDoor } from '../doors/smtp/listener.ts';
import { authenticate, type KnownCallers } from '../features/accounts/authenticate.ts';
import { openCaptureAccount } from '../features/accounts/capture-account.ts';
import { OidcProvider } from '../features/accounts/oidc/provider.ts';
import { findSignInOptions } from '../features/accounts/passkeys/place.ts';
import { makeCaptureTrap } from '../features/accounts/trap.ts';
import { Meter } from '../features/accounts/usage/meter.ts';
import { Checker } from '../features/authenticity/checker.ts';
import { CertificateInUse } from '../features/certificates/in-use.ts';
import { LinkRequests } from '../features/checks/fetch-links.ts';
import { storeWebhookPlans } from '../features/events/plans.ts';
import { dropUnfinished } from '../features/ingest/writes.ts';
import { dropUnqueuedOp } from '../features/outbound/mime/writes.ts';
import { Verifier } from '../features/verification/verifier.ts';
import { Waits } from '../features/waits/waits.ts';
import { HeldBytes } from '../platform/core/held-bytes.ts';
import { makeReachable } from '../platform/core/host-port.ts';
import { isStartTlsOffered, type Listen, mxHost, type Settings } from '../platform/core/settings.ts';
import { Windows } from '../platform/core/window.ts';
import { type HttpServer, startHttp } from '../platform/http/server.ts';
import { loadServerCertificate } from '../platform/net/certificate.ts';
import type { Certificate } from '../platform/net/certificate-pair.ts';
import { watchCertificate } from '../platform/net/certificate-watch.ts';
import { boundConnections } from '../platform/net/connections.ts';
import { openDescriptors } from '../platform/net/descriptors.ts';
import { Succession } from '../platform/net/succession.ts';
import { startJobs } from './jobs.ts';
import { api } from './routes.ts';
import {
  type ApplianceOptions,
  buildRoleCommand,
  type CommandServices,
  type Services,
  type Undo,
} from './services.ts';

export interface Doors {
  services: Services;
  http: HttpServer;
  smtp: SmtpDoor;
  /** The listener for clients of Mailpit and MailHog; null if it is off. */
  compat: CompatListener | null;
  /** The API key of capture mode. */
  apiKey: string | undefined;
  reloadTls(): Promise<void>;
}

/** Opens all doors. Each step adds to `undo` how to undo it, so that a failure leaves nothing open. */
export async function openDoors(
  options: ApplianceOptions,
  inner: CommandServices,
  logTail: Backstage['logTail'],
  undo: Undo[],
): Promise<Doors> {
  const { settings, dataDir, log, store } = inner;
  const knownCallers: KnownCallers = { version: -1, callers: new Map() };
  const capture =
    options.capture && (await openCaptureAccount({ ...inner, knownCallers }, options.capture.apiKey));
  const readCertificate = () => loadServerCertificate(settings, dataDir, log);
  const [certificate] = await Promise.all([
    usesTls(settings, capture !== undefined) ? readCertificate() : null,
    prepareStore(inner),
  ]);

  const disk = watchDisk(dataDir, settings.disk_floor, store.reserve);
  // All doors stop at the same time. One after the other, a mail in progress would delay the HTTP clients that wait.
  const closings: (() => Promise<void>)[] = [];
  undo.push({ what: 'doors', run: async () => void (await Promise.all(closings.map((close) => close()))) });
  let isSmtpOpen = false;
  const connections = boundConnections(settings, log, capture !== undefined);
  const checkReady = () =>
    isSmtpOpen
      ? (disk.trouble() ?? describeStore(store) ?? connections.shortage())
      : 'SMTP is not listening yet';
  const callers = { knownCallers, capture: capture ? withDashboardToken(capture) : null };
  const inUse = certificate && new CertificateInUse(inner, certificate);
  const backstage = { logTail, ready: checkReady, certificate: inUse };
  const services = await makeServices(options, inner, callers, backstage);
  const http = startHttp({
    services,
    api,
    listen: settings.http_listen,
    ...(settings.http_tls ? { tls: { certificate: certificate!, succeed } } : {}),
    onAnswer: options.onAnswer,
    ready: checkReady,
    connections,
  });
  closings.push(() => closeHttp(services, http));
  const trap = services.capture && makeCaptureTrap(services.capture);
  const smtpParts = { services, capture: trap, isDiskLow: disk.isLow };
  const smtp = await openSmtp(smtpParts, mxHost(settings), certificate);
  isSmtpOpen = true;
  closings.push(() => smtp.stop());
  const compat = openCompatDoor(services, closings);
  await startSending(services, smtp.listening, closings);
  if (!capture) closings.push(startChecker(services, buildRoleCommand('checker', options)));
  const jobs = startJobs(services);
  undo.push({ what: 'jobs', run: () => jobs.stop() });
  const reloadTls = inUse
    ? await renewInPlace(services, readCertificate, [smtp, http, inUse], closings)
    : async () => {};
  return { services, http, smtp, compat, apiKey: capture?.apiKey, reloadTls };
}

function describeStore({ trouble }: CommandServices['store']): string | null {
  return trouble === null ? null : `the store can't be written: ${trouble}`;
}

const succeed = (port: number) => new Succession(openDescriptors(), port);

/** Keeps the certificate of all doors up to date. Returns a function that reloads it at once (SIGHUP). */
async function renewInPlace(
  services: Services,
  read: () => Promise<Certificate>,
  doors: readonly { setCertificate(certificate: Certificate): void }[],
  closings: (() => Promise<void>)[],
): Promise<() => Promise<void>> {
  const watch = watchCertificate(services, read, doors);
  closings.push(async () => watch.stop());
  if (!services.settings.acme) return watch.reload;
  const { CertificateRenewal } = await import('../features/certificates/renewal.ts');
  const renewal = new CertificateRenewal(services, () => watch.reload());
  closings.push(() => renewal.stop());
  await renewal.start();
  return async () => {
    await watch.reload();
    renewal.attemptNow();
  };
}

/** Whether any door uses TLS. Most captures don't, and creating a certificate takes 40 ms. */
function usesTls(settings: Settings, isCapture: boolean): boolean {
  const isImplicit = settings.acme || settings.http_tls || settings.smtp_listen.some(({ tls }) => tls);
  return isImplicit || isStartTlsOffered(settings, isCapture);
}

/** Prepares the store for mail and requests. Runs before the first one is accepted. */
async function prepareStore(services: CommandServices): Promise<void> {
  const { store, log } = services;
  await storeWebhookPlans(services);
  await store.write(dropUnqueuedOp, null);
  const dropped = await store.write(dropUnfinished, null);
  if (dropped > 0) log.info('dropped mail that was never acknowledged', { mails: dropped });
}

async function closeHttp({ waits, verifier, liveRoom, meter }: Services, http: HttpServer): Promise<void> {
  waits.stop();
  verifier.stop();
  liveRoom.stop();
  await http.stop();
  await meter.flush();
}

/** Opens the listener for clients of Mailpit and MailHog. Only capture has one, because its clients need no key. */
function openCompatDoor(services: Services, closings: (() => Promise<void>)[]): CompatListener | null {
  const { capture, settings } = services;
  if (!capture || !settings.compat_listen) return null;
  const { accountNo } = capture;
  const isKey = (text: string) => authenticate(services, text)?.account.no === accountNo;
  const compat = openCompat(
    services,
    accountNo,
    settings.compat_listen,
    settings.capture_open ? null : isKey,
  );
  closings.push(() => compat.stop());
  return compat;
}

function withDashboardToken({ accountNo, apiKey }: { accountNo: number; apiKey: string }) {
  return { accountNo, dashboardToken: makeCaptureToken(apiKey) };
}

/** Creates the services that only doors and jobs need. */
async function makeServices(
  { sources = {} }: ApplianceOptions,
  inner: CommandServices,
  callers: Pick<Services, 'knownCallers' | 'capture'>,
  backstage: Pick<Backstage, 'logTail' | 'ready' | 'certificate'>,
): Promise<Services> {
  return {
    ...inner,
    ...callers,
    wrongPasswords: new Windows(),
    rightPasswords: new Windows(),
    failedSignIns: new Windows(),
    usedStates: new Windows(),
    oidc: inner.settings.oidc_issuer === null ? null : new OidcProvider(inner),
    meter: new Meter(inner),
    heldBytes: new HeldBytes(inner.clock),
    linkRequests: new LinkRequests(),
    waits: new Waits(inner),
    verifier: new Verifier(inner),
    liveRoom: new LiveRoom(inner),
    mcpCalls: new RunningCalls(),
    setUp: new SetUp(inner.store, findSignInOptions(inner)),
    backstage: { ...backstage, observed: inner.meters, sources, startedAt: inner.clock.nowUs() },
    sender: await openSender(inner),
  };
}

/** Creates the dispatcher of outbound email. Its code is loaded only if sending is on. */
async function openSender(services: CommandServices): Promise<Services['sender']> {
  if (services.settings.outbound.way === 'off') return null;
  const { MailDispatcher } = await import('../features/outbound/sending/dispatcher.ts');
  return new MailDispatcher(services);
}

/** Starts to send webhooks, what mail rules send, and email. */
async function startSending(
  { webhooks, errands, sender }: Services,
  listening: readonly Listen[],
  closings: (() => Promise<void>)[],
): Promise<void> {
  closings.push(() => webhooks.stop());
  webhooks.start();
  closings.push(() => errands.stop());
  errands.start();
  if (!sender) return;
  closings.push(() => sender.stop());
  await sender.start(findOwnDoor(listening));
}

/** Finds the address of this server's own SMTP, for email to its own inboxes. */
function findOwnDoor(listening: readonly Listen[]): { host: string; port: number } | null {
  const door = listening.find(({ tls }) => !tls);
  if (!door) return null;
  const { host, port } = makeReachable(door);
  return { host: host === 'localhost' ? '127.0.0.1' : host, port };
}

/** Starts to check the senders of mail. Returns a function that stops it. */
function startChecker(services: Services, command: string[]): () => Promise<void> {
  const checker = new Checker(services, command);
  if (services.settings.authentication !== 'off') checker.start();
  return async () => checker.stop();
}
