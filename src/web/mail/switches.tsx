import type { Signal } from '@preact/signals';

/** A checkbox for how something is shown. */
export function Switch({ is, name }: { is: Signal<boolean> & { toggle: () => void }; name: string }) {
  return (
    <label class="flex cursor-pointer items-center gap-1.5 text-sm text-soft hover:text-ink pointer-coarse:min-h-10">
      <input type="checkbox" class="size-3.5" checked={is.value} onChange={is.toggle} />
      {name}
    </label>
  );
}

interface TabsProps<Name extends string> {
  label: string;
  keys: readonly Name[];
  names: Readonly<Record<Name, string>>;
  current: Name;
  onChoose: (name: Name) => void;
}

/** A segmented control for two or three views of the same thing. */
export function Tabs<Name extends string>({ label, keys, names, current, onChoose }: TabsProps<Name>) {
  if (keys.length < 2) return null;
  return (
    <fieldset class="flex rounded-md bg-hover p-0.5" aria-label={label}>
      {keys.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === current}
          class={`rounded-[5px] px-3 py-1 text-sm font-medium pointer-coarse:py-2 ${
            name === current ? 'bg-raised shadow-sm' : 'text-soft hover:text-ink'
          }`}
          onClick={() => onChoose(name)}
        >
          {names[name]}
        </button>
      ))}
    </fieldset>
  );
}
