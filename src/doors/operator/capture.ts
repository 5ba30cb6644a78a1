import { isIPv4 } from 'node:net';
import type { Listen, LoadedSettings } from '../../platform/core/settings.ts';
import { planNames } from '../../rules/plans.ts';
import { type LocalCommand, UsageError } from './command.ts';
import { NOWHERE } from './data-folder.ts';
import { serveUntilStopped } from './server.ts';

/** A cap high enough for one person's tests, and still a bound. */
const PLENTY = 1_000_000;
/** Waits and streams, of the account and in all: a whole parallel suite waits side by side. */
const WAIT_SLOTS = 4_096;
const LOOPBACK = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
];

export const capture: LocalCommand = {
  name: 'capture',
  meaning: 'run a temporary trap for test mail: accepts every address, keeps nothing',
  takes_settings: 'server',
  mainSettings: [
    'http_listen',
    'smtp_listen',
    'capture_api_key',
    'smtp_max_size',
    'tls_cert',
    'tls_key',
    'log',
  ],
  flags: [{ name: 'data', value: 'DIR', meaning: 'keep the mail in this folder' }],
  examples: ['postern capture', 'postern capture --http-listen 127.0.0.1:0 --smtp-listen 127.0.0.1:0 --json'],
  runHere({ loaded, json, input }) {
    refuseOutside(loaded);
    // A data folder from the environment belongs to a real server, not to a trap.
    const asked = loaded.sources.data_dir?.source === 'command line' ? loaded.settings.data_dir : NOWHERE;
    const dataDir = input.data ?? asked;
    return serveUntilStopped({ loaded: captureSettings(loaded), json, data_dir: dataDir, capture: true });
  },
};

function refuseOutside({ settings }: LoadedSettings): void {
  const outside = [settings.http_listen, ...settings.smtp_listen].filter((listen) => !isLoopback(listen));
  if (outside.length === 0) return;
  const names = outside.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw new UsageError(
    `capture listens on loopback only, because it accepts anything from anyone; not on ${names}. ` +
      'Use an address of 127.0.0.0/8 or [::1], or postern serve.',
  );
}

function isLoopback({ host }: Listen): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** No limits, no caps, and webhooks may reach loopback. What the operator set is kept. */
export function captureSettings(loaded: LoadedSettings): LoadedSettings {
  const { sources } = loaded;
  const isUnset = (name: string) => sources[name]?.source === 'default';
  const settings = { ...loaded.settings, limits: false };
  if (isUnset('wait_slots')) settings.wait_slots = WAIT_SLOTS;
  if (isUnset('wait_slots_free')) settings.wait_slots_free = WAIT_SLOTS;
  settings.webhook_allow_networks = [...(settings.webhook_allow_networks ?? []), ...LOOPBACK];
  const plans = { ...loaded.plans };
  for (const plan of planNames) {
    plans[plan] = { ...plans[plan] };
    if (isUnset(`plan_${plan}_inboxes`)) plans[plan].inboxes = PLENTY;
    if (isUnset(`plan_${plan}_concurrent_waits`)) plans[plan].concurrent_waits = WAIT_SLOTS;
  }
  return { ...loaded, settings, plans };
}
