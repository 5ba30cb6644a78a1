import type { LocalCommand } from './command.ts';
import { serveUntilStopped } from './server.ts';

export const serve: LocalCommand = {
  name: 'serve',
  meaning: 'run everything: SMTP in, HTTP out',
  takes_settings: 'server',
  examples: [
    'postern serve',
    'postern serve --smtp-listen 0.0.0.0:25 --mail-domain mail.example.com --data-dir /var/lib/postern',
    'postern serve --config /etc/postern.toml --json',
  ],
  runHere: ({ loaded, json }) => serveUntilStopped({ loaded, json, data_dir: loaded.settings.data_dir }),
};
