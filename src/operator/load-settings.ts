import { readFileSync } from 'node:fs';
import { type LoadedSettings, SettingsFault, settingsFrom } from '../core/settings.ts';
import type { Line } from './arguments.ts';

/** The settings in force for a command line. Throws a SettingsFault with all that is wrong. */
export function loadSettings(line: Pick<Line, 'settings' | 'config'>): LoadedSettings {
  const toml = line.config === undefined ? {} : readToml(line.config);
  return settingsFrom({ cli: line.settings, env: process.env, toml });
}

function readToml(file: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (fault) {
    throw new SettingsFault([`--config ${file}: ${fault instanceof Error ? fault.message : String(fault)}`]);
  }
}
