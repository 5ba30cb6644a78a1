import { useState } from 'preact/hooks';
import type { SettingView } from '../../platform/core/wire.ts';
import { useData } from '../data.ts';
import { Checkbox } from '../forms.tsx';
import { PageBody } from '../parts.tsx';
import { EmptyCard, Loaded, Rows, SearchField } from '../rows.tsx';
import { words } from '../words/words.ts';

export default function SettingsPage() {
  const t = words.server.settings;
  const settings = useData<SettingView[]>('operator/settings');
  const [text, setText] = useState('');
  const [onlySet, setOnlySet] = useState(false);
  const shown = (all: SettingView[]) =>
    all.filter(
      ({ variable, meaning, source }) =>
        (!onlySet || source !== 'default') &&
        `${variable} ${meaning}`.toLowerCase().includes(text.trim().toLowerCase()),
    );
  return (
    <PageBody title={words.frame.places.settings} about={t.about}>
      <div class="mb-4 flex flex-wrap items-center gap-x-5 gap-y-2">
        <SearchField label={t.search} value={text} onInput={setText} />
        <Checkbox class="text-sm" checked={onlySet} onChange={setOnlySet}>
          {t.changedOnly}
        </Checkbox>
      </div>
      <Loaded of={settings} rows={8}>
        {(all) => <List of={shown(all)} />}
      </Loaded>
    </PageBody>
  );
}

function List({ of: settings }: { of: SettingView[] }) {
  if (settings.length === 0) {
    return <EmptyCard icon="search" title={words.server.settings.none} />;
  }
  return (
    <Rows label={words.frame.places.settings}>
      {settings.map(({ name, variable, value, source, meaning }) => (
        <li key={name} class="px-4 py-2.5">
          <div class="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <code class="font-mono text-sm break-all">{variable}</code>
            {value === null ? (
              <span class="text-sm text-faint">{words.server.settings.notSet}</span>
            ) : (
              <span class="min-w-0 font-mono text-sm font-medium break-all">{value}</span>
            )}
            {source !== 'default' && <span class="tag tag-accent">{source}</span>}
          </div>
          <p class="mt-0.5 text-sm text-soft">{meaning}</p>
        </li>
      ))}
    </Rows>
  );
}
