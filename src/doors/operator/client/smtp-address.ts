import type { ServerAddress, Settings } from '../../../platform/core/settings.ts';
import { OperatorError } from '../command.ts';
import { makeRemote, type RemoteSettings, Unreachable } from './remote.ts';

/** Where test mail goes: POSTERN_SMTP, else where the server of POSTERN_URL says that it listens. */
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
    `${remote.url} does not say what its SMTP address is: set POSTERN_SMTP to it (host:port).`,
  );
}

/** `/readyz` names the SMTP address to those who may read the metrics (this machine, by default). */
async function askServer(remote: ReturnType<typeof makeRemote>): Promise<ServerAddress | null> {
  const answer = await remote.ask('/readyz', { allowed: [503] });
  await answer.body?.cancel();
  const found = /^\[?([^\]]+)\]?:(\d+)$/.exec(answer.headers.get('x-smtp-address') ?? '');
  if (!found) return null;
  // A server that listens everywhere is where its HTTP is.
  const isEverywhere = found[1] === '0.0.0.0' || found[1] === '::';
  const host = isEverywhere ? new URL(remote.url).hostname.replace(/^\[|\]$/g, '') : found[1]!;
  return { host, port: Number(found[2]) };
}
