import type { ComponentChildren } from 'preact';
import { fullTime } from '../format.ts';
import { notifying, toggleNotifying } from '../mail/live.ts';
import { PageBody } from '../parts.tsx';
import { type Preferences, prefer, preferences } from '../preferences.ts';
import { Part } from '../rows.tsx';
import { type Theme, theme } from '../theme.ts';
import { words } from '../words/words.ts';
import { LanguageChoice } from './language-choice.tsx';

/** What a person prefers in this browser. Every change takes effect at once. */
export default function PreferencesPage() {
  const t = words.account.preferences;
  const { markRead, density, pageRows } = preferences.value;
  return (
    <PageBody title={words.frame.places.preferences} about={t.about}>
      <Part title={t.appearance}>
        <Card>
          <Choice
            label={t.theme}
            value={theme.value}
            choices={t.themes}
            onChoose={(value: Theme) => {
              theme.value = value;
            }}
          />
          <Choice
            label={t.density}
            value={density}
            choices={t.densities}
            onChoose={(value) => prefer({ density: value })}
          />
          <LanguageChoice />
          <TimeZone />
        </Card>
      </Part>
      <Part title={words.frame.shell.mail}>
        <Card>
          <Choice
            label={t.markRead}
            value={markRead}
            choices={t.markReadWhen}
            onChoose={(value) => prefer({ markRead: value })}
          />
          <Choice
            label={t.pageRows}
            value={String(pageRows)}
            choices={{ 25: '25', 50: '50', 100: '100' }}
            onChoose={(value) => prefer({ pageRows: Number(value) as Preferences['pageRows'] })}
          />
          <Choice
            label={t.notifications}
            value={notifying.value ? 'on' : 'off'}
            choices={t.onOff}
            onChoose={(value) => (value === 'on') !== notifying.peek() && void toggleNotifying()}
          />
        </Card>
      </Part>
    </PageBody>
  );
}

function Card({ children }: { children: ComponentChildren }) {
  return <div class="card divide-y divide-line">{children}</div>;
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  choices: Record<Value, string>;
  onChoose: (value: Value) => void;
}

/** One of a few, all of them visible. */
function Choice<Value extends string>({ label, value, choices, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
      <legend class="float-left text-sm font-medium">{label}</legend>
      <div class="flex rounded-md bg-hover p-0.5">
        {(Object.entries(choices) as [Value, string][]).map(([each, name]) => (
          <label
            key={each}
            class={`cursor-pointer rounded-[5px] px-3 py-1 text-center text-sm font-medium outline-accent has-focus-visible:outline-2 pointer-coarse:py-2 ${
              each === value ? 'bg-tint text-tintink' : 'text-soft hover:text-ink'
            }`}
          >
            <input
              type="radio"
              class="sr-only"
              name={label}
              checked={each === value}
              onChange={() => onChoose(each)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function TimeZone() {
  const t = words.account.preferences;
  const { timeZone } = preferences.value;
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="px-4 py-3">
      <label class="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <span class="text-sm font-medium">{t.timeZone}</span>
        <select
          class="field sm:w-72"
          value={timeZone}
          onChange={({ currentTarget }) => prefer({ timeZone: currentTarget.value })}
        >
          <option value="">{t.asSystem(own)}</option>
          <option value="UTC">UTC</option>
          {Intl.supportedValuesOf('timeZone').map((name) => (
            <option key={name} value={name}>
              {name.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <p class="mt-1.5 text-xs text-soft sm:text-right">{t.now(fullTime(new Date().toISOString()))}</p>
    </div>
  );
}
