import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { home } from './base.ts';
import { Empty, Skeleton } from './parts.tsx';
import { showToast } from './toast.tsx';
import type { Area } from './words/dictionary.ts';
import { loadWords, words } from './words/words.ts';

/** The prop that tells dialogs from other components. */
interface Closable {
  onClose?: () => void;
}

export interface LazyComponent<Props> {
  (props: Props): JSX.Element | null;
  /** Loads it before it is shown, once the language is known. */
  preload: () => void;
}

/** A component that is loaded with its texts when it is first shown, so that it adds nothing to the first load. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  areas: readonly Area[] = [],
): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | undefined;
  const loadAll = async () => {
    [Loaded] = await Promise.all([load(), loadWords(areas)]);
  };
  function Lazy(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    const [fault, setFault] = useState('');
    const { onClose } = props as Closable;
    useEffect(() => {
      if (Loaded) return;
      loadAll()
        .then(() => setLoaded(true))
        .catch(async () => {
          const text = await explainMissing();
          if (!onClose) return setFault(text);
          showToast(text, true);
          // So that it can be opened again.
          onClose();
        });
    }, []);
    if (Loaded) return <Loaded {...props} />;
    // The button that opens a dialog has no room for a placeholder.
    if (onClose) return null;
    return fault ? <Missing title={fault} /> : <Skeleton rows={4} />;
  }
  // If it fails, it fails again when the component is shown, which says so.
  Lazy.preload = () => void (Loaded || loadAll().catch(() => {}));
  return Lazy;
}

/**
 * Explains why a file of the pages could not be loaded. If the server now runs another version, whose files have other
 * names, it reloads the page.
 */
export async function explainMissing(): Promise<string> {
  const { failures } = words.frame;
  const page = await fetch(home).catch(() => null);
  if (!page?.ok) return failures.offline;
  const own = document.querySelector('script[src]')!.getAttribute('src')!;
  if (!(await page.text()).includes(own)) location.reload();
  return failures.page;
}

/** Shown instead of a part that could not be loaded. Browsers may cache a failed import, so only a reload tries again. */
export function Missing({ title, children }: { title: string; children?: string }) {
  return (
    <Empty icon="warn" title={title}>
      {children && <p>{children}</p>}
      <button type="button" class="button mt-3" onClick={() => location.reload()}>
        {words.frame.notLoaded.reload}
      </button>
    </Empty>
  );
}
