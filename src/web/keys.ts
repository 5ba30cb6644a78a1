import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Whether the list of keys is shown (help.tsx). */
export const helpShown = signal(false);

/** `mod+k` is Cmd-K or Ctrl-K; single characters are as typed (`#`, `?`, `G`). */
type Keys = Record<string, (event: KeyboardEvent) => void>;

/** The key maps of the mounted components, innermost last. The last one that has a key wins. */
const layers: { current: Keys }[] = [];

addEventListener('keydown', (event) => {
  const { target } = event;
  const withMod = event.metaKey || event.ctrlKey;
  const name = (withMod ? 'mod+' : '') + event.key;
  const isTyping =
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  const isBox = target instanceof HTMLInputElement && target.type === 'checkbox';
  if (event.altKey || event.isComposing || (isTyping && !isBox && !withMod)) return;
  // An open dialog gets all keys except the one of the command palette.
  if (document.querySelector('dialog[open]') && name !== 'mod+k') return;
  for (const { current } of [...layers].reverse()) {
    const run = current[name];
    if (!run) continue;
    event.preventDefault();
    run(event);
    return;
  }
});

/** Handles these keys while the component is mounted. A component keeps its place when it renders again. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  layer.current = keys;
  // Once, so that a component that renders again does not get ahead of those inside it. Before the first paint, because
  // a key may follow at once.
  useLayoutEffect(() => {
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

export const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);
