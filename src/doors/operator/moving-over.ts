/**
 * Variables of Mailpit (MP_…) and MailHog (MH_…) that have an equivalent setting here. Capture accepts them, so that an
 * environment made for those tools works, and logs which settings replace them.
 */

import { parseSetting } from '../../platform/core/setting-values.ts';
import type { LoadedSettings, SettingName, Settings } from '../../platform/core/settings.ts';
import { settings as rules } from '../../rules/settings.ts';
import { UsageError } from './command.ts';

interface Equivalent {
  variable: string;
  setting: SettingName;
  /** Converts the value to ours, or to null when it has no equivalent. Without it, the value is used unchanged. */
  write?: (value: string) => string | null;
}

/** In Go, `:1025` means every address. */
const writeListen = (value: string) => (value.startsWith(':') ? `0.0.0.0${value}` : value);
/** The value is in megabytes. 0 means unbounded there; here it becomes the largest value of the setting. */
const writeMegabytes = (value: string) =>
  /^0+$/.test(value) ? '256MiB' : /^\d+$/.test(value) ? `${value}MiB` : value;

/**
 * Mailpit takes `example.com` for both schemes. `*` is not carried over: pages of arbitrary sites may not read the mail
 * here, with or without a key.
 */
const writeOrigins = (value: string) =>
  value.includes('*')
    ? null
    : value
        .split(/[\s,]+/)
        .flatMap(nameOrigins)
        .join(',');

function nameOrigins(origin: string): string[] {
  if (origin === '' || origin.includes('://')) return origin === '' ? [] : [origin];
  return [`http://${origin}`, `https://${origin}`];
}

/** If two variables for the same setting are set, the first one counts. */
const equivalents: readonly Equivalent[] = [
  { variable: 'MP_SMTP_BIND_ADDR', setting: 'smtp_listen', write: writeListen },
  { variable: 'MP_UI_BIND_ADDR', setting: 'http_listen', write: writeListen },
  { variable: 'MP_MAX_MESSAGE_SIZE', setting: 'smtp_max_size', write: writeMegabytes },
  { variable: 'MP_SMTP_MAX_RECIPIENTS', setting: 'smtp_recipients_max' },
  { variable: 'MP_SMTP_TLS_CERT', setting: 'tls_cert' },
  { variable: 'MP_SMTP_TLS_KEY', setting: 'tls_key' },
  { variable: 'MH_SMTP_BIND_ADDR', setting: 'smtp_listen', write: writeListen },
  { variable: 'MH_UI_BIND_ADDR', setting: 'http_listen', write: writeListen },
  { variable: 'MH_API_BIND_ADDR', setting: 'http_listen', write: writeListen },
  { variable: 'MH_HOSTNAME', setting: 'mx_host' },
  { variable: 'MP_API_CORS', setting: 'cors_origins', write: writeOrigins },
  { variable: 'MH_CORS_ORIGIN', setting: 'cors_origins', write: writeOrigins },
];

export interface TakenOver {
  loaded: LoadedSettings;
  /** A line that names the variables that were used or ignored; null if there are none. */
  notice: string | null;
}

/** Postern's own settings always take precedence. */
export function takeOver(given: LoadedSettings, env: Record<string, string | undefined>): TakenOver {
  const settings: Record<string, unknown> = { ...given.settings };
  const sources = { ...given.sources };
  const taken: string[] = [];
  const left: string[] = [];
  const faults: string[] = [];
  for (const { variable, setting, write = String } of equivalents) {
    const value = env[variable]?.trim() ?? '';
    if (value === '' || sources[setting]?.source !== 'default') continue;
    const text = write(value);
    if (text === null) {
      left.push(`${variable}=${value} (${nameVariable(setting)} must name each origin)`);
      continue;
    }
    try {
      settings[setting] = parseSetting(text, rules[setting]);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      faults.push(
        `${variable}, read as ${nameVariable(setting)}, ${thrown.message}, not ${JSON.stringify(value)}`,
      );
      continue;
    }
    sources[setting] = { source: 'environment', text };
    taken.push(`${variable} as ${nameVariable(setting)}=${text}`);
  }
  if ((settings.tls_cert === null) !== (settings.tls_key === null)) {
    faults.push('MP_SMTP_TLS_CERT and MP_SMTP_TLS_KEY go together: set both or neither');
  }
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  if (taken.length + left.length === 0) return { loaded: given, notice: null };
  const notice = [
    taken.length > 0 && `using variables of another tool: ${taken.join(', ')}. Set Postern's own instead.`,
    left.length > 0 && `ignored: ${left.join(', ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
  return { loaded: { ...given, settings: settings as Settings, sources }, notice };
}

function nameVariable(setting: SettingName): string {
  return `POSTERN_${setting.toUpperCase()}`;
}
