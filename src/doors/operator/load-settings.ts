import { readFileSync } from 'node:fs';
import { knobs, type LoadedSettings, SettingsFault, settingsFrom } from '../../platform/core/settings.ts';
import type { CommandLine } from './arguments.ts';
import { UsageError } from './command.ts';

/** The effective settings for a command line. Throws a UsageError with everything wrong, also in the line. */
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

function readToml(file: string, faults: string[]): Record<string, unknown> {
  try {
    return Bun.TOML.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (fault) {
    faults.push(`--config ${file}: ${fault instanceof Error ? fault.message : String(fault)}`);
    return {};
  }
}

type Environment = Record<string, string | undefined>;

/** A secret may be in a file instead: POSTERN_API_KEY_FILE names the file whose content is POSTERN_API_KEY. */
function withSecretFiles(env: Environment, faults: string[]): Environment {
  const read = { ...env };
  for (const { variable, rule } of knobs) {
    const fileVariable = `${variable}_FILE`;
    const file = env[fileVariable];
    if (!rule.secret || file === undefined) continue;
    delete read[fileVariable];
    if (file === '') continue;
    if (env[variable]) {
      faults.push(`${variable} and ${fileVariable} are both set; keep one of them`);
      continue;
    }
    try {
      // Editors and `echo` end a file with a newline, which is not part of the secret.
      read[variable] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (fault) {
      faults.push(`${fileVariable}: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
  }
  return read;
}
