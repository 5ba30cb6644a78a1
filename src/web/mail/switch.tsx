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
