import { createServer, type Server } from 'node:net';
import type { Listen, Settings } from '../../platform/core/settings.ts';
import { OperatorError } from './command.ts';

const REASONS: Record<string, string> = {
  EADDRINUSE: 'is in use by another program or setting',
  EACCES: 'needs permissions that this user does not have (ports under 1024)',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'is not an address of this machine',
};

/** Tries all listening addresses before anything is opened. Throws with every one that fails, and the setting to change. */
export async function refuseTakenAddresses(
  settings: Pick<Settings, 'http_listen' | 'smtp_listen' | 'compat_listen'>,
): Promise<void> {
  const wanted = [
    { setting: 'POSTERN_HTTP_LISTEN', listen: settings.http_listen },
    ...settings.smtp_listen.map((listen) => ({ setting: 'POSTERN_SMTP_LISTEN', listen })),
    ...(settings.compat_listen ? [{ setting: 'POSTERN_COMPAT_LISTEN', listen: settings.compat_listen }] : []),
  ];
  const faults: string[] = [];
  // Kept open until all are tried, so that one address in two settings is found.
  const held: Server[] = [];
  for (const { setting, listen } of wanted) {
    const tried = await tryListening(listen);
    if (typeof tried !== 'string') {
      held.push(tried);
      continue;
    }
    const flag = `--${setting.slice('POSTERN_'.length).toLowerCase().replaceAll('_', '-')}`;
    const reason = REASONS[tried] ?? `can't be listened on (${tried})`;
    faults.push(`${listen.host}:${listen.port} ${reason}; set ${setting} (${flag}) to another address.`);
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  if (faults.length > 0) throw new OperatorError(faults.join('\n'));
}

/** Resolves with the listening socket, or with the error's code. */
function tryListening({ host, port }: Listen): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}
