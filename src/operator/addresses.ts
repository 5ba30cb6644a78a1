import { createServer } from 'node:net';
import type { Listen, Settings } from '../core/settings.ts';
import { OperatorError } from './command.ts';

const REASONS: Record<string, string> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'needs rights that this user has not (ports under 1024)',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no address of this machine',
};

/**
 * Tries every address that will be listened on, before anything is opened, and names each that is not to be
 * had with the setting to change.
 */
export async function refuseTakenAddresses(
  settings: Pick<Settings, 'http_listen' | 'smtp_listen'>,
): Promise<void> {
  const wanted = [
    { setting: 'POSTERN_HTTP_LISTEN', listen: settings.http_listen },
    ...settings.smtp_listen.map((listen) => ({ setting: 'POSTERN_SMTP_LISTEN', listen })),
  ];
  const faults: string[] = [];
  for (const { setting, listen } of wanted) {
    const code = await listenFault(listen);
    if (code === null) continue;
    const flag = `--${setting.slice('POSTERN_'.length).toLowerCase().replaceAll('_', '-')}`;
    const reason = REASONS[code] ?? `can't be listened on (${code})`;
    faults.push(`${listen.host}:${listen.port} ${reason}; set ${setting} (${flag}) to another one.`);
  }
  if (faults.length > 0) throw new OperatorError(faults.join('\n'));
}

function listenFault({ host, port }: Listen): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}
