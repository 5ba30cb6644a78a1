import type { ComponentChildren } from 'preact';
import { Icon } from '../icons.tsx';

/** A card of the checks: its name, and its state at the right. */
export function CheckSection({
  title,
  state,
  children,
}: {
  title: string;
  /** At the right of the title: a tag, or a button. */
  state?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <section class="card min-w-0 px-4 py-3" aria-label={title}>
      <div class="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h3 class="text-sm font-semibold">{title}</h3>
        {state}
      </div>
      {children}
    </section>
  );
}

export const Good = ({ children }: { children: ComponentChildren }) => (
  <span class="tag tag-accent inline-flex items-center gap-1">
    <Icon name="check" class="size-3.5" />
    {children}
  </span>
);

export const Bad = ({ children }: { children: ComponentChildren }) => (
  <span class="tag tag-danger tabular-nums">{children}</span>
);
