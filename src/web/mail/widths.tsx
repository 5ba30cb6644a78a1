import { signal } from '@preact/signals';
import { Icon, type IconName } from '../icons.tsx';
import { words } from '../words/words.ts';

interface Width {
  name: keyof typeof words.reading.html.widths;
  icon: IconName;
  px: number | null;
}

const widths: Width[] = [
  { name: 'phone', icon: 'phone', px: 390 },
  { name: 'tablet', icon: 'tablet', px: 768 },
  { name: 'full', icon: 'screen', px: null },
];

/** The chosen width, kept while the reader moves between messages. */
export const chosenPx = signal<number | null>(null);

export function Widths() {
  const t = words.reading.html;
  return (
    <fieldset class="hidden items-center rounded-md border border-line sm:flex" aria-label={t.width}>
      {widths.map(({ name, icon, px }) => (
        <button
          key={name}
          type="button"
          class={`flex h-7 items-center gap-1.5 rounded-[5px] px-2 text-xs tabular-nums ${chosenPx.value === px ? 'bg-tint text-tintink' : 'text-soft hover:bg-hover'}`}
          aria-label={t.widths[name]}
          aria-pressed={chosenPx.value === px}
          title={px ? `${t.widths[name]}, ${t.pixels(px)}` : t.widths[name]}
          onClick={() => {
            chosenPx.value = px;
          }}
        >
          <Icon name={icon} />
          {px !== null && chosenPx.value === px && t.pixels(px)}
        </button>
      ))}
    </fieldset>
  );
}
