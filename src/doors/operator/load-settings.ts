import { readFileSync } from 'node:fs';
import { type LoadedSettings, SettingsFault, settingsFrom } from '../../platform/core/settings.ts';
import type { CommandLine } from './arguments.ts';
import { UsageError } from './command.ts';

/** The effective settings for a command line. Throws a UsageError with everything wrong, also in the line. */
export function loadSettings(line: Pick<CommandLine, 'settings' | 'config' | 'faults'>): LoadedSettings {
  const faults = [...line.faults];
  const toml = line.config === undefined ? {} : readToml(line.config, faults);
  try {
    const loaded = settingsFrom({ cli: line.settings, env: process.env, toml });
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
