import { createServer } from 'node:net';
import { formatListen, makeReachable } from '../../platform/core/host-port.ts';
import type { Listen } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import { WITHOUT_PROXY } from '../../platform/net/without-proxy.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Check, flag, pass } from './check.ts';
import { talk } from './talk.ts';

/** Checks that the ports of the running server answer or, if none is running, that they could be opened. */
export const portsCheck: Check = {
  name: 'ports',
  async run(services) {
    const { listening } = services;
    if (listening.http === null && listening.smtp.length === 0) return checkPortsAreFree(services);
    const faults = await Promise.all([
      ...listening.smtp.map((listen) => tryGreeting(listen)),
      ...(listening.http === null ? [] : [tryAnswer(listening.http)]),
    ]);
    const wrong = faults.filter((fault) => fault !== null);
    if (wrong.length > 0)
      return flag(`${wrong.join('; ')}. Look for the reason in the server's log, and restart it.`);
    return pass(
      `SMTP at ${listening.smtp.map(formatListen).join(', ')}, HTTP at ${listening.http}.${describeLoopback(services)}`,
    );
  },
};

async function tryGreeting(listen: Listen): Promise<string | null> {
  try {
    await talk({ ...makeReachable(listen), tls: listen.tls }, ({ say }) => say(null, 220));
    return null;
  } catch (fault) {
    return `SMTP at ${formatListen(listen)} does not answer (${readReason(fault)})`;
  }
}

async function tryAnswer(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/healthz`, {
      ...WITHOUT_PROXY,
      signal: AbortSignal.timeout(10_000),
      tls: { rejectUnauthorized: false },
    });
    await response.body?.cancel();
    return response.ok ? null : `HTTP at ${url} answers ${response.status}`;
  } catch (fault) {
    return `HTTP at ${url} does not answer (${readReason(fault)})`;
  }
}

async function checkPortsAreFree({ settings }: PlatformServices) {
  const wanted: [string, Listen][] = [
    ['POSTERN_HTTP_LISTEN', settings.http_listen],
    ...settings.smtp_listen.map((listen): [string, Listen] => ['POSTERN_SMTP_LISTEN', listen]),
  ];
  const faults: string[] = [];
  // The user who runs the doctor may not have the service's rights, and does not need them.
  const remarks: string[] = [];
  for (const [setting, listen] of wanted) {
    const code = await tryOpen(listen);
    if (code === 'EACCES')
      remarks.push(` Only the service may open ${formatListen(listen)}, a port below 1024.`);
    else if (code !== null)
      faults.push(`${formatListen(listen)} of ${setting} ${reasons[code] ?? `can't be opened (${code})`}`);
  }
  if (faults.length > 0) return flag(`${faults.join('. ')}.`);
  return pass(
    `No server runs on this data folder; its ports are free (${wanted.map(([, one]) => formatListen(one)).join(', ')}).${remarks.join('')}`,
  );
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'is in use by another program: stop it, or set another address',
  EADDRNOTAVAIL: 'is not an address of this machine: set another one',
  ENOTFOUND: 'is not an address of this machine: set another one',
};

function tryOpen({ host, port }: Listen): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

const LOOPBACK = /^(127\.|::1$|localhost$)/;

function describeLoopback({ listening }: PlatformServices): string {
  const isFar = listening.smtp.some(({ host }) => !LOOPBACK.test(host));
  return isFar
    ? ''
    : ' SMTP listens only to this machine. To receive mail from elsewhere, set POSTERN_SMTP_LISTEN=0.0.0.0:25, or forward mail to it.';
}
