import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from '../parts.tsx';
import { tellFault } from '../toast.tsx';

/** The tab of the checks, which is loaded when it is first opened. */
export function ChecksTab({ id }: { id: string }) {
  const [Loaded, setLoaded] = useState<ComponentType<{ id: string }> | null>(null);
  useEffect(() => {
    import('./checks.tsx').then(({ default: component }) => setLoaded(() => component)).catch(tellFault);
  }, []);
  return Loaded ? <Loaded id={id} /> : <Skeleton rows={5} />;
}
