import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knobs, type LoadedSettings, SettingsFault, settingsFrom } from '../../platform/core/settings.ts';
import { readReason } from '../../platform/core/thrown.ts';
import type { CommandLine } from './arguments.ts';
import { UsageError } from './command.ts';

/** Returns the effective settings for a command line. Throws a UsageError with every mistake in them and in the line. */
export function loadSettings(line: Pick<CommandLine, 'settings' | 'config' | 'faults'>): LoadedSettings {
  const faults = [...line.faults];
  const toml = line.config === undefined ? {} : readToml(line.config, faults);
  try {
    const loaded = settingsFrom({ cli: line.settings, env: withSecretFiles(process.env, faults), toml });
    if (faults.length === 0) return loaded;
  } catch (thrown) {
    if (!(thrown instanceof SettingsFault)) throw thrown;
    faults.push(...thrown.faults);
  }
  throw new UsageError(faults.join('\n'));
}

/** Returns the defaults. Throws a UsageError with every mistake in the line. */
export function loadNoSettings({ faults }: Pick<CommandLine, 'faults'>): LoadedSettings {
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return settingsFrom();
}

function readToml(file: string, faults: string[]): Record<string, unknown> {
  try {
    return Bun.TOML.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (fault) {
    faults.push(`--config ${file}: ${readReason(fault)}`);
    return {};
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Adds the secrets that are in files. POSTERN_API_KEY is the content of the file that POSTERN_API_KEY_FILE names, or of
 * the systemd credential `postern.api_key` (systemd.exec(5), CREDENTIALS_DIRECTORY).
 */
function withSecretFiles(env: Environment, faults: string[]): Environment {
  const read = { ...env };
  for (const { name, variable, rule } of knobs) {
    if (!rule.secret) continue;
    const fileVariable = `${variable}_FILE`;
    const file = env[fileVariable];
    delete read[fileVariable];
    if (file && env[variable]) {
      faults.push(`${variable} and ${fileVariable} are both set; keep one of them`);
      continue;
    }
    const credential = file || env[variable] !== undefined ? null : findCredential(env, name);
    if (!file && credential === null) continue;
    try {
      // Editors and `echo` end a file with a newline, which is not part of the secret.
      read[variable] = readFileSync(file || credential!, 'utf8').replace(/\r?\n$/, '');
    } catch (fault) {
      const where = file ? fileVariable : `credential postern.${name}`;
      faults.push(`${where}: ${readReason(fault)}`);
    }
  }
  return read;
}

/** Returns the file of a systemd credential; null if there is none for this setting. */
function findCredential({ CREDENTIALS_DIRECTORY: folder }: Environment, name: string): string | null {
  const file = folder ? join(folder, `postern.${name}`) : null;
  return file !== null && existsSync(file) ? file : null;
}
