import { type Signal, signal } from '@preact/signals';

/** How a person reads mail, kept in this browser. */
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

/** Text in a font whose characters are equally wide. */
export const fixedWidth = rememberSwitch('fixed-width', false);
/** Lines of source that continue on the next line, instead of beyond the edge. */
export const wrapLines = rememberSwitch('wrap-lines', true);
/** HTML source with a line for each element. */
export const indented = rememberSwitch('indented', true);
