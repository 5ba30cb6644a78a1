import { formatHostPort } from '../../../platform/core/host-port.ts';
import type { ServerAddress, Settings } from '../../../platform/core/settings.ts';
import { OperatorError } from '../command.ts';
import { makeRemote, type RemoteSettings, Unreachable } from './remote.ts';

/** Returns where test mail is sent: POSTERN_SMTP, else the SMTP address that the server of POSTERN_URL reports. */
export async function readSmtpAddress(
  settings: RemoteSettings & Pick<Settings, 'smtp'>,
): Promise<ServerAddress> {
  if (settings.smtp) return settings.smtp;
  const remote = makeRemote(settings);
  const address = await askServer(remote).catch((fault) => {
    if (!(fault instanceof Unreachable)) throw fault;
    throw new OperatorError(`${fault.message} To send without HTTP, set POSTERN_SMTP to its SMTP address.`);
  });
  if (address) return address;
  throw new OperatorError(
    `${remote.url} does not report its SMTP address. Set POSTERN_SMTP to it (host:port).`,
  );
}

/** Says why a mail was not sent; when no SMTP server answers at the address, also what to do. */
export function explainUnsent(fault: Error, address: ServerAddress): string {
  const { code = '', responseCode } = fault as Error & { code?: string; responseCode?: number };
  // By nodemailer.
  const isUnreached = ['ECONNECTION', 'EDNS', 'ESOCKET', 'ETIMEDOUT'].includes(code);
  if (!isUnreached || responseCode !== undefined) return fault.message;
  const where = formatHostPort(address);
  return `no SMTP server answers at ${where} (${fault.message}). Start one, or set POSTERN_SMTP to its address.`;
}

/** Asks `/readyz`, which reports the SMTP address to clients that may read the metrics: by default, those on this machine. */
async function askServer(remote: ReturnType<typeof makeRemote>): Promise<ServerAddress | null> {
  const answer = await remote.ask('/readyz', { allowed: [503] });
  await answer.body?.cancel();
  const found = /^\[?([^\]]+)\]?:(\d+)$/.exec(answer.headers.get('x-smtp-address') ?? '');
  if (!found) return null;
  // A server that listens on all addresses is at the host of its URL.
  const isEverywhere = found[1] === '0.0.0.0' || found[1] === '::';
  const host = isEverywhere ? new URL(remote.url).hostname.replace(/^\[|\]$/g, '') : found[1]!;
  return { host, port: Number(found[2]) };
}
