import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './parts.tsx';
import { tellFault } from './toast.tsx';
import type { Area } from './words/dictionary.ts';
import { loadWords } from './words/words.ts';

/** A component that is loaded with its texts when it is first shown, so that it adds nothing to the first load. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  areas: readonly Area[] = [],
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    useEffect(() => {
      if (Loaded) return;
      Promise.all([load(), loadWords(areas)])
        .then(([component]) => {
          Loaded = component;
          setLoaded(true);
        })
        .catch(tellFault);
    }, []);
    return Loaded ? <Loaded {...props} /> : <Skeleton rows={4} />;
  };
}
