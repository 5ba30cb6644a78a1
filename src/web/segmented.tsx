interface SegmentedProps<Name extends string> {
  label: string;
  keys: readonly Name[];
  names: Readonly<Record<Name, string>>;
  current: Name;
  onChoose: (name: Name) => void;
}

/** A segmented control for two or three views of the same thing. */
export function Segmented<Name extends string>({
  label,
  keys,
  names,
  current,
  onChoose,
}: SegmentedProps<Name>) {
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
