import type { Listen, LoadedSettings } from '../../platform/core/settings.ts';
import { isLoopback, LOOPBACK } from '../../platform/net/client-ip.ts';
import { planNames } from '../../rules/plans.ts';
import { traps } from '../../rules/traps.ts';
import { type LocalCommand, UsageError } from './command.ts';
import { TEMPORARY_FOLDER } from './data-folder.ts';
import { takeOver } from './moving-over.ts';
import { serveUntilStopped } from './server.ts';

/** More inboxes than one person's tests need, but still a bound. */
const ENOUGH_INBOXES = 1_000_000;

export const capture: LocalCommand = {
  name: 'capture',
  meaning: 'run a temporary trap for test mail: accepts every address, keeps nothing',
  takesSettings: 'server',
  mainSettings: [
    'http_listen',
    'smtp_listen',
    'trap_networks',
    'capture_open',
    'capture_api_key',
    'cors_origins',
    'smtp_starttls',
    'tls_cert',
    'tls_key',
    'log',
  ],
  flags: [
    { name: 'data', value: 'DIR', meaning: 'keep the mail in this folder' },
    { name: 'quiet', meaning: 'do not print a line for each mail' },
    {
      name: 'exit-on-stdin-close',
      meaning: 'stop when standard input ends, so that the trap never outlives the program that started it',
    },
  ],
  examples: ['postern capture', 'postern capture --http-listen 127.0.0.1:0 --smtp-listen 127.0.0.1:0 --json'],
  runHere({ loaded: given, json, input }) {
    const { loaded, notice } = takeOver(given, process.env);
    refuseOutside(loaded, notice);
    refuseHalfRelease(loaded);
    if (loaded.settings.acme) {
      throw new UsageError(
        'POSTERN_ACME is for postern serve only: a CA issues no certificate for a trap. Unset it; for STARTTLS set POSTERN_TLS_CERT.',
      );
    }
    return serveUntilStopped({
      loaded: makeCaptureSettings(loaded),
      json,
      dataDir: chooseFolder(loaded, input.data),
      capture: true,
      notice,
      quiet: input.quiet !== undefined,
      stopsWithStdin: input.exit_on_stdin_close !== undefined,
    });
  },
};

function chooseFolder({ settings, sources }: LoadedSettings, data: string | undefined): string {
  // A data folder from the environment belongs to a real server, not to a trap.
  if (sources.data_dir?.source !== 'command line') return data ?? TEMPORARY_FOLDER;
  if (data !== undefined) throw new UsageError("--data and --data-dir can't be used together");
  return settings.data_dir;
}

/** With only one of the two settings, it would look as if mail could be released. */
function refuseHalfRelease({ settings }: LoadedSettings): void {
  const { release_smarthost: smarthost, release_allow: allow } = settings;
  if (smarthost !== null && allow === null)
    throw new UsageError(
      'POSTERN_RELEASE_SMARTHOST is set, but mail may be released to nobody. Set POSTERN_RELEASE_ALLOW to your address or domain.',
    );
  if (smarthost === null && allow !== null)
    throw new UsageError(
      'POSTERN_RELEASE_ALLOW is set, but there is no server to release mail through. Set POSTERN_RELEASE_SMARTHOST (smtp://user:pass@host:587).',
    );
}

function refuseOutside({ settings }: LoadedSettings, notice: string | null): void {
  refuseCompatOutside(settings.compat_listen);
  const outside = [settings.http_listen, ...settings.smtp_listen].filter((listen) => !isLoopbackName(listen));
  if (outside.length === 0 || settings.trap_networks) return;
  const names = outside.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw new UsageError(
    `capture accepts anything from anyone, so it listens on ${names} only if you say who may connect: set ` +
      'POSTERN_TRAP_NETWORKS (172.16.0.0/12,10.0.0.0/8 for containers), or a loopback address (127.0.0.0/8, [::1]).' +
      (notice === null ? '' : `\n${notice}`),
  );
}

/** The compatible interfaces ask for no key by default, so no setting opens them to other machines. */
function refuseCompatOutside(listen: Listen | null): void {
  if (listen === null || isLoopbackName(listen)) return;
  throw new UsageError(
    `POSTERN_COMPAT_LISTEN accepts only loopback addresses, because it asks for no key, and not ${listen.host}:${listen.port}. ` +
      'Use an address of 127.0.0.0/8 or [::1].',
  );
}

function isLoopbackName({ host }: Listen): boolean {
  return host === 'localhost' || isLoopback(host);
}

/** Lifts limits and caps, and lets webhooks reach loopback. Settings that the operator made are kept. */
export function makeCaptureSettings(loaded: LoadedSettings): LoadedSettings {
  const { sources } = loaded;
  const isUnset = (name: string) => sources[name]?.source === 'default';
  const settings = { ...loaded.settings, limits: false, agent_registration: false };
  if (isUnset('wait_slots')) settings.wait_slots = traps.waitSlots;
  if (isUnset('wait_slots_free')) settings.wait_slots_free = traps.waitSlots;
  settings.webhook_allow_networks = [...(settings.webhook_allow_networks ?? []), ...LOOPBACK];
  const plans = { ...loaded.plans };
  for (const plan of planNames) {
    plans[plan] = { ...plans[plan] };
    if (isUnset(`plan_${plan}_inboxes`)) plans[plan].inboxes = ENOUGH_INBOXES;
    if (isUnset(`plan_${plan}_concurrent_waits`)) plans[plan].concurrent_waits = traps.waitSlots;
  }
  return { ...loaded, settings, plans };
}
