import { type Knob, knobs, type LoadedSettings } from '../core/settings.ts';
import type { LocalCommand } from './command.ts';
import { table } from './table.ts';

interface SettingView {
  name: string;
  variable: string;
  value: string | null;
  default: string | null;
  source: string;
  meaning: string;
}

export const config: LocalCommand = {
  name: 'config',
  meaning: 'show every setting with its value, default, source and meaning',
  takes_settings: true,
  examples: ['postern config', 'postern config --config /etc/postern.toml --json'],
  async runHere({ loaded, json }) {
    const rows = knobs.map((knob) => settingView(knob, loaded));
    process.stdout.write(json ? `${JSON.stringify(rows)}\n` : `${text(rows)}\n`);
    return 0;
  },
};

function settingView({ name, variable, rule }: Knob, { sources }: LoadedSettings): SettingView {
  const { source = 'default', text = null } = sources[name] ?? {};
  // What says nothing secret (off, direct) may be shown.
  const is_secret = rule.secret && text !== null && text !== rule.default && text !== 'direct';
  const value = is_secret ? '********' : text;
  return { name, variable, value, default: rule.default, source, meaning: rule.meaning };
}

function text(rows: readonly SettingView[]): string {
  return table(
    ['SETTING', 'VALUE', 'DEFAULT', 'FROM', 'MEANING'],
    rows.map(({ variable, value, default: preset, source, meaning }) => [
      variable,
      value ?? '-',
      preset ?? '-',
      source,
      meaning,
    ]),
  );
}
