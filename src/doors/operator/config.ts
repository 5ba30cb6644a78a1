import { viewSettings } from '../../platform/core/setting-view.ts';
import type { SettingView } from '../../platform/core/wire.ts';
import type { LocalCommand } from './command.ts';
import { formatTable } from './table.ts';

export const config: LocalCommand = {
  name: 'config',
  meaning: 'list every setting with its value, default, source and meaning',
  takesSettings: 'server',
  examples: ['postern config', 'postern config --config /etc/postern.toml --json'],
  async runHere({ loaded, json }) {
    const rows = viewSettings(loaded.sources);
    process.stdout.write(json ? `${JSON.stringify(rows)}\n` : `${formatSettings(rows)}\n`);
    return 0;
  },
};

function formatSettings(rows: readonly SettingView[]): string {
  return formatTable(
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
