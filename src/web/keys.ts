import { useEffect } from 'preact/hooks';

/** `mod+k` is Cmd-K or Ctrl-K; single letters are as typed (`#`, `?`, `G`). */
type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Keys of whatever is shown, the innermost last; a later one goes before. */
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
  // A dialog is alone with the keyboard, save for what opens over all.
  if (document.querySelector('dialog[open]') && name !== 'mod+k') return;
  for (const { current } of [...layers].reverse()) {
    const run = current[name];
    if (!run) continue;
    event.preventDefault();
    run(event);
    return;
  }
});

/** Takes these keys while the component is shown. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const layer = { current: keys };
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  });
}

export const isMac = /Mac|iP(hone|ad|od)/.test(navigator.platform);
