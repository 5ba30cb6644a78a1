import type { ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';

interface ActionButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'onClick' | 'aria-busy'> {
  onRun: () => Promise<unknown>;
  /** Its text while the action runs; by default the same. */
  busy?: ComponentChildren;
}

/** A button whose action takes a request. It runs once at a time: on a slow network, people press again. */
export function ActionButton({
  onRun,
  class: look = 'button',
  children,
  busy = children,
  ...rest
}: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    // Not disabled while it runs, because that would take the focus from it.
    if (isBusy) return;
    setBusy(true);
    void onRun().finally(() => setBusy(false));
  };
  return (
    <button type="button" class={look} aria-busy={isBusy} onClick={run} {...rest}>
      {isBusy ? busy : children}
    </button>
  );
}
