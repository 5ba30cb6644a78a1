import { type Signal, signal } from '@preact/signals';

/** A switch for how mail is shown, remembered in this browser. */
function rememberSwitch(name: string, isOnAtFirst: boolean): Signal<boolean> & { toggle: () => void } {
  const key = `postern.${name}`;
  const kept = localStorage.getItem(key);
  const value = signal(kept === null ? isOnAtFirst : kept === 'true');
  return Object.assign(value, {
    toggle() {
      value.value = !value.peek();
      localStorage.setItem(key, String(value.peek()));
    },
  });
}

/** Whether text is shown in a monospaced font. */
export const fixedWidth = rememberSwitch('fixed-width', false);
/** Whether long lines of source wrap. */
export const wrapLines = rememberSwitch('wrap-lines', true);
/** Whether HTML source is indented, with a line for each element. */
export const indented = rememberSwitch('indented', true);
