import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './parts.tsx';
import { tellFault } from './toast.tsx';

/** A component that is loaded when it is first shown, so that it costs nothing of the first load. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    useEffect(() => {
      if (Loaded) return;
      load()
        .then((component) => {
          Loaded = component;
          setLoaded(true);
        })
        .catch(tellFault);
    }, []);
    return Loaded ? <Loaded {...props} /> : <Skeleton rows={4} />;
  };
}
