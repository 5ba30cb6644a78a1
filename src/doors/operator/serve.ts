import { type LocalCommand, UsageError } from './command.ts';
import { serveUntilStopped } from './server.ts';

export const serve: LocalCommand = {
  name: 'serve',
  meaning: 'run everything: SMTP in, HTTP out',
  takesSettings: 'server',
  examples: [
    'postern serve',
    'postern serve --smtp-listen 0.0.0.0:25 --mail-domain mail.example.com --data-dir /var/lib/postern',
    'postern serve --config /etc/postern.toml --json',
  ],
  runHere({ loaded, json }) {
    if (loaded.settings.compat_listen !== null) {
      throw new UsageError(
        'POSTERN_COMPAT_LISTEN is for postern capture only: it shows all mail to anyone on this machine. Unset it.',
      );
    }
    return serveUntilStopped({ loaded, json, dataDir: loaded.settings.data_dir });
  },
};
